r"""LaTeX prose to our text, and back: formulas stay, ``\textbf{x}`` becomes ``**x**``, lists and plain tables ours.

Commands that our pages can render are kept if our text has no equivalent; pure page layout is dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from analytics.text.characters import PICTURE, replace_text_macros
from analytics.text.formulas import segment_text
from analytics.text.plain_maths import bare_formulas
from questionbank.formats.latex.structure import GONE, FormulaWriter, without_comments
from questionbank.formulas import FormulaRefused, split_definitions

PictureName = Callable[[str], str]
"""Returns our name of a picture for its name in the source, or a file name for our name."""

_TOKEN = re.compile(
    r"\\(?P<edge>begin|end)\s*\{(?P<environment>[A-Za-z]{1,30}\*?)\}(?:\s*\[[^\[\]\n]{0,100}\])?"
    r"|(?P<accent>\\(?:[`'^\"~=.]\s*(?:\{\s*\\?[A-Za-z]\s*\}|\\?[A-Za-z](?![A-Za-z])|[A-Za-z])|[cvuHkrdb]\s*\{\s*[A-Za-z]\s*\}))"
    r"|\\(?P<escaped>[%&#_{}])|(?P<dollar>\\\$)"
    r"|(?P<line>\\\\\*?(?:[ \t]*\[[^\]\n]{0,20}\])?|\\(?:newline|linebreak)(?![A-Za-z])(?:\[\d\])?)"
    r"|\\includegraphics\*?\s*(?:\[(?P<looks>(?:[^\[\]{}]|\{[^{}]*\}){0,500})\])?\s*\{(?P<graphic>[^{}\n]{1,300})\}"
    r"|(?P<blank>\\(?:underline|uline)\s*\{(?:[\s~]|\\[ ,;:!]|\\q?quad(?![A-Za-z])|\\hspace\*?\s*\{[^{}\n]{0,30}\}"
    r"|\\hskip\s*[\d.]{1,6}[a-z]{2}|\\h?phantom\s*\{[^{}]*\})+\}"
    r"|\\rule\s*(?:\[[^\]\n]*\])?\s*\{[^{}\n]*\}\s*\{[^{}\n]*\}|\\(?:hrulefill|dotfill|fillin)(?![A-Za-z])(?:\[[^\]\n]*\]){0,2}(?:\{\})?)"
    r"|\\href\s*\{(?P<address>https?:[^{}\s]{1,500})\}\s*\{(?P<words>[^{}\n]{1,300})\}|\\url\s*\{(?P<url>[^{}\s]{1,500})\}"
    r"|(?P<gone>\\(?:[vh]space\*?|label|vskip|color|textcolor|fontsize|selectfont|setlength\s*\{[^{}]*\}|vphantom|hphantom|phantom|makebox|raisebox"
    r"|fillwithlines|fillwithdottedlines|fillwithgrid|makeemptybox|makeemptybox|addtolength\s*\{[^{}]*\}|stepcounter|hskip|addpoints)(?![A-Za-z])"
    r"(?:\s*\[[^\]\n]*\])?\s*(?:\{(?:[^{}\n]|\{[^{}\n]*\}){0,200}\})?"
    r"|\\(?:noindent|indent|centering|raggedright|newpage|clearpage|pagebreak|nopagebreak|filbreak|goodbreak|smallskip|medskip|bigskip|hfill|hfil|vfill"
    r"|vfil|normalsize|small|footnotesize|scriptsize|tiny|large|Large|LARGE|huge|Huge|displaystyle|normalfont|rmfamily|sffamily|upshape|mdseries"
    r"|strut|null|leavevmode|protect|relax|unskip|ignorespaces|xspace|noaddpoints|droptotalpoints|droppoints|lastchoices)(?![A-Za-z])(?:\[[^\]\n]{0,20}\])?)"
    r"|(?P<par>\\par(?![A-Za-z]))|(?P<item>\\item(?![A-Za-z])\s*(?:\[(?P<mark>[^\[\]\n]{0,40})\])?)"
    r"|\\(?P<style>textbf|emph|textit|textsl|textrm|textsf|textnormal|textmd|textup|mbox|hbox|text|fbox|parbox\s*\{[^{}]*\})\s*\{"
    r"|\\(?P<switch>bf|bfseries|it|itshape|em|sl|slshape)(?![A-Za-z])\s*"
    r"|\\(?P<footnote>footnote)\s*\{"
    r"|(?P<macro>\\[A-Za-z]+\*?)(?P<argument>\s*\{)?"
    r"|(?P<control>\\[ ,;:!/@\-])|(?P<open>\{)|(?P<close>\})"
    r"|(?P<tie>~)|(?P<dash>---?)|(?P<quotes>``|'')|(?P<tick>`)|(?P<space>[\s\0]+)"
)
_MARKS = {
    **dict.fromkeys(("textbf", "bf", "bfseries"), "**"),
    **dict.fromkeys(("emph", "textit", "textsl", "it", "itshape", "em", "sl", "slshape"), "*"),
}
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328", "b": "\u0331",
}  # fmt: skip
_LISTS = {"itemize": "-", "enumerate": "1", "description": "-", "compactitem": "-", "compactenum": "1"}
_BLOCKS = frozenset(
    "center flushleft flushright minipage figure figure* table table* quote quotation small document multicols"
    " onehalfspace singlespace spacing framed mdframed samepage sloppypar tcolorbox".split()
)
_MINIPAGE = re.compile(
    r"(\\begin\s*\{(?:minipage|multicols|spacing|tcolorbox|figure|table)\*?\}(?:\s*\[[^\[\]\n]{0,60}\])*)\s*\{[^{}\n]{0,60}\}"
)
_TABULAR = re.compile(
    r"\\begin\s*\{tabular[*x]?\}\s*(?:\[[a-z]\]\s*)?\{(?:[^{}]|\{[^{}]*\}){0,300}\}(?P<body>.*)\\end\s*\{tabular[*x]?\}\s*",
    re.DOTALL,
)
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|firsthline|lasthline)(?![A-Za-z])|\\c(?:line|midrule)\s*(?:\([^()]*\))?\s*\{[^{}]*\}"
)
_NO_ROWS = re.compile(r"\\(?:begin|multicolumn|multirow|includegraphics)")
_CELL = re.compile(r"\$[^$]*\$|\\.|&|[^$\\&]+|.", re.DOTALL)
_DEEPEST = 100  # nested groups
_KEPT = "\ufdd0{}\ufdd1"
_PLACEHOLDER = re.compile(r"\{@[^{}@]{1,80}@\}")


def latex_text(source: str, picture_name: PictureName) -> str:
    r"""Return our text of some LaTeX.

    >>> latex_text(r"\textbf{Solve} $x^2=4$ % easy", str), latex_text(r"5\% of \"Apfel ``x''", str)
    ('**Solve** $x^2=4$', '5% of Äpfel “x”')
    """
    source = without_comments(source).replace(GONE, "").strip()
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return _KEPT.format(len(kept) - 1)

    source = _PLACEHOLDER.sub(lambda match: keep(match[0]), _MINIPAGE.sub(r"\1", source))
    prose = _Prose(picture_name, keep)
    for segment in segment_text(source):
        if segment.kind == "text":
            prose.read(segment.source)
        else:
            formula = re.sub(r"\n\s*", "\n", segment.source).strip()
            table = _TABULAR.fullmatch(formula)
            rows = _rows(table["body"], picture_name) if table else ""
            if rows:
                prose.block(rows, keep)
            elif segment.display:
                prose.block(formula, keep)
            else:
                prose.out.append(keep(formula))
    text = tidy_text("".join(prose.out))
    for _round in range(2):  # placeholders may occur in formulas
        text = re.sub("\ufdd0(\\d+)\ufdd1", lambda match: kept[int(match[1])], text)
    return text


def tidy_text(text: str) -> str:
    """Return a text with single spaces within lines, and one empty line between paragraphs."""
    text = re.sub(r"[ \t\xa0]+", " ", text)
    text = re.sub(r" ?\n ?", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _rows(body: str, picture_name: PictureName) -> str:
    """Return the rows of a plain table between bars; empty if the table contains anything beyond plain rows."""
    if _NO_ROWS.search(body):
        return ""
    rows = []
    for line in re.split(r"\\\\(?:\[[^\]\n]{0,20}\])?|\\tabularnewline(?![A-Za-z])", _RULES.sub("", body)):
        cells = [""]
        for piece in _CELL.findall(line):
            if piece == "&":
                cells.append("")
            else:
                cells[-1] += piece
        texts = [" ".join(latex_text(cell, picture_name).split()).replace("|", "\\vert ") for cell in cells]
        if any(texts):
            rows.append(f"| {' | '.join(texts)} |")
    return "\n".join(rows)


class _Prose:
    """Reads stretches of prose one after the other; a group may begin in one and end in another."""

    def __init__(self, picture_name: PictureName, keep: Callable[[str], str]) -> None:
        self.out: list[str] = []
        self._picture_name, self._keep = picture_name, keep
        self._groups: list[tuple[str, int]] = []  # what closes a group, and its start in `out`
        self._too_deep = 0  # open groups beyond the limit
        self._argument_end = -1  # where a kept argument has just ended
        self._lists: list[tuple[str, int]] = []  # marker and number of each open list

    def read(self, source: str) -> None:
        place = 0
        for match in _TOKEN.finditer(source):
            if match.start() > place:
                self.out.append(source[place : match.start()])
            place = match.end()
            self._token(match)
        self.out.append(source[place:])

    def _begin(self, sign: str) -> None:
        if len(self._groups) < _DEEPEST:
            self._groups.append((sign, len(self.out)))
        else:
            self._too_deep += 1

    def block(self, text: str, keep: Callable[[str], str]) -> None:
        """Put a text on lines of its own."""
        self.out.append(f"\n{keep(text)}\n")

    def _token(self, match: re.Match[str]) -> None:
        kind = match.lastgroup or ""
        if kind in _PLAIN:
            self.out.append(_PLAIN[kind](match))
        else:
            _READERS[kind](self, match)

    def _graphic(self, match: re.Match[str]) -> None:
        name = self._picture_name(match["graphic"].strip())
        self.out.append(f"![{_alternative(match['looks'] or '')}]({name})")

    def _style(self, match: re.Match[str]) -> None:
        self._begin(_MARKS.get(match["style"], ""))

    def _footnote(self, _match: re.Match[str]) -> None:
        self.out.append(" (")
        self._begin(")")

    def _open(self, _match: re.Match[str]) -> None:
        if self._argument_end == len(self.out):
            self.out.append("{")
            self._begin("}")
        else:
            self._begin("")

    def _edge(self, match: re.Match[str]) -> None:
        edge, environment = match["edge"], match["environment"]
        if environment in _LISTS:
            if edge == "begin":
                self._lists.append((_LISTS[environment], 0))
            elif self._lists:
                self._lists.pop()
            self.out.append("\n\n")
        else:
            self.out.append("\n\n" if environment in _BLOCKS else self._keep(match[0]))

    def _item(self, match: re.Match[str]) -> None:
        mark = match["mark"]
        sign, number = self._lists.pop() if self._lists else ("-", 0)
        self._lists.append((sign, number + 1))
        start = f"{number + 1}. " if sign == "1" else "- "
        named = f"{replace_text_macros(mark)} " if mark and not re.fullmatch(r"[\s\\$a-z]*", mark) else ""
        self.out.append(f"\n{'  ' * min(8, len(self._lists) - 1) if self._lists else ''}{start}{named}")

    def _switch(self, match: re.Match[str]) -> None:
        """Begin an emphasis that lasts to the end of its group."""
        if self._groups and self._groups[-1][0] == "":
            self._groups[-1] = (_MARKS[match["switch"]], len(self.out))

    def _macro(self, match: re.Match[str]) -> None:
        macro, has_argument = match["macro"], match["argument"] is not None
        plain = replace_text_macros(macro)
        if plain != macro:
            self.out.append(plain)
            if has_argument:
                self._begin("")
        else:  # our pages may be able to render it
            self.out.append(macro + ("{" if has_argument else " "))
            if has_argument:
                self._begin("}")

    def _close(self, _match: re.Match[str]) -> None:
        if self._too_deep or not self._groups:
            self._too_deep = max(0, self._too_deep - 1)
            return
        sign, start = self._groups.pop()
        if sign in ("**", "*"):
            inner = "".join(self.out[start:])
            bare = inner.strip()
            if bare and not re.search(r"[\n*\ufdd0]", bare):
                before, behind = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
                self.out[start:] = [before, sign, bare, sign, behind]
        elif sign:
            self.out.append(sign)
            self._argument_end = len(self.out) if sign == "}" else -1


def _alternative(looks: str) -> str:
    found = re.search(r"(?:^|,)\s*alt\s*=\s*\{([^{}]*)\}", looks)
    plain = re.sub(r"\\([&%#_{}])", r"\1", found[1]) if found else ""
    return plain.replace("[", "(").replace("]", ")").strip()


def _accented(match: re.Match[str]) -> str:
    letters = re.findall(r"[A-Za-z]", match[0])
    return unicodedata.normalize("NFC", letters[-1] + _ACCENTS[match[0][1]])


_PLAIN: dict[str, Callable[[re.Match[str]], str]] = {
    "accent": _accented,
    "escaped": lambda match: match["escaped"],
    "line": lambda _match: "\n",
    "blank": lambda _match: "____",
    "url": lambda match: match["url"],
    "words": lambda match: f"[{replace_text_macros(match['words'])}]({match['address']})",
    "dollar": lambda match: match[0],
    "space": lambda match: "\n\n" if match[0].count("\n") > 1 else " ",
    "gone": lambda _match: " ",
    "par": lambda _match: "\n\n",
    "control": lambda match: "" if match[0] in ("\\-", "\\/", "\\@", "\\!") else " ",
    "tie": lambda _match: " ",
    "dash": lambda match: "—" if len(match[0]) == 3 else "–",
    "quotes": lambda match: "“" if match[0] == "``" else "”",
    "tick": lambda _match: "‘",
}
_READERS: dict[str, Callable[[_Prose, re.Match[str]], None]] = {
    "environment": _Prose._edge,
    "graphic": _Prose._graphic,
    "item": _Prose._item,
    "style": _Prose._style,
    "switch": _Prose._switch,
    "footnote": _Prose._footnote,
    "macro": _Prose._macro,
    "argument": _Prose._macro,
    "open": _Prose._open,
    "close": _Prose._close,
}

# -- writing --------------------------------------------------------------------------------------------------------

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\textdollar{}", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "\xa0": "~", "`": r"\textasciigrave{}", "–": "--",
    "—": "---",
    "“": "``", "”": "''", "[": "{[}", "]": "{]}", "‘": "`",
}  # fmt: skip
_SIGNS = re.compile("|".join(map(re.escape, sorted(_SPECIAL, key=len, reverse=True))))
_HYPHENS = re.compile(r"-(?=-)|'(?=')")
_INLINE = re.compile(
    r"(?P<picture>!\[(?:[^\[\]]|\[[^\[\]]*\])*\]\([^()\n]*\))|\*\*(?P<strong>[^*\n]+)\*\*"
    r"|(?<![\w*])\*(?P<em>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])|(?<!_)(?P<blank>____)(?!_)|(?P<gap>\[\[\d{1,3}\]\])|(?P<price>\\\$)"
    r"|\[(?P<words>[^\[\]\n]+)\]\((?P<address>https?:[^()\s]+)\)|(?P<kept>\ufdd0\d+\ufdd1)"
)
_PATH = re.compile(r"^[/~]|\.\./|[^\w ./()+-]")  # not allowed in a picture's name
_ADDRESS = re.compile(r"[\\{}%^#\s]")
_LIST_ITEM = re.compile(r"(?:-|(\d{1,3})\.) (.+)")
_ROW = re.compile(r"\| (.*) \|")


def text_latex(text: str, picture_file: PictureName) -> str:
    r"""Return LaTeX that `latex_text` reads back as this text, as far as LaTeX can express it.

    >>> text_latex("**Solve** $x^2=4$ for 5% & more", str)
    '\\textbf{Solve} $x^2=4$ for 5\\% \\& more'
    """
    kept: list[str] = []
    pieces = []
    formulas = FormulaWriter(text)
    for segment in segment_text(split_definitions(text)[1]):
        if segment.kind == "text":
            place = 0
            for start, end in bare_formulas(segment.source) if "](" not in segment.source else ():
                kept.append(_formula(f"${segment.source[start:end]}$", formulas))
                pieces += [segment.source[place:start], _KEPT.format(len(kept) - 1)]
                place = end
            pieces.append(segment.source[place:])
        else:
            kept.append(_formula(segment.source, formulas))
            pieces.append(_KEPT.format(len(kept) - 1))
            if segment.display:
                kept[-1] = f"\n{kept[-1]}\n"
    blocks = [_block(block, picture_file) for block in re.split(r"\n{2,}", "".join(pieces).strip())]
    latex = re.sub("\ufdd0(\\d+)\ufdd1", lambda match: kept[int(match[1])], "\n\n".join(blocks))
    latex = re.sub(r"(?:[ \t]*\\\\)?\n[ \t]*(?=\n(?:\$\$|\\\[|\\begin))", "", latex)
    return re.sub(r"\n\\\\(?=\n)", "", latex).strip("\n")  # a displayed formula breaks the lines itself


def _formula(source: str, formulas: FormulaWriter) -> str:
    """Return a formula with its delimiters; verbatim source if it may not be in a file that others compile."""
    try:
        return formulas.write(source)
    except FormulaRefused:
        return rf"\texttt{{{escaped(source)}}}"


def _block(block: str, picture_file: PictureName) -> str:
    lines = block.split("\n")
    items, rows = [_LIST_ITEM.fullmatch(line) for line in lines], [_ROW.fullmatch(line) for line in lines]
    if all(items):
        name = "enumerate" if items[0] and items[0][1] else "itemize"
        inner = "\n".join(rf"  \item {_inline(match[2], picture_file)}" for match in items if match)
        return f"\\begin{{{name}}}\n{inner}\n\\end{{{name}}}"
    if all(rows):
        cells = [match[1].split(" | ") for match in rows if match]
        widest = max(map(len, cells))
        inner = " \\\\ \\hline\n".join(" & ".join(_inline(cell, picture_file) for cell in row) for row in cells)
        return f"\\begin{{tabular}}{{|{'l|' * widest}}}\n\\hline\n{inner} \\\\ \\hline\n\\end{{tabular}}"
    return "\\\\\n".join(_inline(line, picture_file) for line in lines)


def _inline(text: str, picture_file: PictureName) -> str:
    pieces, place = [], 0
    for match in _INLINE.finditer(text):
        pieces.append(escaped(text[place : match.start()]))
        place = match.end()
        if match["picture"]:
            picture = PICTURE.fullmatch(match["picture"])
            assert picture is not None  # noqa: S101 - the same form
            named = f"alt={{{escaped(picture['alt'])}}}," if picture["alt"] else ""
            name = _PATH.sub("-", picture_file(picture["name"]))
            pieces.append(rf"\includegraphics[{named}width=0.5\linewidth]{{{name}}}")
        elif match["strong"] or match["em"]:
            command, inner = ("textbf", match["strong"]) if match["strong"] else ("emph", match["em"])
            shown = escaped(inner) if "*" in inner else _inline(inner, picture_file)
            pieces.append(rf"\{command}{{{shown}}}")
        elif match["address"]:
            pieces.append(rf"\href{{{_ADDRESS.sub('', match['address'])}}}{{{escaped(match['words'])}}}")
        else:
            pieces.append(r"\underline{\hspace{4em}}" if match["blank"] else match[0])
    return "".join([*pieces, escaped(text[place:])])


def escaped(text: str) -> str:
    """Escape every special character of LaTeX."""
    return _SIGNS.sub(lambda match: _SPECIAL[match[0]], _HYPHENS.sub(lambda match: f"{match[0]}\ufdd4", text)).replace(
        "\ufdd4", "{}"
    )
