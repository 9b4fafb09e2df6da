# SPDX-License-Identifier: Apache-2.0
"""What a launch says besides its arguments: warps, stages, and in which order the grid's programs come."""
import ast

from .source import calls_in, is_int

WARPS = [1, 2, 4, 8, 16, 32]
STAGES = [1, 2, 3, 4, 5]
DEFAULT = {"num_warps": 4, "num_stages": 3}
GROUPS = [2, 4, 8, 16]
SWAP = "(lambda x, y, *rest: (y, x, *rest))(*"


def keyword_axis(source, kernel, name, values):
    """(seed, {value: edits}) of a keyword that all launches of a kernel are given alike; None: they differ."""
    launches = [launch for launch in source.launches if launch.kernel is kernel]
    given = {k.value.value if isinstance(k.value, ast.Constant) else None
             for launch in launches for k in launch.call.keywords if k.arg == name} or {DEFAULT[name]}
    if len(given) > 1 or None in given or kernel.name in source.autotuned:
        return None
    [seed] = given
    # An absent keyword leaves the choice to Triton: the seed says nothing, even where that equals a value.
    choices = {value: [source.set_keyword(launch.call, name, str(value)) for launch in launches]
               for value in values if value != seed}
    return seed, choices


def has_products_in_loops(kernel):
    return any(calls_in(loop, "dot", "dot_scaled") for loop in ast.walk(kernel) if isinstance(loop, (ast.For, ast.While)))


def order_axis(source, kernel):
    """(seed, {value: edits}): the first two axes of the grid swapped, or walked in groups; None: it has one."""
    programs = {axis: [c for c in calls_in(kernel, "program_id", "num_programs") if is_int(axis_of(c), axis)]
                for axis in (0, 1)}
    grids = [grid_of(source, launch) for launch in source.launches if launch.kernel is kernel]
    called = [f for f in source.scene.kernels if f is not kernel and calls_in(f, "program_id", "num_programs")]
    unknown = kernel.name in source.shared or any(not is_int(axis_of(c)) for c in calls_in(kernel, "program_id", "num_programs"))
    if not all(programs.values()) or not all(grids) or unknown or any(calls(kernel, f.name) for f in called):
        return None
    swapped = [source.replace(axis_of(c), str(1 - axis)) for axis in (0, 1) for c in programs[axis]]
    choices = {"swapped": swapped + [edit for grid in grids for edit in swapped_grid(source, grid)]}
    if not [c for c in calls_in(kernel, "num_programs") if axis_of(c).value < 2]:
        choices.update({f"groups of {g}": grouped(source, kernel, programs, g) for g in GROUPS})
    return "as written", choices


def axis_of(call):
    """The number in tl.program_id(number)."""
    return call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "axis"), None)


def calls(function, name):
    return any(isinstance(n, ast.Call) and getattr(n.func, "id", None) == name for n in ast.walk(function))


def grid_of(source, launch):
    """(node to wrap, length) of a grid that is a tuple of two or three; None otherwise."""
    grid = value = launch.grid
    if isinstance(grid, ast.Name):
        values = [n.value for n in ast.walk(launch.function) if isinstance(n, ast.Assign)
                  and any(isinstance(t, ast.Name) and t.id == grid.id for t in n.targets)]
        value = values[0] if len(values) == 1 else None
    if isinstance(value, ast.Tuple) and len(value.elts) in (2, 3) and not any(isinstance(e, ast.Starred) for e in value.elts):
        return grid, len(value.elts)
    return None


def swapped_grid(source, grid):
    node, length = grid
    bare = isinstance(node, ast.Tuple) and not source.text(node).startswith("(")
    opening, closing = ("(", ")") if bare else ("", "")
    if length == 2:
        return [source.insert(source.start(node), opening), source.insert(source.end(node), closing + "[::-1]")]
    return [source.insert(source.start(node), SWAP + opening), source.insert(source.end(node), closing + ")")]


def grouped(source, kernel, programs, group):
    """Programs walk `group` steps along the second axis before the next step along the first: their tiles are reused."""
    body = kernel.body[1:] if ast.get_docstring(kernel) is not None else kernel.body
    line = (f"{source.indent(body[0])}tuned_1, tuned_0 = tl.swizzle2d(tl.program_id(1), tl.program_id(0), "
            f"tl.num_programs(1), tl.num_programs(0), {group})\n")
    return [source.insert(source.line_start(body[0]), line),
            *(source.replace(c, f"tuned_{axis}") for axis in (0, 1) for c in programs[axis])]
