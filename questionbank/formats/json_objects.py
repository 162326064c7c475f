"""JSON objects of a file, in bounded memory, and the repair of LaTeX with undoubled backslashes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from analytics.json_lines import LINE_LIMIT, UNPACKED_LIMIT, parse_object
from questionbank.core.errors import LineProblem
from questionbank.formats.lines import Progress, decode_text, first_bytes, read_lines, read_pieces

_NAMES = """
    backslash backsim bar barwedge because begin beta beth between bf big bigcap bigcirc bigcup bigg biggl biggm biggr
    bigl bigm bigodot bigoplus bigotimes bigr bigsqcup bigstar bigtriangledown bigtriangleup biguplus bigvee bigwedge
    binom blacklozenge blacksquare blacktriangle bm bmod boldsymbol bot bowtie box boxed boxdot boxminus boxplus
    boxtimes brace brack breve buildrel bullet bumpeq bcancel bra braket
    fbox fcolorbox flat footnotesize forall frac frak framebox frown
    nabla natural ncong ne nearrow neg neq newcommand newline nexists ngeq ngeqslant ngtr ni nleftarrow nleq nleqslant
    nless nmid nobreak noindent nolimits nonumber normalsize not notag notin nparallel nprec nrightarrow nsim nsubseteq
    nsucc nsupseteq ntriangleleft ntriangleright nu num nwarrow
    raise raisebox rangle rbrace rbrack rceil real require restriction rfloor rgroup rhd rho right rightarrow
    rightarrowtail rightharpoondown rightharpoonup rightleftharpoons rightleftarrows rightsquigarrow risingdotseq rlap
    rm rmoustache root rtimes rule rVert rvert
    tag tan tanh tau tbinom text textbf textcolor textgreater textit textless textmd textnormal textrm textsc textsf
    textstyle texttt textup textbackslash textdegree tfrac therefore theta thickapprox thicksim thinspace tilde times
    tiny to top triangle triangledown triangleleft trianglelefteq triangleq triangleright trianglerighteq tt
    twoheadrightarrow
    ulcorner uline unboldmath underbrace underbracket underline underleftarrow underrightarrow underset unlhd unrhd
    uparrow updownarrow upharpoonleft upharpoonright uplus upsilon upuparrows urcorner
"""
_COMMANDS = frozenset(_NAMES.split())
# Decoded as JSON escapes, these may be text: a new line that begins with "e" or "less", a cell "an" after a tab.
_UNSURE = frozenset("ne nu ni num neg nmid nless tan to top tt tau rm rangle".split())

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|([a-zA-Z]+)|(.))", re.DOTALL)
_DOUBLED = re.compile(r"(?<!\\)(?:\\\\)+(?:[a-zA-Z]{2}|\[.*\\\\\]|\(.*\\\\\))", re.DOTALL)
_FORMULA_MARK = re.compile(r"(?<!\\)\$\$?|\\\\?[()]")
_PROSE = re.compile(r"[A-Za-z]{3,}[.,;:]? [A-Za-z]{2,}")
_SUSPICIOUS = re.compile(rb"\\[bfnrt][a-z]")
_CONTROL = {"\b": "b", "\f": "f", "\t": "t", "\n": "n", "\r": "r"}
_LOST = re.compile(r"[\b\f\t\r]([a-z]+)")


def has_undoubled_latex(line: bytes) -> bool:
    r"""Return whether valid JSON may contain such LaTeX: a cheap test without false negatives."""
    return b"\\" in line and _SUSPICIOUS.search(line.replace(rb"\\", b"")) is not None


def is_command(name: str) -> bool:
    """Return whether letters after a backslash are a LaTeX command that JSON could hide."""
    return name in _COMMANDS


def repair_latex(line: str) -> tuple[str, list[int]]:
    r"""Double the backslashes that certainly begin LaTeX; return the line and the indices of the changed strings.

    >>> repair_latex(r'{"text": "$\frac{1}{2} \times 4$"}')
    ('{"text": "$\\\\frac{1}{2} \\\\times 4$"}', [1])
    >>> repair_latex(r'{"text": "First line.\nthen the next, $\\frac12$"}')[1]
    []
    """
    changed: list[int] = []
    pieces: list[str] = []
    end = 0
    for place, match in enumerate(_STRING.finditer(line)):
        string = match.group()
        if "\\" not in string:
            continue
        repaired = _repaired(string)
        if repaired != string:
            changed.append(place)
            pieces += [line[end : match.start()], repaired]
            end = match.end()
    return "".join([*pieces, line[end:]]), changed


def doubtful_command(line: str) -> str:
    r"""Return a LaTeX command that a line break or tab may stand for, if that cannot be decided; else empty.

    >>> doubtful_command(r'{"text": "The frequency \nu is 3."}'), doubtful_command(r'{"text": "a)\ni) one"}')
    ('nu', '')
    """
    for string in _STRING.findall(line):
        if _is_doubled(string):
            continue
        for match in _ESCAPE.finditer(string):
            if match[1] in _UNSURE and string[match.end()] not in ").:":
                return str(match[1])
    return ""


def mark_strings(line: str, places: Collection[int], mark: str) -> str:
    """Append `mark` to the strings at the given indices, counted as in `repair_latex`."""
    count = iter(range(len(line)))

    def marked(match: re.Match[str]) -> str:
        return f'{match.group()[:-1]}{mark}"' if next(count) in places else match.group()

    return _STRING.sub(marked, line)


def _repaired(string: str) -> str:
    formulas = _Formulas(string)
    escapes = [(match, *_meaning(match, formulas)) for match in _ESCAPE.finditer(string)]
    is_doubled = _is_doubled(string)
    is_undoubled = any(certain for _match, is_latex, certain in escapes if is_latex)
    if not is_undoubled and (is_doubled or not any(is_latex for _match, is_latex, _certain in escapes)):
        return string
    pieces: list[str] = []
    end = 0
    for match, is_latex, is_certain in escapes:
        source = match.group()
        takes = is_latex and (is_certain or formulas.hold(match.start(), may_be_prose=is_undoubled))
        if source == "\\\\":
            # between rows of a matrix, unless the writer doubles elsewhere and means one backslash
            takes = is_undoubled and not is_doubled
        if takes:
            latex = "'" if source == r"\'" else source.replace("\\", "\\\\")
            pieces += [string[end : match.start()], latex]
            end = match.end()
    return "".join([*pieces, string[end:]])


def _is_doubled(string: str) -> bool:
    """Return whether the string has a command with a doubled backslash."""
    return _DOUBLED.search(string) is not None


def _meaning(match: re.Match[str], formulas: _Formulas) -> tuple[bool, bool]:
    """Return whether an escape can be LaTeX, and whether it certainly is."""
    letters, sign = match[1], match[2]
    if sign:
        return sign not in '"\\/', sign not in '"\\/'
    if not letters:
        return False, False
    if letters[0] not in "bfnrt":  # not a JSON escape
        return True, True
    if letters not in _COMMANDS:
        return False, False
    # A formula never contains a tab or a carriage return, but a long one may have several lines.
    never = letters[0] in "tr" and formulas.hold(match.start(), may_be_prose=True)
    return True, never or letters not in _UNSURE


class _Formulas:
    """Positions of the formulas in a JSON string, found in one pass on first use."""

    def __init__(self, string: str) -> None:
        self._string = string
        self._spans: list[tuple[int, int, bool]] | None = None
        self._is_prose: dict[int, bool] = {}  # by index of the span

    def hold(self, place: int, *, may_be_prose: bool) -> bool:
        """Return whether a position is in a formula; unless `may_be_prose`, spans that look like prose do not count.

        Without `may_be_prose`, the start of a displayed formula does not count either, since its first line may be
        empty.
        """
        if self._spans is None:
            self._spans = self._found()
        index = bisect_right(self._spans, place, key=lambda span: span[0]) - 1
        if index < 0 or place >= self._spans[index][1]:
            return False
        start, end, is_displayed = self._spans[index]
        if may_be_prose:
            return True
        if index not in self._is_prose:
            self._is_prose[index] = _PROSE.search(self._string, start, end) is not None
        return not (is_displayed and place == start) and not self._is_prose[index]

    def _found(self) -> list[tuple[int, int, bool]]:
        spans: list[tuple[int, int, bool]] = []
        opened, start = "", 0
        for match in _FORMULA_MARK.finditer(self._string):
            sign = match.group().lstrip("\\")
            if not opened:
                if sign != ")":
                    opened, start = sign, match.end()
            elif sign == {"(": ")"}.get(opened, opened):
                spans.append((start, match.start(), opened == "$$"))
                opened = ""
            elif opened == "$" and sign == "$$":  # one formula ends, the next begins
                spans.append((start, match.start(), False))
                start = match.end()
        return spans


def lost_command(text: str) -> str:
    r"""Return the name of a LaTeX command whose backslash and first letter became a control character.

    >>> lost_command("\x0crac{1}{2}"), lost_command("1\t2"), lost_command("\x08x")
    ('frac', '', 'bx')
    """
    if not ("\b" in text or "\f" in text or "\t" in text or "\r" in text):
        return ""
    for match in _LOST.finditer(text):
        sign, name = match.group()[0], _CONTROL[match.group()[0]] + match[1]
        if sign in "\b\f" or (name in _COMMANDS and name not in _UNSURE):
            return name
    return ""


def restore_commands(text: str) -> str:
    r"""Restore the backslash of each known lost command; leave others as they are.

    >>> restore_commands("\x0crac{1}{2} \times 3")
    '\\frac{1}{2} \\times 3'
    """

    def restored(match: re.Match[str]) -> str:
        name = _CONTROL[match.group()[0]] + match[1]
        return f"\\{name}" if name in _COMMANDS and name not in _UNSURE else match.group()

    return _LOST.sub(restored, text)


_STEP = re.compile(rb'\\.|["{}\n]', re.DOTALL)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def json_objects(
    path: Path, *, progress: Progress | None = None, unpacked_limit: int = UNPACKED_LIMIT
) -> Iterator[tuple[int, bytes | LineProblem]]:
    """Yield (line number, text of an object), or the problem of one that is too long; skip blank lines.

    In JSON Lines every line counts as an object, whatever it contains.

    Raises:
        ImportRefused: the rest of the file cannot be read.
    """
    beginning = first_bytes(path, 4_096).removeprefix(_BYTE_ORDER_MARK).lstrip()
    if re.match(rb"\[\s*\{", beginning) or beginning.partition(b"\n")[0].strip() == b"{":
        yield from _objects(read_pieces(path, progress=progress, unpacked_limit=unpacked_limit))
        return
    for number, line in read_lines(path, progress=progress, unpacked_limit=unpacked_limit):
        if isinstance(line, LineProblem) or line.strip():
            yield number, line


def read_object(text: bytes, encoding: str) -> tuple[str, list[int], dict[str, Any]]:
    r"""Return an object's repaired text, the indices of strings with undoubled backslashes, and the object.

    Raises:
        ValueError: the text is not a JSON object; the message is for the user.
    """
    line = decode_text(text.rstrip(), encoding)
    repaired, changed = repair_latex(line) if has_undoubled_latex(text) else (line, [])
    try:
        return repaired, changed, parse_object(repaired)
    except ValueError:
        repaired, changed = repair_latex(line)  # \sqrt makes it invalid JSON
        if not changed:
            raise
        return repaired, changed, parse_object(repaired)


def _objects(pieces: Iterator[bytes]) -> Iterator[tuple[int, bytes | LineProblem]]:
    line, started_on, depth = 1, 0, 0
    is_string = False
    object_text = bytearray()
    rest = b""
    for piece in pieces:
        data = rest + piece
        # a backslash at the end of a piece belongs to the next piece
        odd = (len(data) - len(data.rstrip(b"\\"))) % 2
        rest, data = (b"\\", data[:-1]) if odd else (b"", data)
        taken = 0
        for step in _STEP.finditer(data):
            sign = step.group()
            if sign == b"\n":
                line += 1
            elif sign == b'"':
                is_string = not is_string
            elif is_string or len(sign) == 2:
                line += sign.count(b"\n")
            elif sign == b"{":
                if depth == 0:
                    started_on, taken = line, step.start()
                depth += 1
            elif depth:
                depth -= 1
                if depth == 0:
                    object_text += data[taken : step.end()]
                    if len(object_text) > LINE_LIMIT:
                        yield started_on, _too_long(started_on)
                    else:
                        yield started_on, bytes(object_text)
                    object_text.clear()
        if depth and len(object_text) <= LINE_LIMIT:
            object_text += data[taken:]
    if depth and len(object_text) > LINE_LIMIT:
        yield started_on, _too_long(started_on)
    elif depth:
        yield started_on, LineProblem(started_on, "not JSON: the object that begins here is never closed")


def _too_long(line: int) -> LineProblem:
    return LineProblem(line, f"the object is longer than {LINE_LIMIT:,} bytes")
