"""Phrases that name a computation, English and Chinese, with their results: the table behind the instructions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from analytics.expression.evaluate import constant_label
from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind
from analytics.solver.rules.lists import sum_of
from analytics.solver.rules.reading import Quantity, constant, in_unit

_LARGEST = 10**6  # largest number that is factorised
_SHARES = (NumberKind.PERCENT, NumberKind.FRACTION, NumberKind.DECIMAL, NumberKind.MIXED)


@dataclass(frozen=True, slots=True)
class Term:
    """A number of the text, or the result of a phrase.

    Attributes:
        tree: expression over the problem's slots.
        worth: value of the tree, approximate for a root; None if it has no value.
        quantity: the number of the text; None if it is computed.
        rounding, written, said: as in `RuleAnswer`.
        parts: dividend and divisor, if it is a quotient; otherwise empty.
        is_final: whether no further computation may use it.
    """

    tree: ExpressionTree
    worth: Fraction | None = None
    quantity: Quantity | None = None
    rounding: str = ""
    written: str = ""
    said: str = ""
    parts: tuple[Fraction, ...] = ()
    is_final: bool = False

    def with_worth(self, worth: Fraction | None) -> Term:
        """Return a copy with this value."""
        return replace(self, worth=worth)

    @property
    def unit(self) -> str:
        """Pint's name for the unit; empty if there is none or the term is computed."""
        return self.quantity.unit_name if self.quantity is not None else ""

    @property
    def kind(self) -> NumberKind | None:
        """The kind of number in the text; None if the term is computed."""
        return self.quantity.mention.kind if self.quantity is not None else None


Build = Callable[[list[Term]], Term | None]


def _of(operation: Callable[..., ExpressionTree]) -> Build:
    """Return a function that applies an operation to terms of one unit."""

    def build(terms: list[Term]) -> Term | None:
        if len({term.unit for term in terms}) > 1 or any(each.kind is NumberKind.PERCENT for each in terms):
            return None
        said = " ".join(filter(None, (term.said for term in terms)))
        return Term(operation(*(term.tree for term in terms)), said=said)

    return build


def _product(*trees: ExpressionTree) -> ExpressionTree:
    return math.prod(trees[1:], start=trees[0])


def _sum(*trees: ExpressionTree) -> ExpressionTree:
    return sum_of(list(trees))


def _minus(first: ExpressionTree, second: ExpressionTree) -> ExpressionTree:
    return first - second


def _quotient(first: ExpressionTree, second: ExpressionTree) -> ExpressionTree:
    return first / second


def _power(exponent: str) -> Build:
    degree = ExpressionTree(exponent)
    if "/" in exponent:
        degree = constant(int(exponent[0])) / constant(int(exponent[2]))
    return _of(lambda base: ExpressionTree("^", (base, degree)))


def _both_roots(terms: list[Term]) -> Term | None:
    """Return the square root, written with both signs, as Chinese schools require."""
    root = _power("1/2")(terms)
    worth = Fraction(math.sqrt(max(0, terms[0].worth or 0))).limit_denominator(10**6)
    written = f"±{constant_label(worth)}" if worth**2 == terms[0].worth else ""
    return root and replace(root, written=written)


def _times(factor: int) -> Build:
    return _of(lambda tree: tree * constant(factor))


def _difference(terms: list[Term]) -> Term | None:
    first, second = (term.worth or 0 for term in terms)
    return _of(_minus)(terms if first >= second else terms[::-1])


def _share(terms: list[Term]) -> Term | None:
    share, whole = terms
    return Term(share.tree * whole.tree) if share.kind in _SHARES and not share.unit else None


def _changed(sign: int) -> Build:
    def build(terms: list[Term]) -> Term | None:
        whole, change = terms
        if change.kind is NumberKind.PERCENT:
            one = constant(1)
            return Term(whole.tree * (one + change.tree if sign > 0 else one - change.tree))
        return _of(_sum if sign > 0 else _minus)(terms)

    return build


def _behind(build: Build) -> Build:
    """Return the same function for terms in the opposite order: "subtract 3 from 10"."""
    return lambda terms: build(terms[::-1])


def _primes(number: int) -> list[int]:
    factors, prime = [], 2
    while prime * prime <= number:
        if number % prime:
            prime += 1
        else:
            factors.append(prime)
            number //= prime
    return [*factors, number] if number > 1 or not factors else factors


def _common(of: Callable[..., int], words: str) -> Build:
    def build(terms: list[Term]) -> Term | None:
        numbers = [int(term.worth or 0) for term in terms]
        if any(term.worth != number or not 0 < number < _LARGEST for term, number in zip(terms, numbers, strict=True)):
            return None
        found = of(*numbers)
        if found >= _LARGEST:
            return None
        parts = [f"{each} = {' × '.join(map(str, _primes(each)))}" for each in numbers]
        primes = _primes(found)
        said = f"{'; '.join(parts)}. {words}: {' × '.join(map(str, primes))}."
        return Term(_product(*map(constant, primes)), said=said)

    return build


def _rest(terms: list[Term]) -> Term | None:
    """Return the remainder of an integer division."""
    return replace(terms[0], rounding="remainder", is_final=True) if _whole_division(terms[0]) else None


def _whole_and_rest(terms: list[Term]) -> Term | None:
    parts = _whole_division(terms[0])
    if parts is None:
        return None
    whole, rest = divmod(parts[0], parts[1])
    said = f"{parts[0]} = {parts[1]} × {whole} + {rest}."
    return replace(terms[0], written=f"{whole} remainder {rest}", said=said, is_final=True)


def _whole_division(term: Term) -> tuple[int, int] | None:
    """Return dividend and divisor if both are whole numbers; else None."""
    numbers = [part for part in term.parts if part.denominator == 1]
    return (int(numbers[0]), int(numbers[1])) if len(numbers) == 2 and numbers[1] > 0 else None


def _divided(terms: list[Term]) -> Term | None:
    built = _of(_quotient)(terms)
    return built and replace(built, parts=tuple(term.worth or Fraction(0) for term in terms))


def _part_of_whole(is_per_cent: bool) -> Build:
    def build(terms: list[Term]) -> Term | None:
        part, whole = terms
        tree: ExpressionTree | None = part.tree
        if part.unit != whole.unit and part.quantity is not None:
            tree = in_unit(part.quantity, whole.unit)
        if tree is None or not whole.worth or part.worth is None or NumberKind.PERCENT in (part.kind, whole.kind):
            return None
        share = tree / whole.tree
        if is_per_cent:
            return Term(share * constant(100))
        return Term(share, written=_fraction(part.worth / whole.worth), is_final=part.unit == whole.unit)

    return build


def _as(form: str) -> Build:
    """Return a function that writes a number as a decimal, a fraction, a mixed number or a percentage."""

    def build(terms: list[Term]) -> Term | None:
        (term,) = terms
        worth = term.worth
        if worth is None or term.unit:
            return None
        if form == "%":
            tree = term.tree * constant(100)
            return None if term.kind is NumberKind.PERCENT else Term(tree, said=term.said)
        if form != "decimal" and term.kind in (NumberKind.INTEGER, NumberKind.RATIO_PART):
            return None
        said = term.said
        written = {"fraction": _fraction(worth), "mixed": _mixed(worth)}.get(form, "")
        if term.quantity is not None and (digits := re.findall(r"\d+", term.quantity.mention.text)):
            text = term.quantity.mention.text
            if term.kind is NumberKind.FRACTION and len(digits) == 2:
                above, below = map(int, digits)
                common = math.gcd(above, below)
                said = f"{above} ÷ {below} = {constant_label(worth)}."
                if form != "decimal":
                    said = (
                        f"{above} and {below} are both divided by {common}."
                        if common > 1
                        else f"{text} is in lowest terms."
                    )
            elif term.kind is NumberKind.PERCENT:
                said = f"Per cent are hundredths: {text} = {constant_label(worth * 100)}/100."
            elif form == "decimal" and term.kind is not NumberKind.MIXED:
                return None
            else:
                said = f"{text} = {worth.numerator}/{worth.denominator}."
        return Term(term.tree, written=written, said=said, is_final=form != "decimal")

    return build


def _ratio(terms: list[Term]) -> Term | None:
    first, second = terms
    tree = first.tree
    if first.worth is None or not second.worth:
        return None
    factor = Fraction(1)
    if first.unit != second.unit:
        converted = in_unit(first.quantity, second.unit) if first.quantity is not None else None
        if converted is None or not converted.children or not first.worth:
            return None
        tree, number = converted, Fraction(converted.children[1].label)
        factor = number if converted.label == "*" else 1 / number
    ratio = first.worth * factor / second.worth
    written = f"{ratio.numerator}:{ratio.denominator}"
    return Term(tree / second.tree, written=written, said=f"In lowest terms {written}.", is_final=True)


def _fraction(worth: Fraction) -> str:
    return str(worth)


def _mixed(worth: Fraction) -> str:
    whole, rest = divmod(abs(worth), 1)
    return f"{'-' if worth < 0 else ''}{whole} {rest}" if whole and rest else str(worth)


_N = r"<\d+>"
_LIST = rf"{_N}(?:(?: ?[,;、] ?(?:and )?| and | ?& ?|[和与及跟]){_N})+"
_SIMPLEST = r"(?:(?:in|to) )?(?:its |their )?(?:simplest|lowest) (?:form|terms|possible terms)"
_THEN = r"(?: ?[,;.] ?(?:and )?(?:then )?| and (?:then )?| then )"
_IT = r"(?:(?:it|this|result|answer|that) )?"


def _spelled_out(pattern: str) -> str:
    for word, meaning in (("THEN", _THEN), ("SIMPLEST", _SIMPLEST), ("IT", _IT), ("L", _LIST), ("N", _N)):
        pattern = pattern.replace(word, meaning)
    return pattern


COMPUTATIONS = tuple(
    (re.compile(_spelled_out(pattern)), build)
    for pattern, build in (
        (r"N of N", _share),
        (r"N的N", _behind(_share)),
        (r"\bsquare root of N|N的算术平方根", _power("1/2")),
        (r"N的平方根", _both_roots),
        (r"\bcube root of N|N的立方根", _power("1/3")),
        (r"\bsquare (?:of )?N|N squared\b|N的平方", _power("2")),
        (r"\bcube (?:of )?N|N cubed\b|N的立方", _power("3")),
        (r"N (?:raised )?to power (?:of )?N"
            r"|N的N次方", _of(lambda base, degree: ExpressionTree("^", (base, degree)))),
        (r"\breciprocal of N|N的倒数", _of(lambda tree: constant(1) / tree)),
        (r"\b(?:double|twice) N|N doubled\b", _times(2)),
        (r"\b(?:triple|treble) N|N tripled\b", _times(3)),
        (r"\bhalve N|N halved\b", _of(lambda tree: tree / constant(2))),
        (r"\b(?:(?:highest|greatest|largest|biggest) common (?:factor|divisor)"
            r"|[hg]\.?c\.?[fd]\.?)(?: ?\([a-z.]+\))? (?:of|for|between) L"
         r"|\b(?:largest|greatest|biggest) (?:whole )?number that divides (?:both "
            r"|all )?(?:of )?L(?: exactly)?"
            r"|L的?最大公[因约約]数", _common(math.gcd, "What they have in common")),
        (r"\b(?:(?:lowest|least|smallest) common (?:multiple|denominator)"
            r"|l\.?c\.?[md]\.?)(?: ?\([a-z.]+\))? (?:of|for) L"
         r"|L的?最小公倍数", _common(math.lcm, "Each factor as often as it occurs in one of them")),
        (r"\b(?:sum|total) of L|L的(?:总?和)", _of(_sum)),
        (r"\bproduct of L|L的(?:乘?积)", _of(_product)),
        (r"\bdifference (?:between|of) N(?: and |, )N|N[和与、]N的差", _difference),
        (r"\bquotient of N(?: and |, | ÷ )N|N[和与、]N的商", _divided),
        (r"N (?:divided by|over|÷|/) N|N ?÷ ?N|N除以N|\bdivide N by N", _divided),
        (r"N除N|\bdivide N into N", _behind(_divided)),
        (r"N (?:multiplied by|times|×|x|\*|lots of) N|N ?× ?N|N乘(?:以)?N|\bmultiply N (?:by|and"
            r"|with) N|\bmultiply L", _of(_product)),
        (r"N (?:more|greater|bigger|larger|higher) than N|N (?:plus|added to|\+|add) N|N加(?:上)?N"
            r"|\badd N (?:to|and|onto) N|\badd L", _changed(1)),
        (r"N (?:less|fewer|smaller|lower) than N|N subtracted from N|\b(?:subtract|deduct"
            r"|take(?: away)?) N (?:away )?from N", _behind(_changed(-1))),
        (r"N (?:minus|subtract|less|take away) N|N减(?:去)?N|\btake N from N", _changed(-1)),
        (r"\b(?:increase|raise) N by N|N increased by N|N增加N|比N[多大]N的数", _changed(1)),
        (r"\b(?:decrease|reduce|lower) N by N|N (?:decreased|reduced) by N|N减少N|比N[少小]N的数", _changed(-1)),
        (r"NTHENadd (?:on )?N|NTHENincrease ITby N", _changed(1)),
        (r"NTHEN(?:subtract|take away|take off|minus) N(?: from (?:it|result|answer))?"
            r"|NTHEN(?:decrease|reduce) ITby N", _changed(-1)),
        (r"NTHEN(?:multiply ITby|times (?:it )?by) N", _of(_product)),
        (r"NTHENdivide ITby N", _divided),
        (r"NTHENdouble(?: (?:it|result|answer))?(?![\w ]*<)", _times(2)),
        (r"NTHENhalve(?: (?:it|result|answer))?(?![\w ]*<)", _of(lambda tree: tree / constant(2))),
        (r"NTHENsquare (?:it|result|answer)", _power("2")),
        (r"\bquotient (?:when|of|if) N", lambda terms: terms[0] if terms[0].parts else None),
        (r"(?:quotient and remainder (?:when|of|if|for) )N|NTHEN(?:give |state |write "
            r"|find )?(?:quotient and remainder|answer with a remainder)|N(?: with a remainder"
            r"|的商和余数)", _whole_and_rest),
        (r"\bremainder (?:do you get |is left |is there )?(?:when you|when|of|if|for|from|left when"
            r"|in|on) N|N(?:THEN| )(?:(?:give|find|state"
            r"|write|what is) )?(?:only )?remainder(?: only)?"
         r"|N[,，的]?余数", _rest),
        (r"N as (?:an? )?(?:percentage|percent|per cent|%) of N|\bwhat (?:percentage|percent"
            r"|per cent|%) is N of N|\bpercentage is N of N"
            r"|N is what (?:percentage|percent|per cent|%) of N|N[是占]N的百分之[几多]少?",
         _part_of_whole(True)),
        (r"\bwhat (?:percentage|percent|per cent|%) of N is N", _behind(_part_of_whole(True))),
        (r"N as (?:a )?fraction of N(?:,? SIMPLEST)?|N[是占]N的几分之几", _part_of_whole(False)),
        (r"N (?:as|to|into|in) (?:an? )?(?:equivalent )?decimal(?: number| form)?|N(?:化[成为]|写成|改写成"
            r"|转化为|表示为)小数", _as("decimal")),
        (r"N (?:as|to|into|in) (?:an? )?(?:percentage|percent|per cent|%)|N(?:化[成为]|写成|改写成|转化为"
            r"|表示为)百分数", _as("%")),
        (r"N (?:as|to|into|in) (?:an? )?mixed (?:number|fraction)(?:,? SIMPLEST)?|N(?:化[成为]"
            r"|写成)带分数", _as("mixed")),
        (r"N (?:as|to|into|in) (?:an? )?(?:equivalent |improper |simplified "
            r"|common )?fraction(?:,? SIMPLEST)?|N(?:化[成为]|写成|改写成|转化为)(?:最简)?(?:假?分数)"
         r"|\b(?:simplify|reduce|cancel) (?:down )?N(?: SIMPLEST)?(?![ :<])|N SIMPLEST|(?:化简"
         r"|约分)N(?![:：])|N(?:约分|化简)", _as("fraction")),
        (r"\b(?:(?:simplify|reduce) (?:ratio )?|ratio )N ?(?::|to) ?N(?: SIMPLEST)?"
            r"|N ?: ?N(?: as a ratio)?(?: SIMPLEST)|化简比?[:：]?N ?[:：] ?N|N ?[:：] ?N(?:化简"
            r"|的?最简(?:单的)?整数比|化成最简(?:单的)?(?:整数)?比)",
         _ratio),
    )
)  # fmt: skip
