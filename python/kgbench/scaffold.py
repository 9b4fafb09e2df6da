# SPDX-License-Identifier: Apache-2.0
"""python -m kgbench.scaffold FILE: the entries of a reference as JSON, each with the schema that its signature amounts to.

Annotations give the types; where there are none, a default does, and an argument without either is a tensor.
"""
import ast
import json
import sys

NAMES = {"Tensor": "Tensor", "int": "int", "float": "float", "bool": "bool", "str": "str", "complex": "complex",
         "dtype": "ScalarType", "Generator": "Generator"}
LISTS = {"Tensor": "Tensor[]", "int": "int[]"}


class Unclear(Exception):
    """A signature that no schema can be made of; `line` is where it stands."""

    def __init__(self, line, text):
        super().__init__(text)
        self.line = line


def entries(source):
    """[{"name", "schema"}] of every function of the module whose name does not begin with an underscore."""
    functions = [node for node in ast.parse(source).body
                 if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return [{"name": f.name, "schema": f"({', '.join(arguments(f))}) -> {returned(f)}"} for f in functions]


def arguments(function):
    """The parameters of a schema in order, with `*` before those that are passed by name."""
    args = function.args
    if args.vararg or args.kwarg:
        raise Unclear(function.lineno, f"{function.name} takes *args or **kwargs; name every argument")
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
    written = written_arguments(function)
    letters = iter("abcdefghijklmnopqrstuvwxyz")

    def text(arg, default):
        kind = kind_of(arg, default)
        if arg.arg in written:
            kind = kind.replace("Tensor", f"Tensor({next(letters)}!)", 1)
        return f"{kind} {arg.arg}" + ("" if default is None else f"={literal(default)}")

    found = [text(a, d) for a, d in zip(plain, defaults)]
    # The oracle gives `dtypes` to references that ask for them; candidates have no such argument.
    named = [text(a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults) if a.arg != "dtypes"]
    return found + (["*", *named] if named else [])


def kind_of(arg, default):
    """The schema's type of one argument."""
    if arg.annotation is not None:
        return annotated(arg.annotation)
    value = default.value if isinstance(default, ast.Constant) else default
    if default is None:
        return "Tensor"
    if value is None:
        return "Tensor?"
    for kind in (bool, int, float, str, complex):
        if isinstance(value, kind):
            return kind.__name__
    if isinstance(value, (ast.List, ast.Tuple)):
        return "int[]"
    if isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant):
        return type(value.operand.value).__name__
    raise Unclear(arg.lineno, f"the default of {arg.arg} tells no type; annotate the argument")


def annotated(node):
    """The schema's type of an annotation: torch.Tensor, int | None, list[torch.Tensor], Optional[float] ..."""
    text = ast.unparse(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and ast.unparse(node.right) == "None":
        return annotated(node.left) + "?"
    if isinstance(node, ast.Subscript):
        outer = ast.unparse(node.value).rpartition(".")[2]
        inner = ast.unparse(node.slice).rpartition(".")[2]
        if outer == "Optional":
            return annotated(node.slice) + "?"
        if outer in ("list", "List", "Sequence") and inner in LISTS:
            return LISTS[inner]
    kind = NAMES.get(text.rpartition(".")[2])
    if kind is None:
        raise Unclear(node.lineno, f"the annotation {text} is no type of a schema; use torch.Tensor, int, float, bool, "
                      "str, complex, torch.dtype, list[torch.Tensor], list[int], each also with | None")
    return kind


def literal(node):
    text = ast.unparse(node)
    return "[" + text[1:-1].rstrip(",") + "]" if isinstance(node, ast.Tuple) else text


def returns_of(function):
    """The values of the function's own return statements."""
    nested = {id(n) for inner in ast.walk(function) if inner is not function
              and isinstance(inner, (ast.FunctionDef, ast.Lambda)) for n in ast.walk(inner)}
    return [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None and id(n) not in nested]


def written_arguments(function):
    """Arguments that the reference gives values for by name: it returns a dict of them."""
    return {key.value for value in returns_of(function) if isinstance(value, ast.Dict)
            for key in value.keys if isinstance(key, ast.Constant)}


def returned(function):
    """The schema's return type."""
    values = returns_of(function)
    if values and all(isinstance(v, ast.Dict) for v in values):
        return "()"
    node = function.returns
    if node is not None:
        parts = node.slice.elts if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) else [node]
        kinds = [annotated(part) for part in parts]
        if set(kinds) - {"Tensor", "Tensor[]"}:
            raise Unclear(function.lineno, f"{function.name} returns {ast.unparse(node)}; an operator returns tensors")
    else:
        last = values[-1] if values else None
        kinds = ["Tensor"] * (len(last.elts) if isinstance(last, ast.Tuple) else 1)
    return kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"


def main(argv):
    path = argv[1]
    try:
        with open(path, encoding="utf-8") as file:
            found = entries(file.read())
    except Unclear as unclear:
        sys.exit(f"{path}:{unclear.line}: {unclear}")
    except SyntaxError as error:
        sys.exit(f"{path}:{error.lineno}: {error.msg}")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"cannot read {path}: {error}")
    if not found:
        sys.exit(f"{path} defines no function; a reference has one for each entry of the operator")
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv)
