r"""The outer grammar of a formula: lists, relations, sets, tuples, cases, matrices, but no arithmetic.

School formulas are rarely one expression. ``x=2 \text{ or } x>5``, ``A \cup B = \{1, 2\}``, ``[0, 1)``,
``3:4:5`` and ``\csc\theta =`` are lists, chains of relations and brackets around expressions.
:class:`FormulaReader` takes those apart itself and hands only plain arithmetic to `expression`, with a name
in place of everything that it has read already. It never evaluates anything.

A tree is a leaf (a string) or a tuple ``(operator, child, ...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from analytics.errors import LatexError
from analytics.text.latex_arithmetic import ARITHMETIC_SIGNS, ArithmeticWriter
from analytics.text.latex_symbols import (
    BINARY_OPERATORS,
    CONNECTIVES,
    ENVIRONMENT_KINDS,
    LIBRARY_LETTERS,
    RELATIONS,
    SEPARATORS,
)
from analytics.text.latex_tree import BLANK, Group, Item, Tree

_INFIX = {r"\over": "/", r"\choose": "binomial", r"\atop": "stack"}
_BARS = {"|": "abs", r"\Vert": "norm"}
_STACKED = frozenset({r"\overset", r"\underset", r"\stackrel"})
_NOT_ARITHMETIC = (
    SEPARATORS
    | frozenset(_INFIX)
    | frozenset(_BARS)
    | frozenset(RELATIONS)
    | frozenset(BINARY_OPERATORS)
    | frozenset({":", "&", r"\pmod"})
)


class FormulaReader:
    """Reads nested tokens into a tree.

    Args:
        expression: reads one arithmetic expression, given as LaTeX, into a tree; raises LatexError.
    """

    def __init__(self, expression: Callable[[str], Tree]) -> None:
        self._expression = expression
        self._named: dict[str, Tree] = {}

    # -- lists and relations -------------------------------------------------------------------------------

    def formula(self, items: list[Item]) -> Tree:
        """Read a list of statements, which is most often a list of one."""
        items = _pair_bars(_without_stacks(items))
        parts = [self.statement(part) for part in _split_list(items) if part]
        if not parts:
            return BLANK
        return parts[0] if len(parts) == 1 else ("list", *parts)

    def statement(self, items: list[Item]) -> Tree:
        """Read a chain of relations such as ``0 < x \\leq 1``, with a label before it or a modulus behind."""
        for infix, name in _INFIX.items():
            if infix in items:
                at = items.index(infix)
                return (name, self.formula(items[:at]), self.formula(items[at + 1 :]))
        if r"\pmod" in items:
            at = items.index(r"\pmod")
            return ("pmod", self.statement(items[:at]), self.formula(items[at + 1 :]))
        if sum(item == "|" for item in items) % 2:
            at = items.index("|")
            return ("given", self.statement(items[:at]), self.statement(items[at + 1 :]))
        relations = [index for index, item in enumerate(items) if item in RELATIONS]
        if not relations:
            return self.combination(items)
        if ":" in items and items.index(":") < relations[0]:
            at = items.index(":")
            return ("label", self.combination(items[:at]), self.statement(items[at + 1 :]))
        chain: list[Tree] = []
        start = 0
        for index in [*relations, len(items)]:
            chain.append(self.combination(items[start:index]))
            if index < len(items):
                chain.append(RELATIONS[str(items[index])])
            start = index + 1
        return (chain[1], chain[0], chain[2]) if len(chain) == 3 else ("chain", *chain)

    def combination(self, items: list[Item]) -> Tree:
        r"""Read ``A \cup B``, ``a : b`` or plain arithmetic."""
        if ":" in items:
            return (":", *(self.combination(part) for part in _split(items, {":"})))
        operators = [item for item in items if item in BINARY_OPERATORS]
        if not operators or len(items) == 1:
            return self.arithmetic(items)
        operands = [self.arithmetic(part) for part in _split(items, BINARY_OPERATORS)]
        name = BINARY_OPERATORS[str(operators[0])]
        if len(set(operators)) == 1:
            return (name, *operands)
        mixed: list[Tree] = [operands[0]]
        for operator, operand in zip(operators, operands[1:], strict=True):
            mixed += (BINARY_OPERATORS[str(operator)], operand)
        return ("mixed", *mixed)

    # -- arithmetic ----------------------------------------------------------------------------------------

    def arithmetic(self, items: list[Item]) -> Tree:
        """Read one arithmetic expression."""
        if not items:
            return BLANK
        if len(items) == 1:
            leaf = self._single(items[0])
            if leaf is not None:
                return leaf
        return self._expression_tree(ArithmeticWriter(self, items).write())

    def _single(self, item: Item) -> Tree | None:
        if isinstance(item, Group):
            return self.bracketed(item)
        if item in ARITHMETIC_SIGNS or item in BINARY_OPERATORS:
            return ("operator", item)
        if item[0].isdigit() or (item.isascii() and item.isalpha()):
            return item
        return None

    def _expression_tree(self, latex: str) -> Tree:
        name = latex.strip()
        if name.startswith("\\text{") and name.endswith("}") and name[6:-1] in self._named:
            return self._named[name[6:-1]]
        return self._with_names(self._expression(latex))

    def _with_names(self, tree: Tree) -> Tree:
        if isinstance(tree, str):
            return self._named.get(tree, tree)
        return tuple(self._with_names(child) for child in tree)

    def named(self, tree: Tree) -> str:
        """Return a symbol that stands for a tree that has been read already."""
        if isinstance(tree, str) and tree.isascii() and len(tree) == 1 and tree not in LIBRARY_LETTERS:
            return tree
        name = f"named{len(self._named)}"
        self._named[name] = tree
        return f"\\text{{{name}}}"

    def bracketed(self, group: Group) -> Tree:
        """Read a bracket as what it most often means at school."""
        opener, closer, items = group.opener, group.closer, group.items
        if opener in ENVIRONMENT_KINDS:
            return self._environment(opener, items)
        if opener == r"\{" or (opener == "{" and _has_condition(items)):
            return ("set", *self._members(items))
        if opener in {r"\lfloor", r"\lceil"}:
            return (opener[2:], self.formula(items))
        if opener in _BARS:
            return (_BARS[opener], self.formula(items))
        if opener == r"\langle":
            return ("angle", *self.elements(items))
        if opener == "{":
            return self.formula(items)
        if opener not in {"(", "["}:
            raise LatexError(f"unknown environment {opener}")
        elements = self.elements(items)
        if len(elements) == 1 and elements[0] != BLANK:
            return elements[0]
        if opener == "[" or closer == "]":
            return ("interval", opener, *elements, closer)
        return ("tuple", *elements)

    def _members(self, items: list[Item]) -> list[Tree]:
        """Read ``1, 2, 3`` or ``x | x > 0, x < 5`` (also written with a colon)."""
        if not _has_condition(items):
            return self.elements(items)
        at = next(index for index, item in enumerate(items) if item in {"|", ":"})
        return [("given", self.formula(items[:at]), self.formula(items[at + 1 :]))]

    def elements(self, items: list[Item]) -> list[Tree]:
        return [self.statement(part) for part in _split_list(items) if part]

    def _environment(self, name: str, items: list[Item]) -> Tree:
        kind = ENVIRONMENT_KINDS[name]
        if kind == "table":
            raise LatexError("a table of text is not a formula")
        if (
            name in {"array", "alignedat"}
            and items
            and isinstance(items[0], Group)
            and items[0].opener == "{"
        ):
            items = items[1:]  # the columns' alignment
        rows: list[Tree] = []
        for row in _split(items, {"\\\\", r"\cr"}):
            if kind == "rows":
                cells = [self.formula([item for item in row if item != "&"])]
            else:
                cells = [self.formula(cell) for cell in _split(row, {"&"})]
            if any(cell != BLANK for cell in cells):
                rows.append(("row", *cells) if len(cells) > 1 else cells[0])
        return (kind, *rows)

    def inline(self, item: Item) -> str:
        """Write one argument (of a fraction, a root, an exponent) without its braces."""
        if isinstance(item, str):
            return ArithmeticWriter(self, [item]).write()
        if item.opener in {"{", "(", "["} and item.items and self.is_arithmetic(item.items):
            inner = ArithmeticWriter(self, item.items).write()
            return inner if item.opener == "{" else f"({inner})"
        return self.named(self.bracketed(item))

    def argument(self, item: Item) -> Tree:
        """Read one argument into a tree of its own."""
        return self.bracketed(item) if isinstance(item, Group) else self.arithmetic([item])

    @staticmethod
    def is_arithmetic(items: list[Item]) -> bool:
        """Return whether a run holds no list, relation or foreign operator on its own level."""
        return not any(
            isinstance(item, str) and (item in _NOT_ARITHMETIC or _is_connective(items, index))
            for index, item in enumerate(items)
        )


def _has_condition(items: list[Item]) -> bool:
    return ":" in items or sum(item == "|" for item in items) % 2 == 1


def _without_stacks(items: list[Item]) -> list[Item]:
    r"""Replace ``\overset{a}{b}`` by what stands on the line."""
    if _STACKED.isdisjoint(item for item in items if isinstance(item, str)):
        return items
    flat: list[Item] = []
    skip = 0
    for index, item in enumerate(items):
        if skip:
            skip -= 1
        elif item in _STACKED and index + 2 < len(items):
            base = items[index + 2]
            flat.extend(base.items if isinstance(base, Group) and base.opener == "{" else [base])
            skip = 2
        else:
            flat.append(item)
    return flat


def _pair_bars(items: list[Item]) -> list[Item]:
    """Make groups of ``|x|`` where the bars of this level pair up; a single bar means "such that"."""
    for bar in _BARS:
        if bar in items and sum(item == bar for item in items) % 2 == 0:
            items = _with_bar_groups(items, bar)
    return items


def _with_bar_groups(items: list[Item], bar: str) -> list[Item]:
    stack: list[list[Item]] = [[]]
    previous: Item | None = None
    for item in items:
        if item != bar:
            stack[-1].append(item)
        elif len(stack) > 1 and not _wants_operand(previous, bar):
            inner = stack.pop()
            stack[-1].append(Group(bar, bar, inner))
            item = ")"
        else:
            stack.append([])
        previous = item
    return stack[0] if len(stack) == 1 else items


def _wants_operand(previous: Item | None, bar: str) -> bool:
    return isinstance(previous, str) and (
        previous == bar or previous in ARITHMETIC_SIGNS or previous in _NOT_ARITHMETIC
    )


def _split(items: list[Item], separators: Container[Item]) -> list[list[Item]]:
    parts: list[list[Item]] = [[]]
    for item in items:
        if isinstance(item, str) and item in separators:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


def _split_list(items: list[Item]) -> list[list[Item]]:
    """Split at commas, semicolons, line ends and words such as "and"."""
    parts: list[list[Item]] = [[]]
    skip = False
    for index, item in enumerate(items):
        if skip:
            skip = False
        elif isinstance(item, str) and item in SEPARATORS:
            parts.append([])
        elif _is_connective(items, index):
            parts.append([])
            skip = item == r"\text"
        else:
            parts[-1].append(item)
    return parts


def _is_connective(items: list[Item], index: int) -> bool:
    item = items[index]
    if item == r"\text" and index + 1 < len(items):
        word = items[index + 1]
        if isinstance(word, Group):
            return (
                "".join(part for part in word.items if isinstance(part, str)).strip(".,").lower()
                in CONNECTIVES
            )
    return isinstance(item, str) and item in CONNECTIVES and not item.isascii()
