# SPDX-License-Identifier: Apache-2.0
"""Changes that provably compute the same: they are no faults, and no workload could tell them from the original."""
import ast

# Calls that work lane by lane: what a lane gives depends on that lane alone.
LANEWISE = {"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sqrt_rn", "div_rn", "abs", "maximum", "minimum", "sin", "cos",
            "floor", "ceil", "fma", "sigmoid", "erf", "clamp", "cast", "to", "broadcast_to", "rint", "log1p", "expm1"}
REDUCTIONS = {"sum", "max", "min", "argmax", "argmin"}
FRESH = ("torch.empty", "torch.zeros", "torch.ones", "torch.full")


def is_inert(scene, kind, node, new):
    if is_zero_product(node, new):
        return True
    if kind == "other_value":
        return any(lanes_vanish(scene, kernel, node) for kernel in scene.kernels if holds(kernel, node))
    if kind in ("loosen_mask", "swap_comparison"):
        return any(says_the_same(kernel, node, new) for kernel in scene.kernels if holds(kernel, node))
    if kind == "drop_cast":
        return any(is_widened_anyway(kernel, node) for kernel in scene.kernels if holds(kernel, node))
    if kind == "assume_contiguous":
        return any(is_fresh(function, node) for function in scene.host_functions if holds(function, node))
    return False


def holds(function, node):
    return any(n is node for n in ast.walk(function))


def is_zero_product(node, new):
    """x * 0 -> 0: the shape follows from whatever it is added to."""
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    return product and isinstance(new, ast.Constant) and new.value == 0 and new in (node.left, node.right)


def says_the_same(kernel, node, new):
    """Whether a condition that lanes meet by their number is left out, or made <=: lane = tl.arange(0, N) is below N."""
    if isinstance(node, ast.Compare):
        return isinstance(new.ops[0], ast.LtE) and is_of_every_lane(kernel, node)
    return is_of_every_lane(kernel, node.left if new is node.right else node.right)


def is_of_every_lane(kernel, condition):
    while isinstance(condition, ast.Subscript):
        condition = condition.value
    if not isinstance(condition, ast.Compare) or not isinstance(condition.ops[0], ast.Lt):
        return False
    lane, end = condition.left, ast.unparse(condition.comparators[0])
    while isinstance(lane, ast.Name) and len(values := assigned(kernel, lane.id)) == 1 and values[0] is not None:
        lane = values[0]
        while isinstance(lane, ast.Subscript):
            lane = lane.value
    return ast.unparse(lane) == f"tl.arange(0, {end})"


# -- lanes beyond a mask ---------------------------------------------------------------------------------------------
class Escapes(Exception):
    """What masked lanes hold may reach something."""


def lanes_vanish(scene, kernel, load):
    """Whether what a masked load gives beyond its mask reaches nothing."""
    try:
        return Lanes(scene, kernel, load).vanish()
    except Escapes:
        return False


class Lanes:
    """Follows the masked lanes of one load through a kernel.

    A value is described by the conditions that all hold where it is what it was: it differs at most where one of them
    is false. A condition is a text and the axis on which it is spread ("0" for [:, None], "1" for [None, :], else "").
    An access whose mask contains all conditions of its operands leaves the difference out; so does a product with a
    load that is zero where a condition is false.
    """

    def __init__(self, scene, kernel, load):
        self.kernel, self.load = kernel, load
        self.helpers = {f.name: f for f in scene.kernels}
        self.differs = {}  # variable -> conditions

    def vanish(self):
        statements = [s for s in ast.walk(self.kernel) if isinstance(s, ast.stmt) and s is not self.kernel]
        while True:  # until nothing more is known
            before = {name: set(conditions) for name, conditions in self.differs.items()}
            for statement in statements:
                self.follow(statement)
            if before == self.differs:
                return True

    def follow(self, statement):
        if isinstance(statement, (ast.Assign, ast.AugAssign)):
            conditions = self.of(statement.value)
            if conditions is None:
                return
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                if not isinstance(target, ast.Name):
                    raise Escapes
                self.add(target.id, conditions)
            return
        own = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and name_of(call) in ("store", "atomic_add", "atomic_max", "atomic_min"):
            found = [c for c in map(self.of, call.args) if c is not None]
            if found and not set().union(*found) <= self.mask_of(call):
                raise Escapes
        elif any(self.of(expression) is not None for expression in own if isinstance(expression, ast.expr)):
            raise Escapes  # a condition, a bound, a return

    def add(self, name, conditions):
        # A variable with another value, too, such as an accumulator, carries lanes from one turn of a loop to the next:
        # the conditions must then be the same in all of them.
        if len(assigned(self.kernel, name)) > 1 and any(self.varies(text) for text, _ in conditions):
            raise Escapes
        self.differs.setdefault(name, set()).update(conditions)

    def varies(self, text):
        """Whether a name in the condition is set within a loop."""
        names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
        loops = [n for n in ast.walk(self.kernel) if isinstance(n, (ast.For, ast.While))]
        return any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in names
                   for loop in loops for n in ast.walk(loop))

    # -- expressions ---------------------------------------------------------------------------------------------
    def of(self, node):
        """The conditions of an expression; None where it is what it was everywhere."""
        return self.of_any(node) or None

    def of_any(self, node):
        if node is self.load:
            return self.mask_of(node)
        if isinstance(node, ast.Name):
            return self.differs.get(node.id)
        if isinstance(node, ast.Call):
            return self.of_call(node)
        if isinstance(node, ast.Subscript):
            inner = self.of(node.value)
            return None if inner is None else {(text, axis or axis_of(node.slice)) for text, axis in inner}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            return self.product(node.left, node.right)
        if isinstance(node, (ast.BinOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.BoolOp, ast.Tuple)):
            return self.all_of(ast.iter_child_nodes(node))
        if any(n is self.load or (isinstance(n, ast.Name) and n.id in self.differs) for n in ast.walk(node)):
            raise Escapes
        return None

    def all_of(self, nodes):
        found = [c for c in map(self.of, (n for n in nodes if isinstance(n, ast.expr))) if c is not None]
        return set().union(*found) if found else None

    def product(self, left, right):
        a, b = self.of(left), self.of(right)
        parts = [a - self.zeros(right) if a is not None else None, b - self.zeros(left) if b is not None else None]
        found = [c for c in parts if c is not None]
        return set().union(*found) if found else None

    def of_call(self, call):
        name, receiver = name_of(call), call.func.value if isinstance(call.func, ast.Attribute) else None
        inputs = [*([receiver] if name == "to" else []), *call.args]
        if name == "load":
            conditions = self.all_of(call.args)  # the address; where it differs nothing is loaded
            if conditions is not None and not conditions <= self.mask_of(call):
                raise Escapes
            return None
        if name == "dot" and len(inputs) >= 2:
            return self.dot(*inputs)
        if name in REDUCTIONS:
            return self.total(call)
        if name == "where" and len(inputs) == 3:
            return self.chosen(*inputs)
        conditions = self.all_of(inputs)
        if conditions is not None and name not in LANEWISE and not self.is_lanewise(call.func):
            raise Escapes
        return conditions

    def is_lanewise(self, function):
        """Whether a helper of the same module works lane by lane."""
        helper = self.helpers.get(function.id) if isinstance(function, ast.Name) else None
        allowed = LANEWISE | {"where", "static_range", "full", "zeros", "is_floating"}
        return helper is not None and all(
            name_of(n) in allowed or (isinstance(n.func, ast.Name) and (n.func.id in ("len", "range", "float", "int")
                                                                       or self.is_lanewise(n.func)))
            for statement in helper.body for n in ast.walk(statement) if isinstance(n, ast.Call))

    def chosen(self, condition, then, otherwise):
        a, b, c = self.of(condition), self.of(then), self.of(otherwise)
        a_then = b - set(self.conditions(condition)) if b is not None and a is None else b
        found = [x for x in (a, a_then, c) if x is not None]
        return set().union(*found) if found else None

    def dot(self, left, right, acc=None):
        """Rows of the left operand and columns of the right one stay apart; what differs along the sum must be times 0."""
        a, b, c = self.of(left), self.of(right), self.of(acc) if acc is not None else None
        if a is not None:
            a = {(text, axis) for text, axis in a if (text, flipped(axis)) not in self.zeros(right)}
        if b is not None:
            b = {(text, axis) for text, axis in b if (text, flipped(axis)) not in self.zeros(left)}
        if any(axis != "0" for _, axis in a or ()) or any(axis != "1" for _, axis in b or ()):
            raise Escapes
        found = [x for x in (a, b, c) if x is not None]
        return set().union(*found) if found else None

    def total(self, call):
        """A reduction over one axis: conditions of the other one stay."""
        conditions = self.of(call.args[0])
        if conditions is None:
            return None
        if any(k.arg == "keep_dims" for k in call.keywords):
            raise Escapes
        summed = [ast.unparse(a) for a in call.args[1:]] + [ast.unparse(k.value) for k in call.keywords if k.arg == "axis"]
        if any(axis not in ("0", "1") or [axis] == summed[:1] for _, axis in conditions):
            raise Escapes
        return {(text, "") for text, _ in conditions}

    # -- masks ---------------------------------------------------------------------------------------------------
    def mask_of(self, call):
        mask = next((k.value for k in call.keywords if k.arg == "mask"), None)
        return set() if mask is None else set(self.conditions(mask))

    def conditions(self, mask, axis=""):
        """The conditions whose conjunction a mask is."""
        if isinstance(mask, ast.Subscript):
            return self.conditions(mask.value, axis or axis_of(mask.slice))
        if isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.BitAnd):
            return self.conditions(mask.left, axis) + self.conditions(mask.right, axis)
        if isinstance(mask, ast.Name):
            values = assigned(self.kernel, mask.id)
            if len(values) == 1 and values[0] is not None:
                return self.conditions(values[0], axis)
        return [] if is_of_every_lane(self.kernel, mask) else [(ast.unparse(mask), axis)]

    def zeros(self, node):
        """Conditions where an operand is known to be zero when they are false: those of a masked load with other=0."""
        if isinstance(node, ast.Subscript):
            return {(text, axis or axis_of(node.slice)) for text, axis in self.zeros(node.value)}
        if isinstance(node, ast.UnaryOp):
            return self.zeros(node.operand)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            return self.zeros(node.left) | self.zeros(node.right)
        if isinstance(node, ast.Name):
            values = assigned(self.kernel, node.id)
            return self.zeros(values[0]) if len(values) == 1 and values[0] is not None else set()
        if isinstance(node, ast.Call) and name_of(node) == "to":
            return self.zeros(node.func.value)
        is_zero = isinstance(node, ast.Call) and node is not self.load and name_of(node) == "load" and any(
            k.arg == "other" and ast.unparse(k.value) in ("0", "0.0") for k in node.keywords)
        return self.mask_of(node) if is_zero else set()


def name_of(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def axis_of(index):
    return {"(:, None)": "0", ":, None": "0", "(None, :)": "1", "None, :": "1"}.get(ast.unparse(index), "")


def flipped(axis):
    """The summed dimension is the last of the left operand and the first of the right one."""
    return {"0": "1", "1": "0"}.get(axis, axis)


def assigned(function, name):
    """The values that the function assigns to a variable; a parameter, an update or a loop counts as None."""
    values = [None for a in ast.walk(function.args) if isinstance(a, ast.arg) and a.arg == name]
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(isinstance(n, ast.Name) and n.id == name
                                                for t in node.targets for n in ast.walk(t)):
            values.append(node.value if isinstance(node.targets[0], ast.Name) else None)
        if isinstance(node, (ast.AugAssign, ast.For)) and isinstance(node.target, ast.Name) and node.target.id == name:
            values.append(None)
    return values


# -- casts -----------------------------------------------------------------------------------------------------------
def is_widened_anyway(kernel, cast):
    """Whether a variable that is cast as it is loaded meets the wider type in everything that is done with it: an
    operation on two types is done in the wider one."""
    if len(cast.args) != 1:
        return False
    kind, uses, met = ast.unparse(cast.args[0]), 0, 0
    if any(one is cast and has_type(kernel, other, kind, frozenset()) for n in ast.walk(kernel) for one, other in meetings(n)):
        return True
    names = [n.targets[0].id for n in ast.walk(kernel)
             if isinstance(n, ast.Assign) and n.value is cast and isinstance(n.targets[0], ast.Name)]
    if len(names) != 1 or len(assigned(kernel, names[0])) != 1:
        return False
    for node in ast.walk(kernel):
        uses += isinstance(node, ast.Name) and node.id == names[0] and isinstance(node.ctx, ast.Load)
        for one, other in meetings(node):
            met += isinstance(one, ast.Name) and one.id == names[0] and has_type(kernel, other, kind, {names[0]})
    return uses > 0 and met == uses


def meetings(node):
    """Pairs of operands that an operation brings to one type."""
    pairs = []
    if isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.LShift, ast.RShift)):
        pairs = [(node.left, node.right)]
    elif isinstance(node, ast.AugAssign):
        pairs = [(node.target, node.value)]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        pairs = [(node.left, node.comparators[0])]
    elif isinstance(node, ast.Call) and name_of(node) in ("maximum", "minimum") and len(node.args) == 2:
        pairs = [tuple(node.args)]
    elif isinstance(node, ast.Call) and name_of(node) == "where" and len(node.args) == 3:
        pairs = [tuple(node.args[1:])]
    return pairs + [(b, a) for a, b in pairs]


def has_type(kernel, node, kind, but):
    """Whether an expression surely has the type `kind` without the help of the variables in `but`."""
    if isinstance(node, ast.Name):
        # An update keeps the type: it is done in the wider of two.
        updates = sum(isinstance(n, ast.AugAssign) and ast.unparse(n.target) == node.id for n in ast.walk(kernel))
        values = assigned(kernel, node.id)
        known = [v for v in values if v is not None]
        return node.id not in but and bool(known) and len(values) - len(known) == updates and all(
            has_type(kernel, v, kind, but | {node.id}) for v in known)
    if isinstance(node, ast.BinOp):
        return has_type(kernel, node.left, kind, but) or has_type(kernel, node.right, kind, but)
    if not isinstance(node, ast.Call) or not node.args:
        return False
    if name_of(node) in ("full", "zeros"):
        return ast.unparse(node.args[-1]) == kind
    return name_of(node) == "to" and ast.unparse(node.args[0]) == kind


# -- tensors that host code has just made ----------------------------------------------------------------------------
def is_fresh(function, call):
    """Whether .contiguous() or .stride(-1) is asked of a tensor that the function itself allocated, contiguous."""
    tensor = call.func.value
    if call.func.attr == "stride" and ast.unparse(call.args[0]) != "-1":
        return False
    if not isinstance(tensor, ast.Name):
        return False
    values = assigned(function, tensor.id)
    return bool(values) and all(isinstance(v, ast.Call) and ast.unparse(v.func) in FRESH for v in values)
