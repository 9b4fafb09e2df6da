# SPDX-License-Identifier: Apache-2.0
"""A candidate's text with its tree: which functions are kernels, where they are launched, and edits of the bytes."""
import ast
import dataclasses
import re

from kgbench.mutate.rules import Scene


class Unreadable(Exception):
    """The text cannot be tuned: it is no Python, or a point asks for what its space does not have."""


@dataclasses.dataclass(frozen=True)
class Edit:
    """Bytes [start, end) become `text`; start == end is an insertion."""
    start: int
    end: int
    text: str


@dataclasses.dataclass
class Launch:
    kernel: ast.FunctionDef
    call: ast.Call
    function: ast.FunctionDef  # of host code, that launches
    arguments: dict            # parameter of the kernel -> expression

    @property
    def grid(self):
        return self.call.func.slice


class Source:
    """Offsets count bytes, as the positions of ast do within a line."""

    def __init__(self, text):
        self.bytes = text.encode()
        try:
            self.tree = ast.parse(text)
        except (SyntaxError, ValueError) as error:
            raise Unreadable(f"it does not parse: {error}") from None
        self._lines = [0]
        for line in self.bytes.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self.scene = Scene(self.tree)
        self.kernels = {k.name: k for k in self.scene.kernels}
        self.shared = set()  # kernels that a host function gets as an argument: its launch is that of several
        self.launches = [launch for f in self.scene.host_functions for launch in self._launches_in(f)]
        launched = {launch.kernel.name for launch in self.launches}
        self.entries = [k for k in self.scene.kernels if k.name in launched]  # of those, what is launched
        # Configurations of an autotuner are its own business: what a launch says twice is an error.
        self.autotuned = {k.name for k in self.entries if any("autotune" in ast.unparse(d) for d in k.decorator_list)}

    def start(self, node):
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def text(self, node):
        return self.bytes[self.start(node):self.end(node)].decode()

    def replace(self, node, text):
        return Edit(self.start(node), self.end(node), text)

    def insert(self, at, text):
        return Edit(at, at, text)

    def line_start(self, node):
        return self._lines[node.lineno - 1]

    def indent(self, node):
        return self.bytes[self.line_start(node):self.start(node)].decode()

    def add_argument(self, call, text):
        """One more keyword behind the last argument of a call that has some."""
        last = max(self.end(n) for n in [*call.args, *call.keywords])
        rest = re.sub(rb"#[^\n]*", lambda m: b" " * len(m[0]), self.bytes[last:self.end(call) - 1])
        return self.insert(last + rest.rfind(b")") + 1, f", {text}")  # the last may stand in parentheses of its own

    def set_keyword(self, call, name, text):
        """The keyword with a literal's text; None where the call computes it."""
        for keyword in call.keywords:
            if keyword.arg == name:
                return self.replace(keyword.value, text) if isinstance(keyword.value, ast.Constant) else None
        return self.add_argument(call, f"{name}={text}")

    def add_parameter(self, function, text):
        """One more parameter behind the last of a function that has some, and takes no * or **."""
        last = max(self.end(a) for a in function.args.args)
        last = max([last, *(self.end(d) for d in function.args.defaults)])
        return self.insert(last, f", {text}")

    def _launches_in(self, function):
        for node in ast.walk(function):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Subscript):
                continue
            name = getattr(node.func.value, "id", None)
            kernel = self.kernels.get(name) or self._passed(function, name)
            if kernel is not None and (node.args or node.keywords):
                yield Launch(kernel, node, function, arguments_of(kernel, node))

    def _passed(self, function, name):
        """The first kernel that anybody hands to a host function as its parameter `name`."""
        at = [i for i, a in enumerate(function.args.args) if a.arg == name]
        for node in ast.walk(self.tree) if at else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == function.name and len(node.args) > at[0]:
                kernel = self.kernels.get(getattr(node.args[at[0]], "id", None))
                if kernel is not None:
                    self.shared.add(kernel.name)
                    return kernel
        return None


def arguments_of(kernel, call):
    """By parameter, as far as the text tells: what follows *strides is known by keyword alone."""
    names = [a.arg for a in kernel.args.args]
    found = {}
    for name, argument in zip(names, call.args):
        if isinstance(argument, ast.Starred):
            break
        found[name] = argument
    found.update({k.arg: k.value for k in call.keywords if k.arg in names})
    return found


def constexprs(kernel):
    return {a.arg for a in kernel.args.args if a.annotation is not None and "constexpr" in ast.unparse(a.annotation)}


def calls_in(function, *names):
    """Calls of tl.<name> in the order of the text."""
    found = [n for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
             and isinstance(n.func.value, ast.Name) and n.func.value.id == "tl" and n.func.attr in names]
    return sorted(found, key=lambda n: (n.lineno, n.col_offset))


def is_int(node, value=None):
    return isinstance(node, ast.Constant) and type(node.value) is int and (value is None or node.value == value)


def applied(source, edits):
    """The text with all edits. Those at one place stand in the order given; overlapping ones are an error."""
    out, at = [], 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < at:
            raise Unreadable("two choices change the same text")
        out += [source.bytes[at:edit.start], edit.text.encode()]
        at = edit.end
    return b"".join([*out, source.bytes[at:]]).decode()
