# SPDX-License-Identifier: Apache-2.0
"""The space of a source: axes, each with the seed's value and others, and the text of any point in it."""
import dataclasses

from .launches import STAGES, WARPS, has_products_in_loops, keyword_axis, order_axis
from .loops import LOADS, STORES, cache_axis, loops_of, pipeline_axis, reversed_axis
from .masks import even_axes
from .sizes import Sizes, ladder
from .source import Source, Unreadable, applied, calls_in

LOADS_APIECE = 4  # of a kernel: more say little


@dataclasses.dataclass
class Axis:
    id: str          # "size:launch.block": stays the same while the text around it changes
    kind: str        # size, warps, stages, loop, turns, order, even, cache
    line: int
    what: str        # for people
    seed: str        # the value of the text as it is
    values: list     # of texts, the seed's among them; where `ordered`, from small to large
    ordered: bool
    edits: dict = dataclasses.field(repr=False, default_factory=dict)  # value -> edits; the seed's has none


def space_of(text):
    """The axes of a source, those first that matter most. Raises Unreadable."""
    source = Source(text)
    return axes_of(source)


def rewritten(text, point):
    """The text with the values that `point` names, {axis id: value}; everything else byte for byte as it was."""
    source = Source(text)
    axes = axes_of(source)
    for name, value in point.items():
        if not any(axis.id == name and value in axis.values for axis in axes):
            raise Unreadable(f"its space has no {name} = {value}")
    chosen = [axis.edits.get(point[axis.id], []) for axis in axes if axis.id in point]
    changed = applied(source, [edit for edits in chosen for edit in edits])
    Source(changed)  # still Python
    return changed


def axes_of(source):
    axes = [*sizes(source)]
    for kernel in source.entries:
        axes += launch_axes(source, kernel)
        axes += kernel_axes(source, kernel)
    for kernel in source.scene.kernels:
        axes += cache_axes(source, kernel)
    rank = ["size", "warps", "stages", "loop", "even", "order", "turns", "cache"]
    axes.sort(key=lambda axis: rank.index(axis.kind))  # stable: in the order of the text within a kind
    used = {}
    for axis in axes:
        used[axis.id] = used.get(axis.id, 0) + 1
        if used[axis.id] > 1:
            axis.id += f"#{used[axis.id]}"
    return axes


def sizes(source):
    for owner, name, nodes in Sizes(source).found():
        seed = nodes[0].value
        values = ladder(seed)
        edits = {str(v): [source.replace(n, str(v)) for n in nodes] for v in values if v != seed}
        yield Axis(f"size:{owner}.{name}", "size", nodes[0].lineno, f"{name} of {owner}", str(seed),
                   [str(v) for v in values], True, edits)


def launch_axes(source, kernel):
    if warps := keyword_axis(source, kernel, "num_warps", WARPS):
        yield numbers(f"warps:{kernel.name}", "warps", kernel, "num_warps", *warps)
    if has_products_in_loops(kernel) and (stages := keyword_axis(source, kernel, "num_stages", STAGES)):
        yield numbers(f"stages:{kernel.name}", "stages", kernel, "num_stages", *stages)
    if order := order_axis(source, kernel):
        yield choice(f"order:{kernel.name}", "order", kernel, "order of programs", *order)


def kernel_axes(source, kernel):
    for loop in loops_of(source, kernel):
        name = f"{kernel.name}.{loop.target.id}"
        if pipeline := pipeline_axis(source, loop):
            yield choice(f"loop:{name}", "loop", loop, f"loop over {loop.target.id}", *pipeline)
        if turns := reversed_axis(source, kernel, loop):
            yield choice(f"turns:{name}", "turns", loop, f"turns of the loop over {loop.target.id}", *turns)
    for size, seed, edits in even_axes(source, kernel):
        yield choice(f"even:{kernel.name}.{size}", "even", kernel, f"masks by {size}", seed, edits)


def cache_axes(source, kernel):
    for load in calls_in(kernel, "load")[:LOADS_APIECE]:
        if cache := cache_axis(source, [load], LOADS):
            yield choice(f"cache:{kernel.name}.load", "cache", load, "cache of a load", *cache)
    if cache := cache_axis(source, calls_in(kernel, "store"), STORES):
        yield choice(f"cache:{kernel.name}.stores", "cache", kernel, "cache of the stores", *cache)


def numbers(name, kind, node, what, seed, edits):
    values = sorted({seed, *edits})
    return Axis(name, kind, node.lineno, f"{what} of {node.name}", str(seed), [str(v) for v in values], True,
                {str(v): e for v, e in edits.items()})


def choice(name, kind, node, what, seed, edits):
    return Axis(name, kind, node.lineno, what, seed, [seed, *edits], False, edits)


__all__ = ["Axis", "Unreadable", "rewritten", "space_of"]
