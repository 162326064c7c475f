r"""WeBWorK's PG problems: read as text, never run.

Between ``BEGIN_TEXT`` and ``END_TEXT`` (or ``BEGIN_PGML`` and ``END_PGML``) stands the question, with Perl's variables
in it; comments before ``DOCUMENT()`` file it under subject, chapter and section of the Open Problem Library. A problem
that draws its numbers, or whose text Perl computes, keeps its variables as placeholders.
https://webwork.maa.org/wiki/Problem_Authoring; macros/core/PGML.pl
"""

from __future__ import annotations

import re

from analytics.question_content import AcceptedAnswer, Blank, MatchingPair
from questionbank.formats.computed_answers import assigned, computed_answer
from questionbank.formats.folders import Folder
from questionbank.formats.items import (
    GAP,
    Item,
    concept_of,
    has_placeholder,
    numbered_gaps,
    placeholder,
    with_others,
)
from questionbank.formats.kinds import lettered
from questionbank.formats.webwork_texts import ASKED, PerlText, pg_text, pgml_text
from questionbank.formats.written_numbers import finite_number

_TAG = re.compile(
    r"^\s*#+[ \t]*(DBsubject|DBchapter|DBsection|Level|Language|KEYWORDS)\s*\(\s*(.{0,1000}?)\s*\)\s*;?\s*$",
    re.MULTILINE,
)
_BEGINS = re.compile(
    r"^[ \t]*(?:BEGIN_(?P<block>TEXT|PGML|PGML_SOLUTION|PGML_HINT|SOLUTION|HINT)\b.*$"
    r"|(?P<call>TEXT|SOLUTION|HINT|HEADER_TEXT|STATEMENT)\b[^\n]{0,200}<<\s*['\"]?(?P<end>\w+)['\"]?[^\n]*$)",
    re.MULTILINE,
)
_DRAWS = re.compile(
    r"(?<![\w$@%])(?:non_zero_random|list_random|random\w*|NchooseK|nchoosek|shuffle|rand|srand|SRAND|"
    r"randomPrime|random_coprime|numbered_random|random_subset)\s*\(|->\s*(?:getRandom|random\w*|rand|choose)\b"
    r"|\$problemSeed|\$envir\{\s*'?problemSeed"
)
_ASSIGNED = re.compile(r"^[ \t]*(?:my\s+)?(?P<name>\$\w+)\s*=\s*(?P<value>[^\n;]{1,400}?)\s*;", re.MULTILINE)
_GAP_MARK = re.compile(GAP)
_GRADED = re.compile(
    r"(?:\w*cmp\w*\s*\(\s*)?(?P<name>\$\w+)\s*(?:,.*)?\)?\s*(?:->\s*(?:cmp|with)\b.*)?", re.DOTALL
)
_CHANGED = re.compile(r"(\$\w+)\s*(?:[-+*/.|x]|\*\*)=|(\$\w+)\s*(?:\+\+|--)|(?:\+\+|--)\s*(\$\w+)")
_LITERAL = re.compile(
    r"""(?:(?:Real|Compute|Formula|String|Fraction|Complex|Point|Vector|Interval|List|Set|num_cmp|std_num_cmp|strict_num_cmp
    |str_cmp|std_str_cmp|fun_cmp|interval_cmp|number_list_cmp|Integer)\s*\(\s*)?
    (?:(?P<q>["'])(?P<text>(?:[^"'\\]|\\.){0,300}?)(?P=q)|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>\$\w+))
    \s*(?:,[^()]{0,200})?\)?\s*(?:->\s*(?:cmp|with|reduce)\s*(?:\([^()]{0,300}\))?\s*){0,3}""",
    re.VERBOSE,
)
_ANS = re.compile(r"(?<![\w$])(?:WEIGHTED_)?ANS\s*\(\s*(?P<inner>[^;]{1,400}?)\s*\)\s*;")
_CHOICES = re.compile(
    r"(?P<name>\$\w+)\s*=\s*(?P<kind>RadioButtons|PopUp|DropDown|CheckboxList)\s*\(\s*\[(?P<options>[^;]{1,4000}?)\]\s*"
    r"(?:,\s*(?P<right>\[[^\]]{0,500}\]|[^,;)]{1,400}?)\s*)?[,)]"
)
_OLD_CHOICE = re.compile(
    r"(?P<name>\$\w+)\s*->\s*(?P<what>qa|extra|makeLast)\s*\(\s*(?P<args>[^;]{0,4000}?)\s*\)\s*;"
)
_LIST = re.compile(r"new_(?:match|select|pop_up_select)_list\s*\(")
_STRING = re.compile(
    r"""(?P<q>["'])(?P<text>(?:(?!(?P=q))[^\\]|\\.){0,2000})(?P=q)|(?P<number>-?\d+(?:\.\d+)?)(?![\w.])"""
)
_HEADING = re.compile(r"\s*\**SOLUTION:?\**\s*", re.IGNORECASE)
_NO_NAMES = frozenset({"", "ZZZ-Inserted Text", "TODO", "N/A", "Uncategorized"})


def is_pg(beginning: str, name: str) -> bool:
    """Return whether a file is a PG problem."""
    has_code = re.search(r"^[ \t]*(?:DOCUMENT\s*\(\s*\)|loadMacros\s*\()", beginning, re.MULTILINE)
    has_text = re.search(r"^[ \t]*BEGIN_(?:PGML|TEXT)\b", beginning, re.MULTILINE)
    return has_code is not None or (
        has_text is not None and (name.endswith(".pg") or "ENDDOCUMENT" in beginning)
    )


def read_problem(source: str, item: Item, folder: Folder, name: str) -> None:
    """Fill an item from a problem. Raises ValueError where it is none."""
    item.row["id"] = name if len(folder.names) > 1 else ""
    _Problem(source, item).read()


class _Problem:
    def __init__(self, source: str, item: Item) -> None:
        self.item = item
        self.header = source
        self.blocks: list[tuple[str, str]] = []
        self.code = self._split(source)
        if not any(kind in ("TEXT", "PGML") for kind, _text in self.blocks):
            raise ValueError("has no text between BEGIN_TEXT and END_TEXT, or BEGIN_PGML and END_PGML")
        self.values = _plain_values(self.code)
        self.menus = {menu["name"]: menu for menu in _CHOICES.finditer(self.code)}

    def _split(self, source: str) -> str:
        """Take the texts out of a problem; returns its code, without comments."""
        code, place = [], 0
        while begin := _BEGINS.search(source, place):
            code.append(source[place : begin.start()])
            ending = begin["end"] or f"END_{begin['block']}"
            end = re.compile(rf"^[ \t]*{ending}\b.*$", re.MULTILINE).search(source, begin.end())
            kind = begin["block"] or {"SOLUTION": "SOLUTION", "HINT": "HINT"}.get(begin["call"], "TEXT")
            if begin["call"] == "TEXT" and "SOLUTION" in begin[0]:
                kind = "SOLUTION"
            stop = end.start() if end else len(source)
            self.blocks.append((kind, source[begin.end() : stop]))
            if end is None:
                self.item.say("text", f"text: {ending} is missing")
            place = end.end() if end else len(source)
        code.append(source[place:])
        return re.sub(r"(?m)^\s*#.*$|\s#\s.*$", "", "\n".join(code))

    def read(self) -> None:
        item = self.item
        self._tags()
        text = PerlText(self.values, item.picture)
        parts = {"TEXT": [], "SOLUTION": [], "HINT": []}  # type: dict[str, list[str]]
        for kind, source in self.blocks:
            place = "SOLUTION" if kind.endswith("SOLUTION") else "HINT" if kind.endswith("HINT") else "TEXT"
            is_pgml = kind.startswith("PGML")
            shown = pgml_text(source, text, is_question=place == "TEXT") if is_pgml else pg_text(source, text)
            parts[place].append(shown)
        item.row["text"] = "\n\n".join(filter(None, parts["TEXT"]))
        item.row["solution"] = _HEADING.sub("", "\n\n".join(filter(None, parts["SOLUTION"])))
        item.content["hints"] = tuple(filter(None, parts["HINT"]))
        choices = self._choices(text)
        item.row["text"] = item.row["text"].replace(ASKED, placeholder("questions"))
        said = (item.row["text"], *(one.text for one in item.row["options"]))
        is_computed = any(map(has_placeholder, said))
        item.is_drawn |= is_computed or (not choices and _DRAWS.search(self.code) is not None)
        if choices and item.row["kind"] == "choice" and item.row["text"].count(GAP) > len(self.menus):
            item.is_drawn = True
            item.say("kind", "it asks for a choice and for typed answers, so it is kept as another type")
        self._answers(text, has_choices=choices)

    def _tags(self) -> None:
        found = _TAG.finditer(self.header[:20_000])
        tags = {match[1]: match[2].strip().strip("'\"").strip() for match in found}
        names = [tags.get(name, "") for name in ("DBsubject", "DBchapter", "DBsection")]
        self.item.row["concepts"] = concept_of(name for name in names if name not in _NO_NAMES)
        level = finite_number(tags.get("Level"))
        if level is not None and 1 <= level <= 6:
            on_scale = level <= 5
            self.item.row |= {"difficulty": level} | ({"difficulty_scale": "1-5"} if on_scale else {})
        if tags.get("Language", "").isalpha():
            self.item.row["language"] = tags["Language"].lower()
        words = [word.strip(" '\"\t") for word in re.split(r"['\"]?\s*,\s*['\"]?", tags.get("KEYWORDS", ""))]
        self.item.content["tags"] = tuple(dict.fromkeys(word[:100] for word in words if word))[:50]

    # -- choices ---------------------------------------------------------------------------------------------------

    def _choices(self, text: PerlText) -> bool:
        """Read a question whose options, or pairs, stand in the code; returns whether it is one."""
        if len(self.menus) == 1 and len(text.answers) <= 1:
            return self._menu(*self.menus.values())
        pairs, extra = self._listed()
        if not pairs:
            return False
        is_several = len({question for question, _answer in pairs}) > 1
        is_list = ASKED in self.item.row["text"] and (is_several or _LIST.search(self.code) is not None)
        if is_list:
            self._pairs(pairs, extra)
            return True
        asked, right = pairs[0]
        shown = self.item.row["text"].replace(ASKED, asked).strip()
        self.item.row["text"] = shown if asked in shown else f"{shown}\n\n{asked}".strip()
        rights = [right, *(answer for question, answer in pairs[1:] if question == asked)]
        return self._chosen([*rights, *extra], {*rights}, is_single="checkbox" not in self.code)

    def _menu(self, menu: re.Match[str]) -> bool:
        options, right = self._offered(menu)
        if menu["kind"] in ("RadioButtons", "CheckboxList"):  # which stand where their gap is
            self.item.row["text"] = self.item.row["text"].replace(GAP, "")
        return self._chosen(options, right, is_single=menu["kind"] != "CheckboxList")

    def _offered(self, menu: re.Match[str]) -> tuple[list[str], set[str]]:
        options = [self._plain(found) for found in _STRING.finditer(menu["options"])]
        stated = (menu["right"] or "").strip()
        right = {self._plain(found) for found in _STRING.finditer(stated)}
        right |= {
            options[int(one)]
            for one in right
            if one.isdigit() and one not in options and int(one) < len(options)
        }
        return [option for option in options if option not in ("?", "Choose", "Select")], right

    def _listed(self) -> tuple[list[tuple[str, str]], list[str]]:
        """Return questions with their answers, and further answers, of the older macros' lists."""
        pairs: list[tuple[str, str]] = []
        extra: list[str] = []
        for match in _OLD_CHOICE.finditer(self.code):
            strings = [self._plain(found) for found in _STRING.finditer(match["args"])]
            if match["what"] != "qa":
                extra += strings
            elif _LIST.search(self.code):
                pairs += zip(strings[::2], strings[1::2], strict=False)
            else:  # one question with its right answers
                pairs += [(strings[0], answer) for answer in strings[1:]] if strings else []
        return pairs, extra

    def _pairs(self, pairs: list[tuple[str, str]], extra: list[str]) -> None:
        row = self.item.row
        asked = "\n".join(f"- {question}" for question, _answer in pairs)
        self.item.is_drawn = "choose" in self.code  # some of them, by chance
        if self.item.is_drawn:
            row["text"] = re.sub(rf"\s*{ASKED}\s*", lambda _mark: f"\n\n{asked}\n\n", row["text"]).strip()
            return
        row |= {"kind": "matching", "text": row["text"].replace(ASKED, "").strip()}
        asked_pairs = (MatchingPair(question, answer) for question, answer in pairs)
        self.item.content["pairs"] = with_others(asked_pairs, extra)

    def _chosen(self, options: list[str], right: set[str], *, is_single: bool) -> bool:
        options = [option for option in dict.fromkeys(options) if option.strip()]
        if len(options) < 2:
            return False
        self.item.choose([(option, option in right, "") for option in options], is_single=is_single)
        row = self.item.row
        row["text"] = re.sub(
            rf"(?:\{{@[^@]*(?:print_a|buttons|menu)[^@]*@\}}|{GAP}|\[\[1\]\])\s*$", "", row["text"]
        ).rstrip()
        return True

    def _plain(self, found: re.Match[str]) -> str:
        source = found["number"] or re.sub(r"\\(['\"\\])", r"\1", found["text"])
        if found["q"] == '"':
            return pg_text(source, PerlText(self.values, self.item.picture))
        return pg_text(source.replace("$", "\\$"), PerlText({}, self.item.picture))

    # -- typed answers -----------------------------------------------------------------------------------------------

    def _answers(self, text: PerlText, *, has_choices: bool) -> None:
        """Read the answers that are typed or chosen in gaps; of what the code computes, what it says."""
        item = self.item
        sources = [*filter(None, text.answers)] or [match["inner"] for match in _ANS.finditer(self.code)]
        blanks = [*map(self._blank, sources)]
        gaps = item.row["text"].count(GAP)
        if item.is_drawn or not all(blanks):
            names = (named["name"] if (named := _GRADED.fullmatch(one)) else one for one in sources)
            item.computed = computed_answer(names, assigned(_ASSIGNED, self.code))
        if has_choices:
            return
        if not all(blanks) or not blanks:
            if gaps and not item.is_drawn:
                item.say("answer", "the answer is computed by the problem's code, which is not run")
        elif len(blanks) == 1 and gaps <= 1 and blanks[0] and blanks[0].accepted:
            item.typed(blanks[0].accepted)
        elif len(blanks) == gaps:
            item.row["text"] = numbered_gaps(_GAP_MARK, item.row["text"])
            item.row["kind"] = "blanks"
            item.content["blanks"] = tuple(blanks)

    def _blank(self, source: str) -> Blank | None:
        """Return the gap whose answer some code plainly says; None where it has to be computed."""
        named = _GRADED.fullmatch(source)
        menu = self.menus.get(named["name"]) if named else None
        if menu is not None:
            options, right = self._offered(menu)
            return Blank("choice", (), lettered((option, option in right, "") for option in options))
        answer = self._literal(source)
        kind = "short" if finite_number(answer) is None else "number"
        return Blank(kind, (AcceptedAnswer(answer),)) if answer else None

    def _literal(self, source: str) -> str:
        """Return the answer that some code plainly says, or nothing."""
        for _step in range(4):
            found = _LITERAL.fullmatch(source.strip())
            if found is None:
                return ""
            if not found["name"]:
                value = found["number"] or found["text"] or ""
                return "" if re.search(r"[$@]\w", value) else value
            if found["name"] not in self.values:
                return ""
            source = self.values[found["name"]]
        return ""


def _plain_values(code: str) -> dict[str, str]:
    """Return the code of each variable that is assigned once, and never changed."""
    values: dict[str, str] = {}
    changed = {name for match in _CHANGED.finditer(code) for name in match.groups() if name}
    for match in _ASSIGNED.finditer(code):
        if match["name"] in values:
            changed.add(match["name"])
        values[match["name"]] = match["value"]
    return {
        name: value for name, value in values.items() if name not in changed and _LITERAL.fullmatch(value)
    }
