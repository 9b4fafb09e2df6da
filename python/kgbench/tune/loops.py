# SPDX-License-Identifier: Apache-2.0
"""How a kernel's loops run (stages, unrolling, from the end) and how its accesses treat the caches."""
import ast

from .source import calls_in

STAGES, UNROLLS = [2, 3, 4], [2, 4]
LOADS = {"evict first": ("eviction_policy", '"evict_first"'), "evict last": ("eviction_policy", '"evict_last"'),
         "cg": ("cache_modifier", '".cg"')}
STORES = {"cs": ("cache_modifier", '".cs"'), "cg": ("cache_modifier", '".cg"'),
          "evict first": ("eviction_policy", '"evict_first"')}


def loops_of(source, kernel):
    """Loops over a range that load, by themselves or in a function that they call."""
    loading = {f.name for f in source.scene.kernels if calls_in(f, "load")}
    found = [n for n in ast.walk(kernel) if isinstance(n, ast.For) and isinstance(n.iter, ast.Call)
             and ast.unparse(n.iter.func) in ("range", "tl.range") and isinstance(n.target, ast.Name)
             and n.iter.args and (calls_in(n, "load") or loading & {getattr(c.func, "id", None) for c in ast.walk(n)
                                                                    if isinstance(c, ast.Call)})]
    return sorted(found, key=lambda n: n.lineno)


def pipeline_axis(source, loop):
    """(seed, {value: edits}): loads ahead of their use, or several turns at a time."""
    if any(k.arg in ("num_stages", "loop_unroll_factor") for k in loop.iter.keywords) or calls_in(loop, "dot", "dot_scaled"):
        return None  # products are pipelined by the launch's own num_stages
    name = [] if ast.unparse(loop.iter.func) == "tl.range" else [source.replace(loop.iter.func, "tl.range")]
    choices = {f"{n} stages": [*name, source.add_argument(loop.iter, f"num_stages={n}")] for n in STAGES}
    if not calls_in(loop, "range", "static_range") and sum(isinstance(n, ast.For) for n in ast.walk(loop)) == 1:
        choices.update({f"unrolled by {n}": [*name, source.add_argument(loop.iter, f"loop_unroll_factor={n}")]
                        for n in UNROLLS})
    return "as written", choices


def reversed_axis(source, kernel, loop):
    """(seed, {value: edits}): from the last turn to the first, so that what the loop before left in the cache is met
    first. Only where no turn needs what another has computed, and no loop stands around it."""
    around = [n for n in ast.walk(kernel) if isinstance(n, (ast.For, ast.While)) and n is not loop and loop in ast.walk(n)]
    atomics = [n for n in ast.walk(loop) if isinstance(n, ast.Attribute) and n.attr.startswith("atomic_")]
    if around or atomics or not calls_in(loop, "store") or carries(kernel, loop) or loop.iter.keywords:
        return None
    bounds = [source.text(a) for a in loop.iter.args]
    first, end, step = [*bounds, "1"] if len(bounds) == 2 else ["0", *bounds, "1"] if len(bounds) == 1 else bounds
    name = loop.target.id
    line = (f"{source.indent(loop.body[0])}{name} = ({first}) + ((({end}) - ({first}) - 1) // ({step})) * ({step}) - "
            f"(turn_{name} - ({first}))\n")
    edits = [source.replace(loop.target, f"turn_{name}"), source.insert(source.line_start(loop.body[0]), line)]
    inline = loop.body[0].lineno == loop.lineno
    return None if inline else ("as written", {"from the end": edits})


def carries(kernel, loop):
    """Whether a turn leaves anything in a variable that a later turn, or the rest of the kernel, reads."""
    bound = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound.discard(loop.target.id)
    if any(isinstance(n, (ast.AugAssign, ast.While)) for n in ast.walk(loop)):
        return True
    inside = [n for s in loop.body for n in evaluated(s)]
    after = [n for s in kernel.body for n in evaluated(s) if n.lineno > loop.end_lineno]
    return any(first_is_read(inside, name) or first_is_read(after, name) for name in bound | {loop.target.id}
               if name in bound or first_is_read(after, name))


def evaluated(statement):
    """Names in the order in which they are met: the value of an assignment before its targets."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        parts = [statement.value, *targets] if statement.value is not None else targets
        return [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)]
    names = []
    for child in ast.iter_child_nodes(statement):
        names += evaluated(child)
    return names + ([statement] if isinstance(statement, ast.Name) else [])


def first_is_read(names, name):
    first = next((n for n in names if n.id == name), None)
    return first is not None and isinstance(first.ctx, ast.Load)


def cache_axis(source, accesses, choices):
    """(seed, {value: edits}) of loads or stores that are treated alike; None: one of them already says how."""
    if not accesses or any(k.arg in ("eviction_policy", "cache_modifier") for c in accesses for k in c.keywords):
        return None
    return "as written", {label: [source.add_argument(call, f"{name}={value}") for call in accesses]
                          for label, (name, value) in choices.items()}
