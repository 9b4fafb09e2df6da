# SPDX-License-Identifier: Apache-2.0
"""Block sizes: powers of two in host code that reach a launch's constexpr parameters or its grid."""
import ast
import re

from .source import constexprs, is_int

# Parameters whose small numbers are sizes too, not flags and modes.
SIZE = re.compile(r"BLOCK|TILE|ROWS|COLS|TOKENS|INNER|CHUNK|GROUP|SPLIT|^B[MNK]$")
SMALLEST, LARGEST = 16, 32768
REACH = 3  # doublings either way


def is_power(value, least):
    return value >= least and value & (value - 1) == 0


def ladder(value):
    """Powers of two around a size, in order, the size itself among them."""
    floor = 1 if value < SMALLEST else SMALLEST
    sizes = [value << k if k >= 0 else value >> -k for k in range(-REACH, REACH + 1)]
    return [size for size in sizes if floor <= size <= LARGEST]


class Sizes:
    """The sizes of a source: (owner, name, literals) each; literals that must stay equal go together."""

    def __init__(self, source):
        self._source = source
        self._module = {t.id: n.value for n in source.tree.body if isinstance(n, ast.Assign)
                        for t in n.targets if isinstance(t, ast.Name)}
        self._taken = set()

    def found(self):
        groups = list(self._direct()) + list(self._assigned())
        return sorted(groups, key=lambda g: (g[2][0].lineno, g[2][0].col_offset))

    def _direct(self):
        """Literals that a launch gives a kernel: equal ones of a kernel are one size, with those of its grids."""
        groups = {}
        for launch in self._source.launches:
            for name in sorted(constexprs(launch.kernel) & set(launch.arguments)):
                node = launch.arguments[name]
                if is_int(node) and is_power(node.value, 1 if SIZE.search(name) else SMALLEST):
                    key = (launch.kernel.name, node.value)
                    label, nodes = groups.setdefault(key, ([], []))
                    label.append(name)
                    nodes += [node, *size_places(launch.function, node.value)]
        for (kernel, _), (labels, nodes) in groups.items():
            fresh = self._take(nodes)
            if fresh:
                yield kernel, "+".join(dict.fromkeys(labels)), fresh

    def _assigned(self):
        """Literals behind the names that a launch uses as sizes or in its grid."""
        for function in dict.fromkeys(launch.function for launch in self._source.launches):
            for name, node in self._behind(function):
                fresh = self._take([node])
                if fresh:
                    yield function.name, name, fresh

    def _take(self, nodes):
        fresh = [n for n in dict.fromkeys(nodes) if n not in self._taken]
        self._taken.update(fresh)
        return fresh

    def _behind(self, function):
        """(variable, literal) in the backward slice of sizes and grids, nearest first."""
        wanted = []
        for launch in self._source.launches:
            if launch.function is function:
                sizes = [launch.arguments[n] for n in constexprs(launch.kernel) & set(launch.arguments)]
                wanted += [n for root in [*sizes, launch.grid] for n in names_in(root)]
                for root in sizes:
                    yield from (("size", n) for n in chosen_literals(root))
        seen = set()
        while wanted:
            name = wanted.pop(0)
            if name in seen:
                continue
            seen.add(name)
            for value in [*values_of(function, name), *([self._module[name]] if name in self._module else [])]:
                yield from ((name, n) for n in chosen_literals(value))
                wanted += names_in(value)


def names_in(node):
    """Names that are read, but not functions that are called."""
    called = {id(c.func) for c in ast.walk(node) if isinstance(c, ast.Call)}
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called]


def values_of(function, name):
    """What is assigned to a variable, pair by pair where tuples are."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
            if isinstance(target, ast.Tuple):
                at = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Name) and t.id == name]
                whole = isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts)
                yield from (node.value.elts[i] for i in at if whole)


def chosen_literals(value):
    """Literals that somebody chose: the whole value, a branch, a limit; not factors of shapes nor indices."""
    if is_int(value):
        return [value] if is_power(value.value, SMALLEST) else []
    if isinstance(value, ast.IfExp):
        return chosen_literals(value.body) + chosen_literals(value.orelse)
    if isinstance(value, ast.Compare):
        return [n for side in value.comparators for n in chosen_literals(side)]
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.FloorDiv):
        return chosen_literals(value.left)  # 1024 // cols: so many elements, whatever the columns
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return [n for argument in value.args for n in chosen_literals(argument)]  # min, max, a helper of its own
    return []


def size_places(function, value):
    """The literals equal to a size where host code counts in blocks: cdiv(n, v), n // v, n % v, v * m."""
    places = []
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("cdiv") and len(node.args) == 2:
            places.append(node.args[1])
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            places.append(node.right)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            places += [node.left, node.right]
    return [n for n in places if is_int(n, value)]
