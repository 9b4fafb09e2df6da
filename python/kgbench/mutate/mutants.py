# SPDX-License-Identifier: Apache-2.0
"""Makes mutants: each differs from the source in one place, in one way that people get wrong."""
import ast
import copy
import dataclasses
import hashlib
import random

from . import rules
from .inert import is_inert

KINDS = tuple(rules.RULES)


@dataclasses.dataclass
class Mutant:
    """One faulty version. `id` names kind and changed text, not a line, so that it survives edits elsewhere."""
    id: str
    kind: str
    line: int      # of the original
    before: str    # the changed expression or statement
    after: str
    source: str


def mutants_of(source, count=None, seed=0):
    """At most `count` mutants (all when None), drawn evenly over the kinds with `seed`.

    Raises SyntaxError when `source` is no Python.
    """
    tree = ast.parse(source)
    scene, uses = rules.Scene(tree), {}
    found = {kind: [] for kind in KINDS}
    for kind, rule in rules.RULES.items():
        for node, new in rule(scene):
            if is_inert(scene, kind, node, new):
                continue
            mutant = outlined(kind, node, new)
            uses[mutant.id] = uses.get(mutant.id, 0) + 1
            if uses[mutant.id] > 1:
                mutant.id += f"#{uses[mutant.id]}"
            found[kind].append((mutant, node, new))
    return drawn(tree, found, count, random.Random(seed))


def outlined(kind, node, new):
    """A mutant without its source: a node to replace and what stands there instead (None: nothing)."""
    before, after = ast.unparse(node), "" if new is None else ast.unparse(new)
    digest = hashlib.sha256(f"{before} -> {after}".encode()).hexdigest()[:8]
    return Mutant(f"{kind}:{digest}", kind, node.lineno, before, after, "")


def applied(tree, node, new):
    """The text of the module with `new` in the place of `node`."""
    copied = copy.deepcopy(tree)
    places = {id(old): made for old, made in zip(ast.walk(tree), ast.walk(copied))}
    replaced = Replace(places[id(node)], new).visit(copied)
    return ast.unparse(ast.fix_missing_locations(replaced)) + "\n"


class Replace(ast.NodeTransformer):
    """Puts `new` in the place of the one node `old`; a statement that is taken away leaves `pass`."""

    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        if node is not self.old:
            return self.generic_visit(node)
        if self.new is None:
            return ast.Pass()
        return self.new


def drawn(tree, found, count, random_):
    """One of each kind in turn until there are `count`, each text once; then in the order of the source."""
    for rows in found.values():
        random_.shuffle(rows)
    chosen, seen = [], {ast.unparse(tree) + "\n"}
    while any(found.values()) and (count is None or len(chosen) < count):
        for rows in found.values():
            while rows and (count is None or len(chosen) < count):
                mutant, node, new = rows.pop()
                mutant.source = applied(tree, node, new)
                if mutant.source not in seen:
                    seen.add(mutant.source)
                    chosen.append(mutant)
                    break
    return sorted(chosen, key=lambda m: (m.line, m.kind, m.id))
