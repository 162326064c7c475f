r"""Texts of PG problems in our own: ``\( \)`` with Perl's variables in them, PG's names of signs, and PGML's marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from questionbank.formats.html_reading import between, html_to_our_text
from questionbank.formats.items import GAP, placeholder
from questionbank.formats.latex.prose import tidy_text

_SIGNS = {
    "BR": "\n", "PAR": "\n\n", "P": "\n\n", "HR": "\n\n", "BBOLD": "<b>", "EBOLD": "</b>", "BITALIC": "<i>",
    "EITALIC": "</i>",
    "SPACE": " ", "NBSP": " ", "BCENTER": "\n\n", "ECENTER": "\n\n", "BM": r"\(", "EM": r"\)", "BDM": r"\[",
    "EDM": r"\]",
    "LQ": "“", "RQ": "”", "LTS": "<", "GTS": ">", "LTE": "≤", "GTE": "≥", "LT": "<", "GT": ">", "US": "_",
    "DOLLAR": "\\$",
    "PERCENT": "%", "CARET": "^", "PI": r"\(\pi\)", "BUL": "- ", "ITEM": "\n- ", "BLIST": "\n", "ELIST": "\n",
    "SOL": "",
    "HINT": "", "SOLUTION": "", "BLABEL": "", "ELABEL": "", "BSMALL": "", "ESMALL": "", "BUN": "", "EUN": "",
    "ITEMSEP": "",
    "BKBD": "", "EKBD": "", "BEGIN_ONE_COLUMN": "", "END_ONE_COLUMN": "", "LB": "{", "RB": "}", "TILDE": "~",
    "SLASH": "\\",
}  # fmt: skip
ASKED = "\ufdd3"
"""Stands where the code says what is asked."""
_VALUE = re.compile(
    r"""(?:\w+\s*\(\s*)?(?P<q>["']?)(?P<value>[^"'$@()]{1,200})(?P=q)\s*\)?(?:->\w+(?:\(\))?)*"""
)
_VARIABLE = re.compile(
    r"(?<!\\)(?:\$\{\s*(?P<braced>\w+)\s*\}|\$(?P<name>[A-Za-z_]\w*)(?P<index>(?:\[[^\[\]\n]{1,40}\]|\{[^{}\n]{1,40}\}|->\[[^\[\]\n]{1,40}\])*)"
    r"|(?<![\w{])@(?P<list>[A-Za-z_]\w*)(?![\w.@]))"
)
_IMAGE = re.compile(r"""image\s*\(\s*["'](?P<name>[^"'$\n]{1,200})["']""")
_BESIDE = re.compile(
    r"print_a|buttons|beginproblem|AnswerFormatHelp|help(?:Link)?\s*\(|knowlLink|htmlLink|(?:open|close)(?:Span|Div)|iframe",
    re.IGNORECASE,
)
_MENU = re.compile(r"(?P<name>\$\w+)\s*->\s*(?:buttons|menu)\b")
_RULE = re.compile(
    r"(?:named_)?ans_(?:rule|box|array)|ans_radio|NAMED_ANS|pop_up_list|labeled_ans|->\s*(?:ans_|menu|named_ans)",
    re.IGNORECASE,
)
_GAP = re.compile(r"\[\s*_{1,200}[\s|^]*\]\*{0,3}(?P<answer>\{(?:[^{}]|\{[^{}]*\}){0,2000}\}){0,2}")
_TICKS = re.compile(r"\[(`{1,3})(?!`)")
_CALCULATOR = re.compile(r"\[(?P<colons>:{1,3})(?P<source>[^\n]{1,400}?)(?P=colons)\]\*{0,3}(?:\{[^{}]*\})?")
_SHOWN = re.compile(
    r"\[(?P<variable>[$@][A-Za-z_{][^\[\]\n]{0,80}(?:\[[^\[\]\n]{0,40}\])*[^\[\]\n]{0,40})\]\*{0,3}(?:\{[^{}]*\})?"
)
_PICTURE = re.compile(r"\[!(?P<alt>[^!\]]{0,500})!\](?:\{(?P<address>[^{}]{1,300})\}){1,4}")
_LINK = re.compile(r"\[<(?P<words>[^<>]{1,300})>\](?:\{(?P<address>[^{}]{1,300})\})?")
_HTML = re.compile(
    r"</?(?:b|i|p|br|hr|table|tr|td|th|ul|ol|li|img|center|sup|sub|div|span|a|em|strong|font|pre|h\d)\b[^<>]*>|&#?\w+;",
    re.IGNORECASE,
)


class PerlText:
    """What a text needs to know of its problem.

    Attributes:
        answers: the code of each answer that the text holds, as PGML writes it; empty for one that stands elsewhere.
    """

    def __init__(self, values: Mapping[str, str], picture: Callable[[str], str]) -> None:
        self.values, self.picture = values, picture
        self.answers: list[str] = []

    def with_values(self, text: str) -> str:
        """Return a text with the values of its variables, or with placeholders."""
        return _VARIABLE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        name = match["braced"] or match["name"] or match["list"]
        index = match["index"] or ""
        if not match["list"] and name in _SIGNS and not index:
            return _SIGNS[name]
        value = _VALUE.fullmatch(self.values.get(f"${name}", "")) if not index and not match["list"] else None
        return value["value"] if value else placeholder(name + index)

    def of_code(self, code: str) -> str:
        """Return what a text says where it calls some code."""
        if image := _IMAGE.search(code):
            return f"![]({self.picture(image['name'])})"
        if menu := _MENU.search(code):
            self.answers.append(menu["name"])
            return GAP
        if _RULE.search(code):
            self.answers.append("")
            return GAP
        if "print_q" in code:
            return ASKED
        if _BESIDE.search(code):  # options are read from the code
            return ""
        if bold := re.fullmatch(r"\s*(?:bold|BOLD)\s*\(\s*[\"']([^\"']{1,500})[\"']\s*\)\s*", code):
            return f"**{bold[1]}**"
        return placeholder(re.sub(r"->", " ", code))


def pg_text(source: str, text: PerlText) -> str:
    r"""Return the text between BEGIN_TEXT and END_TEXT.

    >>> pg_text(r"Is \($a x > 2\)? $BR \{ans_rule(5)\}", PerlText({"$a": "3"}, str))
    'Is $3 x \\gt 2$?\n____'
    """
    source = " ".join(between(source, r"\{", r"\}", text.of_code).split())  # as a browser reads it
    source = between(text.with_values(source), r"\(", r"\)", lambda latex: f"${_formula(latex)}$")
    source = between(source, r"\[", r"\]", lambda latex: f"\n$${_formula(latex)}$$\n")
    if _HTML.search(source):
        source = html_to_our_text(source.replace("\n", "<br>"))[0]
    return tidy_text(source)


def pgml_text(source: str, text: PerlText, *, is_question: bool = False) -> str:
    """Return the text between BEGIN_PGML and END_PGML.

    >>> pgml_text("Solve [`x + [$a] = 2`]. *x* = [____]{5}", PerlText({}, str))
    'Solve $x + {@a@} = 2$. **x** = ____'
    """
    source = between(source, "[%", "%]", lambda _comment: "")
    source = _SHOWN.sub(lambda match: text.with_values(match["variable"]), source)
    source = re.sub(r"(?<=@\])\*{1,3}", "", source)
    source = between(source, "[@", "@]", lambda code: _menu_as_gap(code) or text.of_code(code))
    source = _PICTURE.sub(lambda match: _picture(match, text), source)
    source = _LINK.sub(lambda match: match["words"], source)

    def gap(match: re.Match[str]) -> str:
        if is_question:
            text.answers.append((match["answer"] or "")[1:-1].strip())
        return GAP

    kept: list[str] = []

    def formula(latex: str, *, is_display: bool) -> str:
        kept.append(f"$${latex.strip()}$$" if is_display else f"${latex.strip()}$")
        return f"\ufdd0{len(kept) - 1}\ufdd1"

    source = _GAP.sub(gap, source)
    source = _with_formulas(
        source, lambda latex, ticks: formula(text.with_values(latex), is_display=ticks == 3)
    )
    source = _CALCULATOR.sub(
        lambda match: formula(text.with_values(match["source"]), is_display=False), source
    )
    source = re.sub(r"(?<![\w*])\*(?=\S)([^*\n]{1,300}?)(?<=\S)\*(?![\w*])", r"**\1**", source)
    source = re.sub(r"(?<![\w_])_(?=[^\s_])([^_\n]{1,300}?)(?<=[^\s_])_(?![\w_])", r"*\1*", source)
    source = re.sub(r"(?m)^[ \t]*>>[ \t]*(.*?)[ \t]*(?:<<)?[ \t]*$", r"\n\1\n", source)
    source = re.sub(r"(?m)^[ \t]*(?:[*+o-])[ \t]+(?=\S)", "- ", source)
    source = re.sub(r"(?m)^(?!- )(?=.*\S)(.*)\n(?=- )", r"\1\n\n", source)
    source = re.sub(r"(?m)^[ \t]*[-=]{3,}[ \t]*$|^#+[ \t]*|[ \t]*#+[ \t]*$", "", source)
    source = re.sub(r"  +\n", "\ufdd2", source)
    source = re.sub(r"\\([*_\[\]\\`{}#-])", r"\1", source)
    source = re.sub(r"(?<!\n)\n(?!\n|- |\d+\. )", " ", source).replace("\ufdd2", "\n")
    return re.sub(
        "\ufdd0(\\d+)\ufdd1", lambda match: kept[int(match[1])], tidy_text(text.with_values(source))
    )


def _menu_as_gap(code: str) -> str:
    """Return the gap that a menu is, so that gaps are met in their order; nothing for other code."""
    menu = _MENU.search(code)
    return f"[_]{{{menu['name']}}}" if menu else ""


def _picture(match: re.Match[str], text: PerlText) -> str:
    address = match["address"].strip("\"' ")
    name = text.picture(placeholder(address) if address.startswith("$") else address)
    return f"![{match['alt'].strip()}]({name})"


def _formula(latex: str) -> str:
    return " ".join(latex.split()).replace("<", r"\lt ").replace(">", r"\gt ")


def _with_formulas(source: str, shown: Callable[[str, int], str]) -> str:
    """Return a PGML text with its formulas, one to three ticks in brackets, written otherwise."""
    pieces, place = [], 0
    unclosed: set[int] = set()
    for match in _TICKS.finditer(source):
        ticks = len(match[1])
        if match.start() < place or ticks in unclosed:
            continue
        stop = source.find(match[1] + "]", match.end())
        if stop < 0:
            unclosed.add(ticks)
            continue
        pieces += [source[place : match.start()], shown(source[match.end() : stop], ticks)]
        place = stop + ticks + 1
    return "".join([*pieces, source[place:]])
