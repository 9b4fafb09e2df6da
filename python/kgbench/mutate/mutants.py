# SPDX-License-Identifier: Apache-2.0
"""Makes mutants: each differs from the source in one place, in one way that people get wrong."""
import ast
import copy
import dataclasses
import hashlib
import random

from . import rules

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
    found = {kind: [] for kind in KINDS}
    seen = {ast.unparse(tree)}
    uses = {}
    for kind, rule in rules.RULES.items():
        for change in rule(rules.Scene(tree)):
            mutant = applied(tree, kind, change)
            if mutant.source in seen:
                continue
            seen.add(mutant.source)
            uses[mutant.id] = uses.get(mutant.id, 0) + 1
            if uses[mutant.id] > 1:
                mutant.id += f"#{uses[mutant.id]}"
            found[kind].append(mutant)
    return drawn(found, count, random.Random(seed))


def applied(tree, kind, change):
    """The mutant that `change` makes: a node to replace and what stands there instead (None: nothing)."""
    node, new = change
    before, after = ast.unparse(node), "" if new is None else ast.unparse(new)
    copied = copy.deepcopy(tree)
    places = {id(old): made for old, made in zip(ast.walk(tree), ast.walk(copied))}
    replaced = Replace(places[id(node)], new).visit(copied)
    digest = hashlib.sha256(f"{before} -> {after}".encode()).hexdigest()[:8]
    return Mutant(f"{kind}:{digest}", kind, node.lineno, before, after,
                  ast.unparse(ast.fix_missing_locations(replaced)) + "\n")


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


def drawn(found, count, random_):
    """One of each kind in turn until there are `count`; then in the order of the source."""
    for rows in found.values():
        random_.shuffle(rows)
    chosen, rows = [], [list(r) for r in found.values()]
    while any(rows) and (count is None or len(chosen) < count):
        for row in rows:
            if row and (count is None or len(chosen) < count):
                chosen.append(row.pop())
    return sorted(chosen, key=lambda m: (m.line, m.kind, m.id))
