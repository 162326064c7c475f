"""Kinds of question: their names in files, the rules for their options, and what follows from their other fields.

`derived_answer` is the readable answer for people, search and models: derived from the grading data, or computed as its
source does. `derived_equation` reads other forms of solution: ``program`` of MathQA (Amini et al. 2019, section 3) and
the annotated calculations of GSM8K (Cobbe et al. 2021). The equation uses the numbers of the text, like other equations
in the bank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float
from analytics.expression.programs import calculations_tree, program_tree
from analytics.expression.tree import ExpressionTree, parse_expression, to_infix
from analytics.question_content import AcceptedAnswer, Blank, MatchingPair, Option, QuestionContent
from analytics.text.meaning import PublishedNumber
from analytics.text.number_slots import SlotNumbers
from analytics.text.numbers import find_numbers
from questionbank.formats.limits import EQUATION_LIMIT

KINDS = (
    "open", "choice", "true_false", "number", "short", "matching", "ordering", "blanks", "parts", "description",
    "opaque",
)  # fmt: skip
WITH_OPTIONS = frozenset({"choice", "ordering", "opaque"})
_NAMES = {
    "choice": (
        "multiple choice | multiple-choice | multiplechoice | multichoice | mc | mcq | single choice | singlechoice"
        " | single | multiple | multiple answers | multiple response | mehrfachauswahl | einfachauswahl | auswahl"
        " | auswahlfrage | choix multiple | qcm"
        " | opcion multiple | opción múltiple | seleccion multiple | selección múltiple | 选择 | 选择题 | 单选 | 单选题"
        " | 多选 | 多选题"
    ),
    "true_false": (
        "true false | true-false | true/false | truefalse | t/f | right wrong | richtig falsch | wahr falsch"
        " | vrai faux | vrai-faux | verdadero falso | 判断 | 判断题"
    ),
    "blanks": (
        "blank | fill in the blank | fill-in-the-blank | fill in | fillin | cloze | gap | gap text | gapfill"
        " | gapselect | fib | luckentext | lückentext | texte a trous | texte à trous | 填空 | 填空题"
    ),
    "number": "numerical | numeric | numerisch | numerique | numérique | numerica | numérica",
    "short": "short answer | short-answer | shortanswer | kurzantwort | reponse courte | respuesta corta",
    "matching": "match | zuordnung | zuordnungsfrage | appariement | emparejamiento | 配对 | 连线",
    "ordering": "order | sequence | reihenfolge | 排序",
    "open": (
        "open question | open ended | open-ended | free response | free text | calculated | essay | essay question"
        " | word problem | freitext | offen"
        " | reponse ouverte | réponse ouverte | respuesta abierta | 解答 | 解答题 | 应用题 | 简答题 | 计算题 | 问答题"
    ),
}
_KIND_OF_NAME = {name.strip(): kind for kind, names in _NAMES.items() for name in (*names.split("|"), kind)} | {
    kind: kind for kind in KINDS
}
_OPTIONS_IN_TEXT = re.compile(r"(?<![A-Za-z])A ?[.、)．）:：].{0,2000}?(?<![A-Za-z])B ?[.、)．）:：]", re.DOTALL)


def kind_of_name(name: str) -> str:
    """Return the kind of question that a word in a file stands for; empty if unknown.

    >>> kind_of_name("single_choice"), kind_of_name("填空题"), kind_of_name("Algebra")
    ('choice', 'blanks', '')
    """
    plain = " ".join(name.split()).lower()
    return _KIND_OF_NAME.get(plain) or _KIND_OF_NAME.get(plain.replace("_", " "), "")


def truth_word(answer: str) -> str:
    """Return True or False, whatever the letter case, as the bank writes them.

    >>> truth_word("false"), truth_word("TRUE"), truth_word("perhaps")
    ('False', 'True', 'perhaps')
    """
    return answer.capitalize() if answer.lower() in ("true", "false") else answer


def option_label(place: int) -> str:
    """Return the label of an option by its position, counting from 0.

    >>> option_label(1), option_label(26)
    ('B', '27')
    """
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def lettered(choices: Iterable[tuple[str, float | None, str]]) -> tuple[Option, ...]:
    """Return lettered options from (text, weight, feedback)."""
    return tuple(
        Option(option_label(place), text, "", None if weight is None else float(weight), feedback)
        for place, (text, weight, feedback) in enumerate(choices)
    )


def right_or_wrong(choices: Iterable[tuple[str, bool, str]]) -> tuple[Option, ...]:
    """Return options from (text, whether it is right, feedback); several right options share the points."""
    found = [*choices]
    right = sum(is_right for _text, is_right, _feedback in found)
    return lettered((text, is_right / right if right > 1 else None, feedback) for text, is_right, feedback in found)


def right_labels(answer: str, labels: Sequence[str]) -> list[str] | None:
    """Return the labels of the options that an answer names, or None if it names anything else.

    >>> right_labels("A, C", ["A", "B", "C"]), right_labels("AC", ["A", "B", "C"]), right_labels("D", ["A", "B"])
    (['A', 'C'], None, None)
    """
    answer = answer.strip()
    if answer in labels:
        return [answer]
    named = [label.strip() for label in answer.split(",")] if answer else []
    return named if len(set(named)) == len(named) and {*named} <= {*labels} else None


def option_weights(options: Sequence[Option], answer: str) -> list[float]:
    """Return the weight of each option: its own, else an equal share for each right option named by the answer."""
    if any(option.weight is not None for option in options):
        return [option.weight or 0.0 for option in options]
    right = right_labels(answer, [option.label for option in options]) or []
    return [1 / len(right) if option.label in right else 0.0 for option in options]


def options_fault(*, kind: str, text: str, labels: Sequence[str], answer: str) -> str:
    """Return what is wrong with the options of a question, for both the editor and imports.

    Options may be in the text, as exams print them: "A. 3 B. 4".

    Returns:
        ``"unexpected"``: a question of this kind must not have options; ``"missing"``: a choice has none; ``"single"``:
        it has only one, which imports keep as published, with a warning; ``"repeated"``: two have the same label;
        ``"answer"``: the answer does not name options; empty if nothing is wrong.

    >>> options_fault(kind="choice", text="2 + 2?", labels=[], answer="A")
    'missing'
    >>> options_fault(kind="choice", text="2 + 2? A. 3 B. 4", labels=[], answer="B")
    ''
    """
    if kind not in WITH_OPTIONS:
        return "unexpected" if labels else ""
    if kind == "opaque":
        return "repeated" if len(set(labels)) < len(labels) else ""
    if not labels:
        return "" if kind == "choice" and _OPTIONS_IN_TEXT.search(text) else "missing"
    if len(set(labels)) < len(labels):
        return "repeated"
    if right_labels(answer, labels) is None:
        return "answer"
    return "single" if len(labels) == 1 else ""


_SEVERAL = ("MULTIRESPONSE", "MR")  # styles of gaps for which the answer includes every correct option


def derived_answer(*, kind: str, options: Sequence[Option], answer: str, content: QuestionContent) -> str:
    """Return a question's readable answer, derived from its options or content if they show what is right.

    >>> two = (Option("A", "4", weight=0.5), Option("B", "5", weight=-1), Option("C", "2 + 2", weight=0.5))
    >>> derived_answer(kind="choice", options=two, answer="", content=QuestionContent())
    'A, C'
    >>> pairs = (MatchingPair("2 + 2", "four"), MatchingPair("1 + 1", "two"), MatchingPair("", "three"))
    >>> derived_answer(kind="matching", options=(), answer="", content=QuestionContent(pairs=pairs))
    '1-a, 2-c'
    """
    derived = ""
    if kind == "choice" and any(option.weight is not None for option in options):
        derived = ", ".join(right_options(options, is_single=content.settings.get("single") == "true"))
    elif kind == "ordering":
        derived = ", ".join(option.label for option in options)
    elif kind in ("number", "short", "true_false") and content.accepted:
        derived = "; ".join(map(_with_unit, best_answers(content.accepted)))
    elif kind == "matching" and content.pairs:
        letters = dict(lettered_choices(content.pairs))
        asked = [pair for pair in content.pairs if pair.left]
        named = [f"{number}-{letters[pair.right]}" for number, pair in enumerate(asked, start=1)]
        derived = ", ".join(named)
    elif kind == "blanks" and content.blanks:
        derived = "; ".join(map(blank_answer, content.blanks))
    elif kind == "parts" and content.parts:
        gaps = filter(None, map(blank_answer, content.blanks))  # in the text before the parts
        named = [f"({part_label(at)}) {part.answer}" for at, part in enumerate(content.parts) if part.answer]
        derived = "; ".join([*gaps, *named])
    return derived or answer


def right_options(options: Sequence[Option], *, is_single: bool = False) -> list[str]:
    """Return the labels of the options with a positive weight, or only the heaviest for a single-answer question."""
    weights = [option.weight or 0.0 for option in options]
    best = max(weights, default=0.0)
    least = best if is_single else 0.0
    return [option.label for option, weight in zip(options, weights, strict=True) if weight > 0 and weight >= least]


def best_answers(accepted: Sequence[AcceptedAnswer]) -> list[AcceptedAnswer]:
    """Return the accepted answers that earn the most points."""
    best = max((answer.weight for answer in accepted), default=0.0)
    return [answer for answer in accepted if answer.weight == best > 0]


def accepted_answers(content: QuestionContent, answer: str) -> Sequence[AcceptedAnswer]:
    """Return the answers to compare a typed answer with: the content's accepted answers, else the answer alone."""
    return content.accepted or ((AcceptedAnswer(answer),) if answer else ())


def _with_unit(answer: AcceptedAnswer) -> str:
    return f"{answer.text} {answer.unit}".strip()


def blank_answer(blank: Blank) -> str:
    """Return the correct answer for a gap."""
    if blank.options:
        labels = right_options(blank.options, is_single=not blank.style.startswith(_SEVERAL))
        chosen = [option.text for option in blank.options if option.label in labels]
        return ", ".join(chosen if blank.style.startswith(_SEVERAL) else chosen[:1])
    return next(map(_with_unit, best_answers(blank.accepted)), "")


def lettered_choices(pairs: Sequence[MatchingPair]) -> list[tuple[str, str]]:
    """Return the right-hand choices with their letters, in an order that does not reveal the pairs."""
    choices = apart(sorted({pair.right for pair in pairs}), pairs)
    return [(choice, part_label(place)) for place, choice in enumerate(choices)]


def apart(choices: list[str], pairs: Sequence[MatchingPair]) -> list[str]:
    """Return the choices in an order in which they are not all opposite their matches.

    >>> apart(["2", "4"], [MatchingPair("1 + 1", "2"), MatchingPair("2 + 2", "4")])
    ['4', '2']
    """
    asked = [pair.right for pair in pairs if pair.left]
    return choices[1:] + choices[:1] if choices[: len(asked)] == asked else choices


def part_label(place: int) -> str:
    """Return the letter of a part, counting from 0."""
    return option_label(place).lower()


COMPUTED = "computed_answer"
"""Key of a setting: the answer that a template computes."""
_LONGEST = 500  # characters
_STEPS = 4  # maximum assignments to follow from a variable


def computed_answer(expressions: Iterable[str], values: Mapping[str, str] | None = None) -> str:
    """Return the expressions as text, with each variable followed by its assigned value.

    Args:
        values: the code assigned to each variable.

    >>> computed_answer(["$ans", "2*$b"], {"$ans": "2*$a"})
    '$ans = 2*$a; 2*$b'
    """
    shown = []
    for expression in map(_on_a_line, expressions):
        value = _on_a_line(followed(expression, values or {}))
        shown.append(expression if value == expression else f"{expression} = {value}")
    return "; ".join(dict.fromkeys(filter(None, shown)))[:_LONGEST]


def followed(value: str, values: Mapping[str, str]) -> str:
    """Return the code that a variable stands for, following assignments from variable to variable."""
    for _step in range(_STEPS):
        value = values.get(value, value)
    return value


def assigned(pattern: re.Pattern[str], code: str) -> dict[str, str]:
    """Return the last code assigned to each variable, by a pattern with the groups `name` and `value`."""
    return {match["name"]: match["value"] for match in pattern.finditer(code)}


def _on_a_line(code: str) -> str:
    return " ".join(code.split())


def derived_equation(
    text: str, *, program: str, calculations: Sequence[str], numbers: Sequence[str], published: PublishedNumber | None
) -> str:
    """Return the equation that a question's program computes, or else its calculations.

    >>> derived_equation(
    ...     "5 bags hold 6 figs each.", program="multiply(n0,n1)|", calculations=(), numbers=(), published=None
    ... )
    '5*6'

    Args:
        text: text of the question.
        program: MathQA's operations, separated by ``|``; empty if absent.
        calculations: ``left=result`` in order; empty if absent.
        numbers: the numbers that the program calls ``n0``, ``n1``, ...; if empty, those of the text are used.
        published: the published answer; None if it is not a number.

    Returns:
        The equation; empty unless one can be read that has at least one operation, fits the bank's limit and gives the
        published answer.
    """
    for read in _readers(text, program, calculations, numbers):
        try:
            tree = read()
            equation = "" if tree.is_number else to_infix(tree)
            if not 0 < len(equation) <= EQUATION_LIMIT:
                continue
            value = evaluate_float(parse_expression(equation))  # parsed as any other reader will parse it
        except DataError:
            continue
        if published is None or published.agrees_with(value):
            return equation
    return ""


def _readers(
    text: str, program: str, calculations: Sequence[str], numbers: Sequence[str]
) -> Iterator[Callable[[], ExpressionTree]]:
    if program:
        named = numbers or [mention.text for mention in find_numbers(text)]
        yield lambda: program_tree(program, named)
    if calculations:
        values = SlotNumbers.of_text(text).values
        yield lambda: calculations_tree(calculations, values)
