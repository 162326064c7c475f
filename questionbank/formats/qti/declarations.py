"""Response declarations: the correct answers of a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analytics.question_content import AcceptedAnswer, Blank, MatchingPair, Option, QuestionContent, QuestionPart
from analytics.records import QuestionRecord
from questionbank.formats.kinds import accepted_answers, option_weights, right_labels
from questionbank.formats.written_numbers import PLAIN_NUMBER
from questionbank.formats.xml_writing import Markup, element, joined

UPLOAD = "file_upload_question"
"""Value of the setting ``type`` for a question that asks for a file."""
_IDENT = re.compile(r"[A-Za-z_][\w.-]{0,30}")
ANY_OTHER = "*"
"""The accepted answer that matches any answer not listed."""
Asking = QuestionRecord | QuestionPart


@dataclass(frozen=True, slots=True)
class Declared:
    """A response.

    Attributes:
        points: share of the points per value.
        accepted: numbers to compare with, possibly with a tolerance.
        share: share of the question's points.
    """

    response: str
    cardinality: str
    base_type: str
    correct: tuple[str, ...] = ()
    points: tuple[tuple[str, float], ...] = ()
    accepted: tuple[AcceptedAnswer, ...] = ()
    is_case_sensitive: bool = False
    share: float = 1.0

    @property
    def has_tolerance(self) -> bool:
        return any(answer.tolerance for answer in self.accepted) or len(self.accepted) > 1


def typed_kind(asking: Asking) -> str:
    """Return ``"number"``, ``"short"`` or ``"open"`` for a question with a text field."""
    accepted = _named(accepted_answers(asking.content, asking.answer))
    if asking.kind == "number" and accepted and all(PLAIN_NUMBER.fullmatch(answer.text) for answer in accepted):
        return "number"
    is_typed = bool(accepted) and all(
        answer.text.strip() == answer.text and "\n" not in answer.text for answer in accepted
    )
    if asking.kind in ("short", "number", "blanks", "choice") and (is_typed or not accepted):
        return "short"
    return "open"


def _named(accepted: Sequence[AcceptedAnswer]) -> list[AcceptedAnswer]:
    return [answer for answer in accepted if answer.text != ANY_OTHER]


def is_single(asking: Asking) -> bool:
    """Return whether a single option is chosen."""
    right = right_labels(asking.answer, [option.label for option in asking.options]) or []
    return asking.content.settings.get("single", "true" if len(right) == 1 else "false") == "true"


def declarations(asking: Asking, first: int = 0, prefix: str = "") -> Iterator[Declared]:
    """Yield the responses of a question or a part, in order.

    Args:
        first: number of preceding responses.
        prefix: prefix of the identifiers of choices.
    """
    content = asking.content
    response = f"RESPONSE_{first + 1}" if prefix else "RESPONSE"
    match asking.kind:
        case "choice" | "opaque" if asking.options:
            yield _choice(asking, response, prefix)
        case "true_false":
            correct = (f"{prefix}{asking.answer.lower()}",) if asking.answer in ("True", "False") else ()
            yield Declared(response, "single", "identifier", correct)
        case "ordering":
            idents = choice_idents(asking.options, prefix)
            yield Declared(response, "ordered", "identifier", tuple(idents))
        case "matching" if content.pairs:
            lefts, rights = pair_idents(content, prefix)
            pairs = (f"{ident} {rights[pair.right]}" for ident, pair in lefts)
            yield Declared(response, "multiple", "directedPair", tuple(pairs))
        case "blanks" if content.blanks:
            total = sum(blank.points for blank in content.blanks) or 1.0
            for place, blank in enumerate(content.blanks):
                case = content.settings.get("case") == "1"
                yield _gap(blank, f"RESPONSE_{first + place + 1}", is_case_sensitive=case, total=total)
        case "description":
            return
        case _:
            yield _field(asking, response)


def choice_idents(options: Sequence[Option], prefix: str = "") -> list[str]:
    """Return the identifiers of the options."""
    labels = [option.label for option in options]
    are_names = all(_IDENT.fullmatch(label) for label in labels)
    return [f"{prefix}{label if are_names else f'choice_{place}'}" for place, label in enumerate(labels, start=1)]


def pair_idents(content: QuestionContent, prefix: str = "") -> tuple[list[tuple[str, MatchingPair]], dict[str, str]]:
    """Return (identifier, pair) of each pair to match, and the identifiers of the choices by text."""
    asked = [pair for pair in content.pairs if pair.left]
    rights = dict.fromkeys([*(pair.right for pair in asked), *(pair.right for pair in content.pairs)])
    lefts = [(f"{prefix}L{place}", pair) for place, pair in enumerate(asked, start=1)]
    return lefts, {text: f"{prefix}R{place}" for place, text in enumerate(rights, start=1)}


def gap_idents(blank: Blank, response: str) -> list[str]:
    """Return the identifiers of a gap's choices."""
    return [f"{response}_{place}" for place in range(1, len(blank.options) + 1)]


def _choice(asking: Asking, response: str, prefix: str) -> Declared:
    idents = choice_idents(asking.options, prefix)
    right = right_labels(asking.answer, [option.label for option in asking.options]) or []
    correct = tuple(i for i, option in zip(idents, asking.options, strict=True) if option.label in right)
    points: tuple[tuple[str, float], ...] = ()
    if any(option.weight is not None for option in asking.options):
        weights = option_weights(asking.options, asking.answer)
        points = tuple(zip(idents, weights, strict=True))
    cardinality = "single" if is_single(asking) else "multiple"
    return Declared(response, cardinality, "identifier", correct, points)


def _gap(blank: Blank, response: str, *, is_case_sensitive: bool, total: float) -> Declared:
    share = blank.points / total
    if blank.options:
        idents = gap_idents(blank, response)
        right = [ident for ident, option in zip(idents, blank.options, strict=True) if (option.weight or 0) > 0]
        return Declared(response, "single", "identifier", tuple(right[:1]), share=share)
    is_number = blank.kind == "number" and all(PLAIN_NUMBER.fullmatch(answer.text) for answer in _named(blank.accepted))
    return _typed(blank.accepted, response, is_number=is_number, is_case_sensitive=is_case_sensitive, share=share)


def _field(asking: Asking, response: str) -> Declared:
    kind = typed_kind(asking)
    if kind == "open":
        is_file = asking.content.settings.get("type") == UPLOAD
        return Declared(response, "single", "file" if is_file else "string")
    case = asking.content.settings.get("case") == "1"
    accepted = accepted_answers(asking.content, asking.answer)
    return _typed(accepted, response, is_number=kind == "number", is_case_sensitive=case)


def _typed(
    accepted: Sequence[AcceptedAnswer], response: str, *, is_number: bool, is_case_sensitive: bool, share: float = 1.0
) -> Declared:
    named = _named(accepted)
    best = max((answer.weight for answer in named), default=0.0)
    correct = tuple(answer.text for answer in named if answer.weight == best > 0)[:1]
    if is_number:
        return Declared(response, "single", "float", correct, accepted=tuple(accepted), share=share)
    is_plain = len(accepted) == 1 and best == 1
    points = () if is_plain else tuple((answer.text, answer.weight) for answer in named)
    return Declared(response, "single", "string", correct, points, is_case_sensitive=is_case_sensitive, share=share)


# -- XML -----------------------------------------------------------------------------------------------------------


def declaration_xml(declared: Declared, points: float) -> Markup:
    """Return the declaration element of a response.

    Args:
        points: points of the whole question.
    """
    values = [element("value", value) for value in declared.correct]
    inner = [element("correctResponse", *values)] if values else []
    inner += _mapping(declared, points)
    stated = {"identifier": declared.response, "cardinality": declared.cardinality, "baseType": declared.base_type}
    return element("responseDeclaration", joined(inner), **stated)


def _mapping(declared: Declared, points: float) -> Iterator[Markup]:
    """Yield the element that maps values to points, if there are any."""
    case = declared.is_case_sensitive if declared.base_type == "string" else None
    entries = [
        element("mapEntry", mapKey=key, mappedValue=_points(share * points * declared.share), caseSensitive=case)
        for key, share in declared.points
        if key
    ]
    lower = 0 if any(share < 0 for _key, share in declared.points) else None
    most = sum(share for _key, share in declared.points if share > 0)
    is_above = declared.cardinality == "multiple" and most > 1.01
    upper = _points(points * declared.share) if is_above else None
    if entries:
        yield element("mapping", *entries, lowerBound=lower, upperBound=upper, defaultValue=0)


def _points(value: float) -> str:
    return f"{value:.10g}"
