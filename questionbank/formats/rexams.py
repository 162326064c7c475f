r"""Exercises of R/exams, in R Markdown (.Rmd) and Sweave (.Rnw): read as text, their code is never run.

Question and Solution stand under headings or in environments, each with an answer list; the meta-information says the
type (``schoice``, ``mchoice``, ``num``, ``string``, ``cloze``), the solution and its tolerance. What R computes
(```r a```, ``\Sexpr{a}``) keeps its name as a placeholder. https://www.r-exams.org/intro/dynamic/
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest

from analytics.question_content import AcceptedAnswer, Blank
from questionbank.formats.computed_answers import assigned, computed_answer
from questionbank.formats.folders import Folder
from questionbank.formats.items import (
    GAP,
    Item,
    concept_of,
    has_placeholder,
    placeholder,
)
from questionbank.formats.kinds import lettered
from questionbank.formats.latex.prose import latex_text
from questionbank.formats.latex.structure import (
    braced,
    cut,
    rewritten,
    split_items,
    top_environments,
    without_comments,
)
from questionbank.formats.written_numbers import finite_number

_CHUNK = re.compile(
    r"^```+\s*\{\s*r\b.*?(?:^```+\s*$|\Z)|^<<[^\n]*>>=[ \t]*$.*?(?:^@[^\n]*$|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_VALUE = re.compile(r"`r\s+([^`]{1,2000})`")
_ASSIGNED = re.compile(
    r"^[ \t]*(?P<name>[A-Za-z.][\w.]*)[ \t]*(?:<-|=)[ \t]*(?P<value>[^\n]{1,400}?)[ \t]*$", re.MULTILINE
)
_SEXPR = re.compile(r"\\Sexpr\s*(?=\{)")
_HEADING = re.compile(
    r"^[ \t]*(?P<name>[A-Za-z][A-Za-z -]{2,40})[ \t]*\n[ \t]*(?P<line>={3,}|-{3,})[ \t]*$", re.MULTILINE
)
_META = re.compile(r"^[ \t]*(ex[a-z]+(?:\[[^\]\n]*\])?)[ \t]*:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_LATEX_META = re.compile(r"\\(ex[a-z]+)\s*(\[[^\]\n]*\])?\s*(?=\{)")
_ITEM = re.compile(r"^[ \t]{0,3}[*+-][ \t]+", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^\]]{0,1000})\]\(([^()\s]{1,300})(?:\s+[^()]*)?\)(?:\{[^{}\n]*\})?")
_SHOWN_CODE = re.compile(
    r"answerlist\s*\(|include_graphics|plot\s*\(|fig\s*=|results\s*=\s*[\"']?(?:asis|tex)", re.IGNORECASE
)
_PLOT = re.compile(r"include_(?:graphics|tikz)|(?:plot|hist|curve)\s*\(|fig\s*=", re.IGNORECASE)
_ANSWER = re.compile(r"##ANSWER(\d{1,3})##")
_BITS = re.compile(r"[01]+")


@dataclass(slots=True)
class _Parts:
    """What an exercise consists of, as it is written."""

    question: str = ""
    choices: list[str] = field(default_factory=list)
    solution: str = ""
    remarks: list[str] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)


def is_rexams(beginning: str, name: str) -> bool:
    """Return whether a file is an exercise."""
    if re.search(r"^[ \t]*Question[ \t]*\n[ \t]*={3,}", beginning, re.MULTILINE) and (
        "ex" in beginning or name.endswith(".rmd")
    ):
        return True
    return (
        re.search(r"\\begin\s*\{question\}(?!\s*\{)", beginning) is not None
        and re.search(r"\\ex(?:type|solution|name)\s*\{|\\begin\s*\{solution\}", beginning) is not None
    )


def read_exercise(source: str, item: Item, _folder: Folder, _name: str) -> None:
    """Fill an item from an exercise. Raises ValueError where it is none."""
    _Exercise(source, item).read()


class _Exercise:
    def __init__(self, source: str, item: Item) -> None:
        self._item = item
        self._is_latex = re.search(r"\\begin\s*\{question\}", source) is not None
        self._has_shown_code = False
        self._code = "\n".join(match[0] for match in _CHUNK.finditer(source))
        self._parts = self._latex_parts(source) if self._is_latex else self._markdown_parts(source)
        if not self._parts.question.strip() and not self._has_shown_code:
            raise ValueError("has no text under the heading Question")

    # -- what it consists of ---------------------------------------------------------------------------------------

    def _without_code(self, source: str, *, is_question: bool = False) -> str:
        def gone(match: re.Match[str]) -> str:
            if not is_question or not _SHOWN_CODE.search(match[0]):
                return ""
            self._has_shown_code = True
            if "answerlist" in match[0]:
                reason = "the options stand in R's code, which is not run: the file keeps them"
                self._item.say("options", reason)
            return "\n\n[figure]\n\n" if _PLOT.search(match[0]) else ""

        return _CHUNK.sub(gone, source)

    def _markdown_parts(self, source: str) -> _Parts:
        parts = _Parts()
        headings = [*_HEADING.finditer(source)]
        section = ""
        for heading, after in zip_longest(headings, headings[1:]):
            text = source[heading.end() : after.start() if after else len(source)]
            name = heading["name"].strip().lower()
            if heading["line"].startswith("="):
                section = name
                if name == "question":
                    parts.question = self._without_code(text, is_question=True)
                elif name == "solution":
                    parts.solution = self._without_code(text)
                elif name.startswith("meta"):
                    parts.meta = {match[1].lower(): match[2] for match in _META.finditer(text)}
            elif name == "answerlist":
                plain = self._without_code(text, is_question=section == "question")
                found = [one.strip() for one in _ITEM.split(plain)[1:]]
                if section == "question":
                    parts.choices = found
                elif section == "solution":
                    parts.remarks = found
        return parts

    def _latex_parts(self, source: str) -> _Parts:
        plain = without_comments(
            _CHUNK.sub(lambda match: self._without_code(match[0], is_question=True), source)
        )
        parts = _Parts()
        for environment in top_environments(plain, ("question", "solution")):
            lists = top_environments(environment.body, ("answerlist",))
            items = [
                body.strip() for one in lists for _command, _option, body in split_items(one.body, ("item",))
            ]
            text = cut(environment.body, lists, "")
            if environment.name == "question":
                parts.question, parts.choices = text, items
            else:
                parts.solution, parts.remarks = text, items
        stated = without_comments(re.sub(r"(?m)^[ \t]*%+[ \t]*(?=\\ex[a-z]+\b)", "", source))
        for match in _LATEX_META.finditer(stated):
            value, _end = braced(stated, match.end())
            parts.meta[match[1].lower() + (match[2] or "")] = " ".join(value.split())
        return parts

    # -- texts -----------------------------------------------------------------------------------------------------

    def _text(self, source: str, place: str) -> str:
        item = self._item
        if self._is_latex:
            return latex_text(_with_sexprs(source, placeholder), lambda name: item.picture(name, place))
        text = _VALUE.sub(lambda match: placeholder(match[1]), source)
        text = _PICTURE.sub(lambda match: f"![{match[1]}]({item.picture(match[2], place)})", text)
        text = re.sub(r"\\\n|  +\n", "\ufdd0", text)
        text = re.sub(r"(?<!\n)(?<!\|)\n(?!\n|[ \t]*(?:[-*+]|\d+[.)])[ \t]|[ \t]*\|)", " ", text)
        if "<" in text and re.search(r"</?(?:p|br|b|i|sub|sup|img|table|ul|ol|li|strong|em)\b", text):
            text = item.html(re.sub(r"\n", "<br>", text), place)
        text = re.sub(r"[ \t]+", " ", text).replace("\ufdd0", "\n")
        return re.sub(r"\n{3,}", "\n\n", re.sub(r" +\n", "\n", text)).strip()

    def read(self) -> None:
        item, parts = self._item, self._parts
        meta = parts.meta
        item.row["text"] = self._text(parts.question, "text")
        choices = [self._text(choice, "options") for choice in parts.choices]
        remarks = [self._text(remark, "solution") for remark in parts.remarks]
        type = meta.get("extype", "").lower()
        item.row["solution"] = self._text(parts.solution, "solution")
        name, title = (
            "" if has_placeholder(self._text(stated, "title")) else stated
            for stated in (meta.get("exname", ""), meta.get("extitle", ""))
        )
        item.row["id"], item.content["title"] = name, title[:1_000]
        points = [*map(finite_number, meta.get("expoints", "").split("|"))]  # of a cloze, one each
        item.content["points"] = None if None in points else sum(filter(None, points))
        item.row["concepts"] = concept_of(meta.get("exsection", "").split("/"))
        item.content["tags"] = tuple(
            tag.strip()[:100] for tag in meta.get("extags", "").split(",") if tag.strip()
        )[:50]
        solution = self._text(meta.get("exsolution", ""), "answer")
        item.is_drawn = self._has_shown_code or any(
            map(has_placeholder, [item.row["text"], solution, *choices])
        )
        if type == "cloze":
            self._cloze(choices, solution, meta)
        elif type in ("schoice", "mchoice") or (not type and choices):
            self._choice(choices, remarks, solution, is_single=type != "mchoice")
        else:
            self._typed(type, solution, meta)
        if remarks and (type == "cloze" or len(remarks) != len(choices)):
            item.row["solution"] = "\n".join([item.row["solution"], *(f"- {one}" for one in remarks)]).strip()
        if has_placeholder(solution):
            code = _VALUE.sub(lambda match: match[1], _with_sexprs(meta["exsolution"], str))
            pieces = code.split("|") if type == "cloze" else [code]
            item.computed = computed_answer(pieces, assigned(_ASSIGNED, self._code))
        if not item.is_drawn and not solution and type != "string":
            item.say("answer", "the meta-information has no exsolution")

    # -- answers ---------------------------------------------------------------------------------------------------

    def _choice(self, choices: list[str], remarks: list[str], solution: str, *, is_single: bool) -> None:
        bits = solution if _BITS.fullmatch(solution) and len(solution) == len(choices) else ""
        said = [_bare(remark) for remark in remarks] if len(remarks) == len(choices) else [""] * len(choices)
        right = [bit == "1" for bit in bits] or [False] * len(choices)
        self._item.choose(zip(choices, right, said, strict=True), is_single=is_single)

    def _typed(self, type: str, solution: str, meta: dict[str, str]) -> None:
        tolerance = finite_number(meta.get("extol"))
        if type == "num":
            self._item.typed([AcceptedAnswer(solution, tolerance=tolerance or None)], "number")
        elif type == "string" and solution and meta.get("exstringtype", "string") == "string":
            self._item.typed([AcceptedAnswer(solution)], "short")
        else:
            self._item.row |= {"kind": "open", "answer": solution}

    def _cloze(self, choices: list[str], solution: str, meta: dict[str, str]) -> None:
        types = [one.strip() for one in meta.get("exclozetype", "").split("|")]
        solutions = [one.strip() for one in solution.split("|")]
        tolerances = [finite_number(one) for one in meta.get("extol", "").split("|")]
        item, left, blanks, shown = self._item, [*choices], [], []
        if len(types) != len(solutions):
            types = ["num" if finite_number(one) is not None else "string" for one in solutions]
        for place, (type, right) in enumerate(zip(types, solutions, strict=True), start=1):
            if type in ("schoice", "mchoice"):
                texts, left = left[: len(right)], left[len(right) :]
                share = 1 / max(1, right.count("1"))
                weighed = ((text, share * (bit == "1"), "") for text, bit in zip(texts, right, strict=False))
                style = "MULTIRESPONSE" if type == "mchoice" else ""
                blanks.append(Blank("choice", (), lettered(weighed), style=style))
                asked = " / ".join(texts) if item.is_drawn else ""  # which no gap of ours keeps then
            else:
                asked, left = (left[0], left[1:]) if left else ("", left)
                tolerance = tolerances[place - 1] if place <= len(tolerances) else tolerances[0]
                answer = AcceptedAnswer(right, tolerance=(tolerance or None) if type == "num" else None)
                blanks.append(Blank("number" if type == "num" else "short", (answer,) if right else ()))
            shown.append((place, asked))
        text = item.row["text"]
        has_places = _ANSWER.search(text) is not None
        text = _ANSWER.sub(lambda match: f"[[{int(match[1])}]]", text)
        if not has_places:
            text += "\n\n" + "\n".join(
                f"{place}. {asked} [[{place}]]".replace("  ", " ") for place, asked in shown
            )
        item.row |= {"kind": "blanks", "text": text.strip()}
        item.content["blanks"] = tuple(blanks)
        if any(has_placeholder(one) for one in solutions):
            item.row["text"] = re.sub(r"\[\[\d+\]\]", GAP, item.row["text"])


def _with_sexprs(source: str, shown: Callable[[str], str]) -> str:
    r"""Return a text with what R computes (``\Sexpr{a}``) shown as something else."""

    def written(match: re.Match[str]) -> tuple[str, int]:
        code, end = braced(source, match.end())
        return shown(code), end

    return rewritten(source, _SEXPR, written)


def _bare(remark: str) -> str:
    """Return what a remark says beside whether its option is right."""
    return re.sub(r"^(?:True|False|Richtig|Falsch|Correct|Wrong)\b[.:!]?\s*", "", remark)
