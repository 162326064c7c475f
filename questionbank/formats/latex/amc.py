r"""Auto Multiple Choice (AMC): ``question`` and ``questionmult`` with right and wrong choices, in groups of elements.

French and English names: ``\bonne`` is ``\correctchoice``. https://www.auto-multiple-choice.net, "LaTeX format"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from analytics.question_content import AcceptedAnswer, Option
from analytics.records import QuestionRecord
from questionbank.formats.computed_answers import assigned, computed_answer
from questionbank.formats.derived_answer import derived_answer
from questionbank.formats.fields import exported_path
from questionbank.formats.items import Item, concept_of, placeholder
from questionbank.formats.kinds import right_labels
from questionbank.formats.latex.files import Dialect, Slice
from questionbank.formats.latex.structure import braced, cut, option, rewritten, split_items, top_environments
from questionbank.formats.seam import CannotHold
from questionbank.formats.written_numbers import finite_number

FORMAT = "amc"
_QUESTIONS = ("question", "questionmult", "questionmultx")
_CHOICES = ("choices", "choiceshoriz", "choicescustom", "reponses", "reponseshoriz", "reponsesperso")
_RIGHT, _WRONG = ("correctchoice", "bonne"), ("wrongchoice", "mauvaise")
_ASKS = re.compile(
    r"\\usepackage\s*(?:\[[^\]]*\])?\s*\{automultiplechoice\}|\\begin\s*\{question(?:multx?)?\}\s*\{"
    r"|\\(?:correctchoice|bonne)\s*\{"
)
_ELEMENT = re.compile(r"\\element\s*(?=\{)")
_OPENED = re.compile(r"\\(?:onecopy|exemplaire|AMCrandomseed|examplepapers)\s*\{")
_SCORE = re.compile(
    r"\\(?:scoring|bareme|AMCsection|QuestionIndicative|AMCdontScan|AMCdontAnnotate)(?![A-Za-z])"
)
_EXPLAIN = re.compile(r"\\explain(?![A-Za-z])")
_NUMBER = re.compile(
    r"\\AMC(?:numericChoices|numericOpts|IntervalFormat)(?![A-Za-z])|\\AMCnumericShow(?![A-Za-z])"
)
_OPEN = re.compile(r"\\(?:AMCOpen|AMCOuvert|AMCotextReserved)(?![A-Za-z])")
_DRAWN = re.compile(
    r"\\(?:FP[A-Za-z]+|pgfmath[A-Za-z]*|directlua|luaexec|luacode|sagestr|sage|py|fpeval|fpEval|randomi[a-z]*)(?![A-Za-z])"
)
_SHOWN = re.compile(
    r"\\(?:FPprint|pgfmathprintnumber|sage|sagestr|py|directlua|fpeval)(?![A-Za-z])\s*(?=[{\\])"
)
_SET = re.compile(
    r"\\(?:FP(?!print)[A-Za-z]+|pgfmath(?:set|trunc|random)[A-Za-z]*|FPseed)(?![A-Za-z])(?:\s*(?:\\[A-Za-z]+|\{[^{}\n]*\}|\([^()\n]*\)|=[^\n\\]*))*"
)
_OF_DRAWN = re.compile(
    r"\\(?:FPeval|FPset|FPrandom|FPround|FPtrunc|FPadd|FPsub|FPmul|FPdiv|pgfmathrandominteger|pgfmathsetmacro|pgfmathtruncatemacro)\s*\{?\s*\\?([A-Za-z]+)"
)
_DEFINED = re.compile(r"\\def\s*\\([A-Za-z]+)")
_ASSIGNED = re.compile(r"\\FP(?:eval|set)\s*\{?\s*\\?(?P<name>[A-Za-z]+)\}?\s*\{(?P<value>[^{}\n]{1,300})\}")
_NAME = re.compile(r"\{@([^@]*)@\}")
_COLUMNS = re.compile(r"\\(?:begin|end)\s*\{multicols\*?\}(?:\{\d\})?")
_RIGHT_SCORE = re.compile(r"(?<![A-Za-z])(?:b|scoreexact)\s*=\s*(\d+(?:\.\d+)?)")
_PLAIN_NAME = re.compile(r"[^\w.:-]+")
_GROUP = re.compile(r"[{}\\%#$&~^_]+")
_NO_CONCEPT = "questions"  # the group of questions without a concept
_HEAD = r"""% Compile with LuaLaTeX or XeLaTeX, in Auto Multiple Choice.
\documentclass[a4paper]{article}
\usepackage{iftex,fontspec,amsmath,amssymb,graphicx,hyperref}
\usepackage[box,completemulti]{automultiplechoice}
CHINESE\begin{document}
"""


def is_amc(beginning: str, _name: str) -> bool:
    """Return whether a file is a document for AMC, or a part of one."""
    return _ASKS.search(beginning) is not None


# -- reading ---------------------------------------------------------------------------------------------------------


def _slices(clean: str) -> list[Slice]:
    groups = [*_elements(clean)]
    drawn = "|".join(dict.fromkeys(_OF_DRAWN.findall(clean)))
    found: list[Slice] = []
    before, at = 0, 0
    for environment in top_environments(clean, _QUESTIONS):
        while at < len(groups) and groups[at][2] < environment.start:
            at += 1
        inside = at < len(groups) and groups[at][1] <= environment.start
        group = groups[at][3] if inside else ""
        identifier, behind = braced(environment.body, 0)
        start, end = environment.start, environment.end
        around = clean[groups[at][1] : start] + clean[end : groups[at][2]] if inside else ""
        if inside and not re.sub(r"[\s\0]", "", _SET.sub("", around)):
            start, end = groups[at][0], groups[at][2] + 1  # an element of one question goes with it
        name = " ".join(identifier.split())
        stated = {"id": name, "group": group, "kind": environment.name, "drawn": drawn}
        found.append(Slice(start, end, environment.body[behind:], before, stated))
        before = end
    return found


def _elements(clean: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield where each element begins, where its questions begin and end, and its group."""
    for match in _ELEMENT.finditer(clean):
        group, behind = braced(clean, match.end())
        _questions, end = braced(clean, behind)
        if end > behind:
            yield match.start(), clean.index("{", behind) + 1, end - 1, " ".join(group.split())


def _read(item: Item, found: Slice, text: Callable[[str, str], str]) -> None:
    stated = found.stated
    item.row["id"] = stated["id"]
    item.row["concepts"] = concept_of(stated["group"].split(" > ") if stated["group"] != _NO_CONCEPT else ())
    body = found.body
    names = stated["drawn"]
    is_drawn = _DRAWN.search(body) is not None
    if is_drawn or (names and re.search(rf"\\(?:{names})(?![A-Za-z])", body)):
        is_drawn = True
        body = _with_placeholders(body, names)
    environments = top_environments(body, _CHOICES)
    asked = cut(body, environments)
    asked, scores = _without(_COLUMNS.sub("", asked), _SCORE, arguments=1)
    asked, explained = _without(asked, _EXPLAIN, arguments=1)
    asked, numbers = _without(asked, _NUMBER, arguments=2)
    asked, opened = _without(asked, _OPEN, arguments=2)
    item.row["text"] = text(asked, "text")
    item.row["solution"] = "\n\n".join(text(one[0], "solution") for one in explained)
    choices = [choice for one in environments for choice in _choices(one.body, text)]
    if choices:
        item.choose(choices, is_single=stated["kind"] == "question")
    elif numbers:
        item.typed([_accepted(numbers[0], text)], "number")
    elif not opened and is_drawn:
        item.say("kind", "the question has neither choices nor a box to write in")
    item.content["points"] = _points([*scores, *(one[1:] for one in (*numbers, *opened))])
    item.is_drawn = is_drawn
    if is_drawn and numbers:
        item.computed = computed_answer(_NAME.findall(numbers[0][0]), assigned(_ASSIGNED, found.body))


def _points(scores: Iterable[Sequence[str]]) -> float | None:
    """Return what a right answer gives by the scoring of a question, its number or the boxes of its grader."""
    said = [one for score in scores for one in score]
    stated = _RIGHT_SCORE.search(" ".join(said))
    return finite_number(stated[1]) if stated else max(filter(None, map(finite_number, said)), default=None)


def _without(body: str, command: re.Pattern[str], *, arguments: int) -> tuple[str, list[list[str]]]:
    """Return a text without a command, and the arguments of each."""
    found: list[list[str]] = []

    def gone(match: re.Match[str]) -> tuple[str, int]:
        _stated, end = option(body, match.end())
        given = []
        for _argument in range(arguments):
            argument, behind = braced(body, end)
            if behind == end:
                break
            given.append(argument)
            end = behind
        found.append([*given, "", ""])
        return "", end

    return rewritten(body, command, gone), found


def _choices(body: str, text: Callable[[str, str], str]) -> Iterator[tuple[str, bool, str]]:
    for match, _stated, behind in split_items(body, (*_RIGHT, *_WRONG)):
        inner, end = braced(behind, 0)
        _rest, explained = _without(behind[end:], _EXPLAIN, arguments=1)
        if shown := text(_without(inner, _SCORE, arguments=1)[0], "options"):
            yield shown, match["item"] in _RIGHT, text(explained[0][0], "feedback") if explained else ""


def _accepted(numbers: Sequence[str], text: Callable[[str, str], str]) -> AcceptedAnswer:
    answer, options = text(numbers[0], "answer"), numbers[1]
    approx = re.search(r"(?:^|,)\s*approx\s*=\s*(\d+(?:\.\d+)?)", options)
    decimals = re.search(r"(?:^|,)\s*decimals\s*=\s*(\d+)", options)
    tolerance = finite_number(approx[1]) if approx else None
    if tolerance and decimals:  # counted in units of the last digit
        tolerance = float(f"{tolerance * 10 ** -min(int(decimals[1]), 15):.12g}")
    return AcceptedAnswer(answer, tolerance=tolerance or None)


def _with_placeholders(body: str, drawn: str) -> str:
    names = {*filter(None, drawn.split("|")), *_DEFINED.findall(body)}
    body = _SET.sub("", body)

    def shown(match: re.Match[str]) -> tuple[str, int]:
        inner, end = braced(body, match.end())
        named = re.compile(r"\\[A-Za-z]+").match(body, end) if end == match.end() else None
        return (placeholder(named[0]), named.end()) if named else (placeholder(inner), end)

    body = rewritten(body, _SHOWN, shown)
    alternatives = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return (
        re.sub(rf"\\({alternatives})(?![A-Za-z])(?:\{{\}})?", lambda match: placeholder(match[1]), body)
        if names
        else body
    )


# -- writing ---------------------------------------------------------------------------------------------------------


def _write(record: QuestionRecord, latex: Callable[[str], str]) -> str:
    content = record.content
    name = "question"
    if record.kind in ("choice", "true_false"):
        options = record.options or tuple(Option(word, word) for word in ("True", "False"))
        answer = derived_answer(
            kind=record.kind, options=record.options, answer=record.answer, content=content
        )
        right = right_labels(answer, [option.label for option in options]) or []
        name = "questionmult" if len(right) > 1 or content.settings.get("single") == "false" else name
        lines = [
            rf"    \{'correct' if one.label in right else 'wrong'}choice{{{latex(one.text)}}}"
            + (rf"\explain{{{latex(one.feedback)}}}" if one.feedback else "")
            for one in options
        ]
        inner = "\n".join(["  \\begin{choices}", *lines, "  \\end{choices}"])
    elif record.kind == "number" and (number := _numeric(record)):
        inner = f"  {number}"
    elif record.kind in ("open", "short", "number", "description"):
        inner = r"  \AMCOpen{lines=4}{\wrongchoice[W]{w}\scoring{0}\correctchoice[R]{r}\scoring{1}}"
    else:
        raise CannotHold("questions with gaps, parts, pairs or an order")
    identifier = _PLAIN_NAME.sub("-", record.id) or "q"
    lines = [rf"\begin{{{name}}}{{{identifier}}}", latex(record.text), inner]
    if record.solution:
        lines.append(rf"\explain{{{latex(record.solution)}}}")
    return "\n".join([*lines, rf"\end{{{name}}}"])


def _numeric(record: QuestionRecord) -> str:
    """Return the boxes for a number; nothing where AMC has none for it."""
    accepted = record.content.accepted
    answer = accepted[0] if len(accepted) == 1 else AcceptedAnswer(record.answer)
    is_plain = re.fullmatch(r"-?\d{1,9}(?:\.\d{1,9})?", answer.text) and len(accepted) < 2
    if not is_plain or answer.tolerance_kind != "absolute":
        return ""
    whole, _point, decimals = answer.text.lstrip("-").partition(".")
    sign = str(answer.text[0] == "-").lower()
    looks = [f"digits={len(whole) + len(decimals)}", f"decimals={len(decimals)}", f"sign={sign}"]
    units = (answer.tolerance or 0) * 10 ** len(decimals)
    looks += [f"approx={units:.10g}"] if units else []
    return rf"\AMCnumericChoices{{{answer.text}}}{{{','.join(looks)}}}"


def _group(record: QuestionRecord) -> str:
    path = exported_path(record.concepts[0]) if record.concepts else []
    return _GROUP.sub(" ", " > ".join(path)).strip() or _NO_CONCEPT


def _foot(groups: Sequence[str]) -> str:
    inserted = "\n".join(rf"\insertgroup{{{group}}}" for group in groups)
    return f"\n\\onecopy{{1}}{{\n{inserted}\n}}\n\\end{{document}}\n"


AMC = Dialect(
    format=FORMAT,
    slices=_slices,
    read=_read,
    write=_write,
    head=_HEAD,
    foot=_foot,
    kept=(*_RIGHT, *_WRONG, "element", "explain", "scoring", "bareme"),
    begins=_OPENED,
    group=_group,
    wrap=lambda data, group: f"\\element{{{group}}}{{\n{data}\n}}",
)
