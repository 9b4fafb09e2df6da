# SPDX-License-Identifier: Apache-2.0
"""Masks that are true throughout where a size divides by the block: told to the compiler, they cost nothing.

`index < n` becomes `(index < n) | EVEN`, and every launch says whether n divides by the block. Only where the text shows
that no index of a launch then lies beyond n: a grid of cdiv(n, BLOCK) programs, a loop from 0 to n in steps of BLOCK, or
lanes alone, of which there are no more than n.
"""
import ast
import dataclasses

from .launches import axis_of
from .source import constexprs, is_int


@dataclasses.dataclass
class Mask:
    """A comparison of an index with a size that every block of a dividing size meets."""
    compare: ast.Compare
    size: str
    block: str
    walk: str             # "grid", "loop" or "lanes"
    axis: int | None = None  # of the grid


def even_axes(source, kernel):
    """[(size, seed, {value: edits})]: one for each size that masks compare with."""
    launches = [launch for launch in source.launches if launch.kernel is kernel]
    groups = {}
    for mask in masks_of(source, kernel):
        if all(fits(launch, mask) for launch in launches):
            groups.setdefault((mask.size, mask.block, mask.walk == "lanes"), []).append(mask)
    plain = not (kernel.args.vararg or kernel.args.kwarg or kernel.args.kwonlyargs or kernel.args.defaults)
    if not plain or kernel.name in source.autotuned | source.shared:
        return []
    return [(size, "masked", {"unmasked where even": edits_of(source, kernel, launches, *key, masks)})
            for key, masks in groups.items() for size in key[:1]]


def edits_of(source, kernel, launches, size, block, lanes, masks):
    name, test = (f"FULL_{size.upper()}_{block}", "({}) >= ({})") if lanes else (f"EVEN_{size.upper()}_{block}", "({}) % ({}) == 0")
    edits = [source.add_parameter(kernel, f"{name}: tl.constexpr")]
    for mask in masks:
        edits += [source.insert(source.start(mask.compare), "(("), source.insert(source.end(mask.compare), f") | {name})")]
    for launch in launches:
        divides = test.format(source.text(launch.arguments[size]), source.text(launch.arguments[block]))
        edits.append(source.add_argument(launch.call, f"{name}={divides}"))
    return edits


def masks_of(source, kernel):
    parameters = {a.arg for a in kernel.args.args} - assigned_in(kernel)
    lanes = single_values(kernel)
    for node in ast.walk(kernel):
        if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Lt)):
            continue
        size = node.comparators[0]
        if not isinstance(size, ast.Name) or size.id not in parameters:
            continue
        found = start_and_block(node.left, lanes)
        if found is None or found[1] not in constexprs(kernel):
            continue
        start, block = found
        axis = program_axis(start, block, lanes) if start is not None else None
        if start is None:
            yield Mask(node, size.id, block, "lanes")
        elif axis is not None:
            yield Mask(node, size.id, block, "grid", axis)
        elif isinstance(start, ast.Name) and is_loop_over(kernel, node, start.id, size.id, block):
            yield Mask(node, size.id, block, "loop")


def assigned_in(function):
    return {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def single_values(function):
    """Variables that are assigned once."""
    values = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
    stores = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return {name: v[0] for name, v in values.items() if len(v) == 1 and stores.count(name) == 1}


def bare(node, values):
    """An index without the casts, views and names around it."""
    while True:
        if isinstance(node, ast.Name) and node.id in values:
            node = values[node.id]
        elif isinstance(node, ast.Subscript) and "None" in ast.unparse(node.slice):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            node = node.func.value
        else:
            return node


def start_and_block(index, values):
    """(start, BLOCK) of start + tl.arange(0, BLOCK); without a start it is None."""
    total = bare(index, values)
    if block := block_of_lanes(total):
        return None, block
    if not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
        return None
    block = block_of_lanes(bare(total.right, values))
    return (total.left, block) if block else None


def block_of_lanes(node):
    """BLOCK of tl.arange(0, BLOCK)."""
    is_lane = (isinstance(node, ast.Call) and ast.unparse(node.func) == "tl.arange" and len(node.args) == 2
               and is_int(node.args[0], 0) and isinstance(node.args[1], ast.Name))
    return node.args[1].id if is_lane else None


def program_axis(start, block, values):
    """The grid's axis of tl.program_id(axis) * BLOCK."""
    product = bare(start, values)
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
        return None
    for program, size in ((product.left, product.right), (product.right, product.left)):
        program = bare(program, values)
        if isinstance(size, ast.Name) and size.id == block and isinstance(program, ast.Call) \
                and ast.unparse(program.func) == "tl.program_id" and is_int(axis_of(program)):
            return axis_of(program).value
    return None


def is_loop_over(kernel, compare, name, size, block):
    """Whether the comparison stands in a loop of `name` over range(0, size, BLOCK), the only one of that name around it."""
    around = [n for n in ast.walk(kernel) if isinstance(n, ast.For) and isinstance(n.target, ast.Name)
              and n.target.id == name and any(c is compare for c in ast.walk(n))]
    rebound = [n for loop in around for s in loop.body for n in ast.walk(s)
               if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)]
    if len(around) != 1 or rebound or ast.unparse(around[0].iter.func) not in ("range", "tl.range"):
        return False
    bounds = around[0].iter.args
    return len(bounds) == 3 and is_int(bounds[0], 0) and [ast.unparse(b) for b in bounds[1:]] == [size, block]


def fits(launch, mask):
    """Whether the launch's arguments are known and its grid has cdiv(size, block) programs along the mask's axis."""
    size, block = launch.arguments.get(mask.size), launch.arguments.get(mask.block)
    if size is None or block is None:
        return False
    if mask.walk != "grid":
        return True
    grid = launch.grid
    if not isinstance(grid, ast.Tuple) or len(grid.elts) <= mask.axis:
        return False
    count = grid.elts[mask.axis]
    return (isinstance(count, ast.Call) and ast.unparse(count.func).endswith("cdiv")
            and [ast.unparse(a) for a in count.args] == [ast.unparse(size), ast.unparse(block)])

