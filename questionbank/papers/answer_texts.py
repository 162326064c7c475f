"""Read the text of an answer: the answers of parts within it, and the result at the end of worked solutions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analytics.text.formulas import formula_segments
from analytics.text.meaning import same_meaning
from questionbank.papers import phrases
from questionbank.papers.marks import read_mark
from questionbank.papers.points import without_points
from questionbank.papers.tasks import truth_of

_LABELLED = re.compile(
    r"(?:^|(?<=[\s;,，；。.\u2003]))(?:part\s)?(?P<open>[(（\[])?(?:(?P<label>(?-i:[a-h])|(?-i:[ivx]{1,4})|\d(?=[)）]|\.\s))"
    r"(?:[)）\]]\.?|(?<=[a-h\d])[.:](?=\s)|(?<=[a-h])\s[-–—](?=\s)|(?<=[a-h])(?P<weak>(?=\s+(?:[\d$√]|[a-z]\s?=))))|(?P<circled>[①-⑳]))\s*",
    re.IGNORECASE,
)
_OPENING, _CLOSING = "(（[", (")", "）", "]")


def short_answer(text: str) -> str:
    """Remove a trailing full stop or semicolon from an answer; a sentence keeps its own.

    >>> short_answer("3/2."), short_answer("It has four right angles."), short_answer("20;")
    ('3/2', 'It has four right angles.', '20')
    """
    bare = text.rstrip(";；，, ")
    is_sentence = len(re.findall(r"[^\W\d_]{2,}", bare)) > 2 or "\n" in bare
    return bare if is_sentence else bare.rstrip(".。．") or text


def by_parts(text: str) -> dict[str, str]:
    r"""Split a text by the part labels at the start of its lines or within them; empty if there are no labels.

    >>> by_parts("a) 5; c) 7"), by_parts("(1) x = 2 (2) 3"), by_parts("(a) 5 cm"), by_parts("b) 5")
    ({'a': '5', 'c': '7'}, {'1': 'x = 2', '2': '3'}, {'a': '5 cm'}, {'b': '5'})
    >>> by_parts("(a) (i) 5 (ii) 7\n(b) 8"), by_parts("x = 4")
    ({'a': '(i) 5 (ii) 7', 'b': '8'}, {})
    """
    formulas = [(segment.start, segment.end) for segment in formula_segments(text)]
    places: list[re.Match[str]] = []
    for match in _LABELLED.finditer(text):
        if any(begin < match.start() < end for begin, end in formulas):
            continue
        if not places and text[: match.start()].strip():
            return {}
        label, before = _label(match), _label(places[-1]) if places else ""
        if len(label) > 1 and before in {*"abcdefgh"}:  # "(ii)" within "(a)"
            continue
        step = _rank(label) - _rank(before)
        is_like = not places or bool(match["open"]) == bool(places[0]["open"]) or step == 1
        if not places or (label.isdigit() == before.isdigit() and is_like and 0 < step <= 3):
            places.append(match)
    if any(match["weak"] is not None for match in places) and len(places) < 2:
        return {}
    ends = [*(match.start() for match in places[1:]), len(text)]
    return {
        _label(match).lower(): short_answer(text[match.end() : end].strip(" ;,，；\u2003\n"))
        for match, end in zip(places, ends, strict=False)
    }


def _label(match: re.Match[str]) -> str:
    return match["label"] or str(ord(match["circled"]) - ord("①") + 1)


def _rank(label: str) -> int:
    mark = read_mark(f"({label})")
    return mark.value if len(label) > 1 or mark.roman != 1 else 1


def answer_text(text: str) -> str:
    """Return an answer without the label before it and the points after it."""
    match = phrases.ANSWER.match(text) or phrases.KEY_TITLE.fullmatch(text.partition("\n")[0])
    text = text[match.end() :] if match else text
    if match and match[0][0] in _OPENING and text.rstrip(" .。").endswith(_CLOSING):  # "[Ans: 7]"
        text = text.rstrip(" .。")[:-1]
    bare = without_points(text)[0].strip(" \n") or text.strip(" \n()[]")  # "[15]" alone is not points
    return short_answer(bare) if bare else ""


def rename_by_order(labels: Sequence[str], answers: dict[str, str]) -> dict[str, str]:
    """Relabel answers by the parts' labels if there are as many and their own labels all differ: (i) for (a)."""
    if len(labels) == len(answers) > 0 and not {*labels} & {*answers}:
        return dict(zip(labels, answers.values(), strict=True))
    return answers


def in_order(labels: Sequence[str], text: str) -> dict[str, str]:
    """Return the parts' answers if a text lists them in order: between semicolons or gaps, or as true and false.

    >>> in_order(["i", "ii"], "T – F"), in_order(["a", "b"], "5; x = 6"), in_order(["a", "b"], "5")
    ({'i': 'True', 'ii': 'False'}, {'a': '5', 'b': 'x = 6'}, {})
    """
    truths = [truth_of(word) for word in re.split(r"[\s,;/–—、，；-]+", text.strip(" ."))]
    for pieces in (truths, re.split(r"\s*(?:[;；\n\t\u2003]|\s{2})\s*", text), re.split(r",\s+|，|、", text)):
        if len(pieces) == len(labels) > 1 and all(pieces):
            return dict(zip(labels, pieces, strict=True))
    return {}


# -- worked solutions --------------------------------------------------------------------------------------------------


_LEAD = re.compile(
    r"(?:\b(?:so(?! that)|hence|therefore|thus|also|i\.e\.|that is|it follows that|whence|daher|somit|folglich|donc"
    r"|d[’']où|luego|logo|então|portanto|assim|quindi|dunque|perciò|więc|zatem|stąd|dus"
    r"|por (?:lo )?tanto|es decir|de donde|resultado|ergebnis|result|choose|answer)\b|所以|因此|故|即|[⇒⟹∴])[\s,:：]*",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?:[;；。！\n]|(?<!i\.e)\.(?=\s))\s*")
_CLAUSES = re.compile(r"(?:[;；。！]|[.:：](?=\s))\s*")
_SAYS = re.compile(
    r".*\b(?:is|are|at|equals?|of|beträgt|ist|sind|est|sont|vaut|es|son|giv(?:es?|ing)|get|to|choose|wähle)\s+(?P<value>(?=[^a-z]*[\d$√]).{1,50})$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?P<value>(?:S?\\?[$£€]\s?)?[-−–+]?\d[\d.,/:]*(?:\s?(?:[^\W\d_]|[°%€£²³/]){1,6}\.?)?|\$[^$]{1,80}\$|\([-−\d][^()]*\))$"
)
_UNIT = re.compile(r"[=＝]\s*(?P<value>[-−]?[\d.,/]+)\s*[（(](?P<unit>[^\d（）()=]{1,6})[)）]")
_CHOSEN = re.compile(
    r"(?:answer(?: choice)?|choice|option|alternativa|letra|opción|opzione|réponse|antwort"
    r"|故|因此|应|所以)\s*(?:is|选|:)?\s*(?:option |choice )?"
    r"[(（]?([A-K]|(?<=[(（])[a-k])(?![\w’'])"
    r"|^[(（]?([A-K])(?:[)）.]{1,2}(?:\s|$)|\s*$|\s+(?:because|since|as|weil|car|porque|perché)\b)"
    r"|^[(]?(?:(?:option|choice|answer) )?[(]?([A-K])[)]? is (?:the )?(?:correct|right)\b",
    re.IGNORECASE,
)
_EXAMINER = re.compile(r"[\s,]+\(?[MAB][1-3]\)?(?=[\s,;:.]|$)")
"""An examiner's marks within working: "= 0 M1, so x = 3 A1"."""
_ASSIGNED = re.compile(r"\$?\s*[^\W\d]\w{0,2}(?:\([a-z]\))?\s*$")
_JOINED = re.compile(r"\b(?:or|and|oder|und|ou)\b|(?<=\S\s)(?:y|o|et)(?=\s[^=])|[,，、或和]")
_EQUATION = re.compile(  # "The tangent line is $y - 2 = 3x$"
    r"(?:\b(?:is|by|line|equation|form|ist|est|es|è|é|lautet)|为|[:：])\s*(\$(?!\s*[^\W\d]\w{0,2}(?:\([a-z]\))?\s*=)[^$=]*[a-z][^$=]*=[^$=]+\$)$"
)
_TAIL = re.compile(
    r"(?:[\s.…_]*\d{1,2}\s*分|\s*[\[(]\d{1,2}(?:\s*(?:pts?|marks?|points?|P)\.?)?[\])]|[\s.。,;；∎□]|\*+)+$"
)
_ONE = r"\$?[^\W\d][\w{}]{0,4}(?:\([a-z]\))?\s?=\s?[^=,，;；\s](?:[^=,，;；]|(?<=\d),(?=\d)){0,25}?"
_ASSIGNMENTS = re.compile(
    rf"(?:^|(?<=[\s，:：为是])(?<![-+−–×÷·*/]\s))({_ONE}(?:\s*(?:[,，、]|\bor|\band|\boder|\bund|\bou|\bet|\by|\bo|或|和)\s*{_ONE})+)$"
)
_ONE_ASSIGNED = re.compile(r"\$?[^\W\d][\w{}]{0,3}(?:\([a-z]\))?\s?=\s?[^=]{1,30}|[−–-]?\$?[^=\s]{1,25}")
_SENTENCE = re.compile(r"(?:yes|no|ja|nein|oui|non|sí|true|false|wahr|falsch)\b", re.IGNORECASE)
_NUMERAL = re.compile(r"(?:^|(?<=\s))\((i{1,3}|iv|v)\)\s*")
_LAST_STEP = re.compile(r"\\(?:approx|to|rightarrow|Rightarrow)(?![a-z])")
_LONGEST = 60


def chosen_letter(text: str) -> str:
    """Return the letter of the option that a solution names; empty if there is none.

    >>> chosen_letter("These are independent, so the answer is (b)."), chosen_letter("Choice C is correct.")
    ('B', 'C')
    """
    found = [match[1] or match[2] or match[3] for match in _CHOSEN.finditer(text)]
    return found[-1].upper() if found else ""


def is_working(text: str) -> bool:
    """Return whether a text shows working rather than just an answer.

    >>> is_working("0,70 · 85 = 59,50 €"), is_working("x = 2 or x = 3"), is_working("y = 3x + 2")
    (True, False, False)
    """
    text = text.replace("＝", "=")
    said = re.split(r":\s", text.strip(" ."))
    if ("=" in text and _EXAMINER.search(text)) or (len(text) > _LONGEST and len(said) > 1 and _SAYS.match(said[-1])):
        return True
    if _SENTENCE.match(text) or all(
        map(_ONE_ASSIGNED.fullmatch, re.split(r"\s*[;；、]\s*|,\s+|，|\s+OR\s+", text.strip(" .;")))
    ):
        return False
    if _LEAD.search(text) or "\n" in text or len(_CLAUSES.sub(" ", text)) < len(text) - 4:
        return "=" in text or "⇒" in text or bool(_LEAD.search(text) and re.search(r"\d", text))
    before, sign, behind = text.replace("＝", "=").partition("=")
    if "=" in behind:
        assigned = _ASSIGNMENTS.search(text)
        return assigned is None or "=" in text[: assigned.start()]
    if sign and before.startswith("$") and same_meaning(before.strip("$ "), behind.strip("$ .")) == "same":
        return True  # a step from one form to another
    variables = re.search(r"(?<![^\W\d_])[a-zA-Z](?![^\W\d_])|\\|\^", before.rpartition(":")[2])
    is_fraction = re.fullmatch(r"\s*\d+\s*/\s*\d+\s*", before) is not None  # "10/32 = 0.3125" gives the answer twice
    return bool(sign) and variables is None and not is_fraction and re.search(r"\d.*[-+−–×÷·*/:]", before) is not None


def is_sure(working: str) -> bool:
    """Return whether working is a single calculation or states its answer explicitly.

    >>> is_sure("350 ÷ 6 = 58.3 mm"), is_sure("x = 7, so it takes 7 days")
    (True, False)
    """
    plain = re.sub(r"\\[a-zA-Z]+", "", working)
    return "答：" in working or not re.search(r"[^\W\d_]{3,}\s|\$\s\w+\s\$|[;；,，：\n]|\.\s|[⇒<>＜＞≤≥]", plain)


def concluded(text: str) -> str:
    r"""Return the answer at the end of a worked solution; empty if it does not end with one.

    >>> concluded("Since x + 1 = 5, x = 4."), concluded("At (1, 2) the slope is $-4/5$.")
    ('x = 4', '$-4/5$')
    >>> concluded("9 – k = 6, k = 3")
    'k = 3'
    >>> concluded("480÷120＝4（小时） 答：4小时后两车相遇。"), concluded("The top slides down at 5/6 ft/s.")
    ('4小时', '5/6 ft/s')
    """
    text = _EXAMINER.sub(";", text)
    if "＝" in text:
        return concluded(text.replace("＝", "=").replace("．", ".")).replace("=", "＝")
    if units := [*_UNIT.finditer(text)]:
        return f"{units[-1]['value']}{units[-1]['unit']}"
    worked, said = re.split(r"答\s*[：:]", text)[0], text.partition("答")[2].strip(" ：:。.")
    if said and (value := re.search(r"\d[\d.]*[^\d，。,\s]{0,3}$", said)):
        return value[0]
    text = worked or text
    sentences = [sentence for sentence in _SENTENCES.split(_TAIL.sub("", text)) if sentence.strip()]
    clause = sentences[-1] if sentences else ""
    if leads := [*_LEAD.finditer(clause)]:
        clause = clause[leads[-1].end() :] or clause
    else:
        clause = re.split(r"[:：]\s", clause)[-1]
    clause = _TAIL.sub("", clause.strip())
    found = _value_of(clause, text)
    is_short = bool(leads) and len(clause) <= _LONGEST and re.search(r"[\d$]", clause) is not None
    return found if found is not None else clause * is_short


def _value_of(clause: str, text: str) -> str | None:
    """Return the value in the last clause of a text; empty if unclear, None if there is no value."""
    if clause.count(")") > clause.count("(") and "(" not in clause:
        return ""  # the end of an aside
    if equation := _EQUATION.search(clause):
        return equation[1]
    if assigned := _ASSIGNMENTS.search(clause):
        return assigned[1]
    if "=" in clause or "＝" in clause or "≈" in clause or _LAST_STEP.search(clause):
        return _behind_equals(clause)
    if len(text) <= _LONGEST and not re.search(r"[^\W\d_]{3,}|[\n=]", text):
        return text.strip(" .")  # nothing but the answer: "3x + 6"
    value = _SAYS.search(clause) or _VALUE.search(clause)
    return value["value"].strip() if value else None


def concluded_by_numerals(text: str) -> str:
    r"""Return the result of a worked solution, or of each of its parts (i), (ii).

    >>> concluded_by_numerals("(i) 7 + 76 = 83\n(ii) 10 × 90 = 900"), concluded_by_numerals("3 + 4 = 7")
    ('(i) 83 (ii) 900', '7')
    """
    before, *pieces = _NUMERAL.split(text)
    if len(pieces) < 4 or before.strip():  # numeral and text of two parts
        return concluded(text)
    ends = [concluded(piece) or piece.strip() for piece in pieces[1::2]]
    return " ".join(f"({numeral}) {end}" for numeral, end in zip(pieces[::2], ends, strict=True))


def _behind_equals(clause: str) -> str:
    """Return the text after the last equals sign, including the variable if nothing else precedes the sign."""
    formulas = [(segment.start, segment.end) for segment in formula_segments(clause)]
    place = _last_equals(clause)
    if place < 0:
        return ""
    inside = next(((start, end) for start, end in formulas if start < place < end), None)
    before, behind = clause[:place], clause[place + 1 :].strip()
    start = inside[0] if inside else max(before.rfind(","), before.rfind("，")) + 1
    if _ASSIGNED.fullmatch(clause[start:place].strip().lstrip("$")):
        return clause[start:].strip()
    if inside and behind:
        opening = "$$" if clause.startswith("$$", inside[0]) else "$"
        behind = f"{opening}{behind}".replace("$$", "$")
    return behind if behind and len(behind) <= 2 * _LONGEST else ""


def _last_equals(text: str) -> int:
    """Return the index of the last equals sign outside brackets and matrices; -1 if there is none."""
    deep, last = 0, -1
    for place, sign in enumerate(text):
        deep += (sign == "{") - (sign == "}")
        deep += text.startswith("\\begin", place) - text.startswith("\\end", place)
        if sign in "=＝≈" and deep <= 0 and text[place - 1 : place] not in ("<", ">", "\\"):
            last = place
        elif (step := _LAST_STEP.match(text, place)) and deep <= 0:
            last = step.end() - 1
    return last


_RESULT = re.compile(r"(?P<opening>\$?)\s*(?:[^\W\d_]{3,}\s*)?[=＝]\s*(?=[^=＝]+$)")
_WORKS = re.compile(r"[=＝≈⇒→÷×]|\\(?:times|frac|approx|Rightarrow)")
_ENDS_ASSIGNED = re.compile(r"\$?\s*[^\W\d](?:_?\w)?(?:\([a-z]\))?\s*[=<>≤≥][^=]+(?:\b(?:or|and)\b[^=]+=[^=]+)?$")


def concluding(texts: Sequence[str]) -> str:
    """Return the answer at the end of working, or all lines if they are not working; empty if unclear.

    >>> concluding(["30/2", "= 15 cm"]), concluding(["No,", "they differ"]), concluding(["2x = 4", "9 - 3 = 6, x = 2"])
    ('15 cm', 'No, they differ', '')
    """
    *steps, last = texts
    if match := _RESULT.match(last):
        return f"{match['opening']}{last[match.end() :]}"
    if not any(_WORKS.search(text) for text in steps):
        return " ".join(text if text.endswith((",", ":")) else f"{text};" for text in texts).rstrip(";")
    return last if not _WORKS.search(last) or _ENDS_ASSIGNED.match(last) else ""
