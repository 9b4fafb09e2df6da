# SPDX-License-Identifier: Apache-2.0
"""The kinds of faults. A rule takes the scene and yields (node, replacement): one change, one mutant."""
import ast

ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
              ast.Mod: ast.FloorDiv}
BITWISE = {ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift}
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
               ast.NotEq: ast.Eq}
CALLS = {"max": "min", "min": "max", "maximum": "minimum", "minimum": "maximum", "sum": "max", "argmax": "argmin",
         "argmin": "argmax", "exp": "exp2", "exp2": "exp", "log": "log2", "log2": "log", "sin": "cos", "cos": "sin",
         "sqrt": "abs", "rsqrt": "sqrt", "floor": "ceil", "ceil": "floor", "cumsum": "cumprod",
         "atomic_add": "atomic_xchg", "atomic_max": "atomic_min", "atomic_min": "atomic_max", "abs": "exp"}


class Scene:
    """A module with what the rules ask: which functions are kernels, and the nodes of kernels and of host code."""

    def __init__(self, tree):
        self.tree = tree
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        self.kernels = [f for f in functions if any("jit" in ast.unparse(d) for d in f.decorator_list)]
        inside = {id(n) for k in self.kernels for n in ast.walk(k)}
        self.host_functions = [f for f in functions if id(f) not in inside]
        self.host = [n for f in self.host_functions for n in ast.walk(f)]
        self.device = [n for k in self.kernels for statement in k.body for n in ast.walk(statement)
                       if not self._is_text(statement)]

    @staticmethod
    def _is_text(statement):
        return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)

    def calls(self, *names):
        """Calls in kernels of tl.<name>, or of a method of that name."""
        for node in self.device:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
                yield node


def binary(node, op):
    return ast.BinOp(node.left, op(), node.right)


def swap_operator(scene):
    for node in scene.device:
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            yield node, binary(node, ARITHMETIC[type(node.op)])
        if isinstance(node, ast.BinOp) and type(node.op) in BITWISE:
            yield node, binary(node, BITWISE[type(node.op)])


def swap_comparison(scene):
    for node in scene.device:
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            yield node, ast.Compare(node.left, [COMPARISONS[type(node.ops[0])]()], node.comparators)


def swap_function(scene):
    for node in scene.calls(*CALLS):
        if isinstance(node.func.value, ast.Name) and node.func.value.id in ("tl", "libdevice", "math"):
            keywords = [k for k in node.keywords if k.arg != "return_indices"]
            func = ast.Attribute(node.func.value, CALLS[node.func.attr], ast.Load())
            yield node, ast.Call(func, node.args, keywords)


def drop_mask(scene):
    for node in scene.calls("load", "store", "atomic_add", "atomic_max", "atomic_min"):
        rest = [k for k in node.keywords if k.arg not in ("mask", "other")]
        if len(rest) < len(node.keywords):
            yield node, ast.Call(node.func, node.args, rest)


def loosen_mask(scene):
    """One condition of a mask left out."""
    for node in scene.device:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            yield node, node.left
            yield node, node.right


def other_value(scene):
    for node in scene.calls("load"):
        for keyword in node.keywords:
            if keyword.arg == "other":
                worse = ast.Constant(1) if ast.unparse(keyword.value) in ("0", "0.0") else ast.Constant(0)
                rest = [k if k is not keyword else ast.keyword("other", worse) for k in node.keywords]
                yield node, ast.Call(node.func, node.args, rest)


def off_by_one(scene):
    """An index or bound moved by one, where arithmetic or a comparison uses it."""
    for node in scene.device:
        operands = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)):
            operands = [node.left, node.right]
        elif isinstance(node, ast.Compare):
            operands = node.comparators
        for operand in operands:
            if isinstance(operand, ast.Constant) and type(operand.value) is int:
                yield operand, ast.Constant(operand.value + 1)
    for node in scene.device:
        if isinstance(node, ast.Compare) and isinstance(node.comparators[0], ast.Name):
            yield node.comparators[0], ast.BinOp(node.comparators[0], ast.Sub(), ast.Constant(1))


def change_constant(scene):
    """Not the values of masked lanes, which have a rule of their own."""
    others = {id(k.value) for call in scene.calls("load") for k in call.keywords if k.arg == "other"}
    for node in scene.device:
        if id(node) in others:
            continue
        if isinstance(node, ast.Constant) and type(node.value) is float and node.value not in (float("inf"),):
            yield node, ast.Constant(node.value * 1.01 if node.value else 0.5)


def half_accumulate(scene):
    """Computes in sixteen bits, or in f32 where the kernel says f64. Not where a type is only asked for."""
    lower = {"float32": "float16", "float64": "float32"}
    asked = {id(n) for c in scene.device if isinstance(c, ast.Compare) for n in ast.walk(c)}
    for node in scene.device:
        if id(node) in asked:
            continue
        if isinstance(node, ast.Attribute) and node.attr in lower and ast.unparse(node.value) == "tl":
            yield node, ast.Attribute(node.value, lower[node.attr], ast.Load())


def drop_term(scene):
    """One side of a sum, difference or product: a forgotten eps, bias, scale or beta * C."""
    for node in scene.device:
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            if not any(isinstance(n, ast.Call) and "arange" in ast.unparse(n.func) for n in ast.walk(node.right)):
                yield node, node.left
            if isinstance(node.op, ast.Mult):
                yield node, node.right


def drop_extreme(scene):
    """One side of a maximum or minimum: a running one that forgets what came before, a clamp that is left out."""
    for node in scene.calls("maximum", "minimum"):
        if len(node.args) == 2:
            yield node, node.args[0]
            yield node, node.args[1]


def drop_branch(scene):
    for node in scene.calls("where"):
        if len(node.args) == 3:
            yield node, node.args[1]
            yield node, node.args[2]
    for node in scene.device:
        if isinstance(node, ast.IfExp):
            yield node, node.body
            yield node, node.orelse


def negate_condition(scene):
    for node in scene.device:
        if isinstance(node, ast.If) and "constexpr" not in ast.unparse(node.test):
            yield node.test, ast.UnaryOp(ast.Not(), node.test)


def drop_statement(scene):
    """An update left out: an accumulation, or a variable that is set again."""
    assigned = set()
    for node in scene.device:
        if isinstance(node, ast.AugAssign):
            yield node, None
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id in assigned:
                yield node, None
            assigned.add(node.targets[0].id)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and "store" in ast.unparse(node.value.func):
            yield node, None


def flip_flag(scene):
    """Ties broken the other way, NaN not propagated, reverse, descending ..."""
    for node in scene.device:
        if isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant) and type(node.value.value) is bool:
            yield node.value, ast.Constant(not node.value.value)
        if isinstance(node, ast.keyword) and node.arg == "propagate_nan":
            yield node.value, ast.parse("tl.PropagateNan.NONE", mode="eval").body


def drop_cast(scene):
    """Not the casts that a store makes anyway, nor to i64, or to INDEX, which is i64 where need be: those guard against
    tensors of more than 2^31 elements."""
    for node in scene.calls("to"):
        if not any(kind in ast.unparse(node) for kind in ("element_ty)", "tl.int64)", "INDEX)")):
            yield node, node.func.value


def skip_last_block(scene):
    for node in scene.host:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cdiv":
            less = ast.BinOp(node, ast.Sub(), ast.Constant(1))
            yield node, ast.Call(ast.Name("max", ast.Load()), [less, ast.Constant(1)], [])


def assume_contiguous(scene):
    """A copy to a contiguous tensor left out, a stride taken for 1."""
    for node in scene.host:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "contiguous" and not node.args:
            yield node, node.func.value
        if node.func.attr == "stride" and node.args:
            yield node, ast.Constant(1)


def swap_axes(scene):
    """A kernel's argument given the neighbour's value: strides exchanged, m for n."""
    for node in scene.host:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            for i in range(len(node.args) - 1):
                a, b = node.args[i], node.args[i + 1]
                if ast.unparse(a) != ast.unparse(b) and not isinstance(a, ast.Starred) and not isinstance(b, ast.Starred):
                    args = [*node.args[:i], b, a, *node.args[i + 2:]]
                    yield node, ast.Call(node.func, args, node.keywords)


RULES = {rule.__name__: rule for rule in (
    drop_extreme, swap_operator, swap_comparison, swap_function, drop_mask, loosen_mask, other_value, off_by_one,
    change_constant, half_accumulate, drop_term, drop_branch, negate_condition, drop_statement, flip_flag, drop_cast,
    skip_last_block, assume_contiguous, swap_axes)}
