r"""Locate commands, environments and groups in LaTeX, and decide which of them a file for somebody else may contain.

Nothing is run: ``\input`` is never followed. Every function takes time linear in the length of the source, however deep
the nesting.

TeX is a programming language: ``\input{/etc/passwd}`` prints a file of the person who compiles it, ``\directlua`` runs
a program. A question's text may come from anybody, so a file only gets commands that are known to draw something, and
no definitions, since a definition may give any name to any command. Macros are expanded instead. Anything else is
written as verbatim source, which is shown and runs nothing.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import zip_longest

from questionbank.formulas import FormulaRefused, engine_commands, formula_mathml, split_definitions

GONE = "\0"
"""Replaces each character of a comment, so that offsets stay valid."""
_TEX_COMMENT = re.compile(
    r"\\begin\s*\{(?P<name>verbatim\*?|Verbatim|lstlisting|minted)\}|\\[\\%]|(?P<comment>%[^\n]*(?:\n[ \t]*(?!\s*\n))?)"
)
_BRACE_OR_ESCAPE = re.compile(r"\\.|[{}]", re.DOTALL)
_SPACE = re.compile(r"[\s\0]*")
_ARGUMENT = re.compile(r"[\s\0]*(\\[A-Za-z]+|\\.|[^\\{}$&\s\0])", re.DOTALL)
_OPTION = re.compile(r"[ \t\0]*\n?[ \t\0]*\[((?:[^\[\]{}]|\{[^{}]*\}){0,500})\]")
_DEFINES = re.compile(
    r"\\(?:(?:re|provide)?newcommand\*?|renewcommand\*?|providecommand\*?)\s*\{?\s*\\(?P<name>[A-Za-z]+)\s*\}?"
    r"\s*(?:\[(?P<count>[0-9])\])?\s*(?P<default>\[[^\]]*\])?\s*(?=\{)"
    r"|\\def\s*\\(?P<defined>[A-Za-z]+)\s*(?P<parameters>(?:#[1-9])*)\s*(?=\{)"
    r"|\\DeclareMathOperator(?P<star>\*?)\s*\{\s*\\(?P<operator>[A-Za-z]+)\s*\}\s*(?=\{)"
)
_LONGEST_BODY, _ROUNDS, _MOST_ARGUMENTS = 300, 4, 3
_MOST_MACROS = 500


def without_comments(source: str) -> str:
    r"""Return a source of the same length with its comments replaced by NUL characters.

    >>> without_comments("5\\% of a % b\n c")
    '5\\% of a \x00\x00\x00\x00\x00c'
    """
    pieces, place = [], 0
    unclosed: set[str] = set()
    while match := _TEX_COMMENT.search(source, place):
        pieces.append(source[place : match.start()])
        place = match.end()
        if match["comment"]:
            pieces.append(GONE * len(match[0]))
            continue
        if match["name"] and match["name"] not in unclosed:
            end = source.find(f"\\end{{{match['name']}}}", place)
            if end < 0:
                unclosed.add(match["name"])
            place = max(end, place)
        pieces.append(source[match.start() : place])
    return "".join([*pieces, source[place:]])


@lru_cache(maxsize=4)
def _closings(text: str) -> array[int]:
    """Return the offset of the closing brace for each opening brace; -1 if unclosed, and at all other offsets."""
    closings = array("i", [-1]) * len(text)
    open_braces = array("i")
    for match in _BRACE_OR_ESCAPE.finditer(text):
        if match[0] == "{":
            open_braces.append(match.start())
        elif match[0] == "}" and open_braces:
            closings[open_braces.pop()] = match.start()
    return closings


def braced(text: str, place: int) -> tuple[str, int]:
    """Return the content of braces after optional whitespace, and their end; ("", place) if there are none."""
    space = _SPACE.match(text, place)
    start = space.end() if space else place
    if text[start : start + 1] != "{":
        return "", place
    end = _closings(text)[start]
    return (text[start + 1 : end], end + 1) if end >= 0 else (text[start + 1 :], len(text))


def _argument(text: str, place: int) -> tuple[str, int]:
    """Return a macro's argument at an offset, a single token if it has no braces, and its end."""
    argument, end = braced(text, place)
    if end == place and (token := _ARGUMENT.match(text, place)):
        return token[1], token.end()
    return argument, end


def option(text: str, place: int) -> tuple[str | None, int]:
    """Return the content of brackets at an offset, and their end; (None, place) if there are none."""
    match = _OPTION.match(text, place)
    return (match[1], match.end()) if match else (None, place)


@dataclass(frozen=True, slots=True)
class Environment:
    r"""An environment: ``text[start:end]`` including its ``\begin`` and ``\end``, and the body between them."""

    name: str
    start: int
    body_start: int
    end: int
    body: str


def top_environments(text: str, names: Sequence[str]) -> list[Environment]:
    """Return the environments of these names that are not nested in another of them."""
    edge = re.compile(rf"\\(begin|end)\s*\{{({'|'.join(map(re.escape, names))})\}}")
    found: list[Environment] = []
    name, depth, begin = "", 0, None
    for match in edge.finditer(text):
        if begin is None:
            if match[1] == "begin":
                begin, name, depth = match, match[2], 1
        elif match[2] == name:
            depth += 1 if match[1] == "begin" else -1
            if depth == 0:
                body = text[begin.end() : match.start()]
                found.append(Environment(name, begin.start(), begin.end(), match.end(), body))
                begin = None
    if begin is not None:
        found.append(Environment(name, begin.start(), begin.end(), len(text), text[begin.end() :]))
    return found


def cut(text: str, environments: Sequence[Environment], instead: str = "\n\n") -> str:
    """Return a text with some of its environments replaced by `instead`."""
    pieces, place = [], 0
    for environment in environments:
        pieces += [text[place : environment.start], instead]
        place = environment.end
    return "".join([*pieces, text[place:]])


def split_items(text: str, commands: Sequence[str]) -> list[tuple[re.Match[str], str | None, str]]:
    r"""Return each command outside environments, its option, and the text up to the next such command.

    >>> [(match["item"], option, body.strip()) for match, option, body in split_items(r"\item[a] x \item y", ("item",))]
    [('item', 'a', 'x'), ('item', None, 'y')]
    """
    step = re.compile(
        rf"\\(?P<edge>begin|end)\s*\{{[^{{}}\n]*\}}|\\(?P<item>{'|'.join(map(re.escape, commands))})(?![A-Za-z])|\\\\"
    )
    depth, marks = 0, []
    for match in step.finditer(text):
        if match["edge"]:
            depth = max(0, depth + (1 if match["edge"] == "begin" else -1))
        elif match["item"] and depth == 0:
            marks.append(match)
    items = []
    for match, after in zip_longest(marks, marks[1:]):
        stated, start = option(text, match.end())
        items.append((match, stated, text[start : after.start() if after else len(text)]))
    return items


def rewritten(text: str, command: re.Pattern[str], shown: Callable[[re.Match[str]], tuple[str, int]]) -> str:
    """Replace commands together with their arguments; a command inside another's arguments is left alone.

    Args:
        shown: returns the replacement of a command, and the end of its arguments.
    """
    pieces, place = [], 0
    for match in command.finditer(text):
        if match.start() >= place:
            written, end = shown(match)
            pieces += [text[place : match.start()], written]
            place = end
    return "".join([*pieces, text[place:]])


class Macros:
    r"""The short macros that a document defines with ``\newcommand`` and ``\def``, for expansion in its texts.

    Expansion replaces text by text, for a few rounds and within bounds; a macro that is too long or infinitely
    recursive is not expanded.

    Args:
        source: the document, without comments.
        kept: names of commands that must not be redefined.
    """

    def __init__(self, source: str, kept: Sequence[str] = ()) -> None:
        self._bodies: dict[str, tuple[int, str | None, str]] = {}  # number of arguments, default of the first, body
        for match in _DEFINES.finditer(source):
            name = match["name"] or match["defined"] or match["operator"]
            body, _end = braced(source, match.end())
            count = int(match["count"] or 0) if match["name"] else len(match["parameters"] or "") // 2
            if match["operator"]:
                body = rf"\operatorname{match['star']}{{{body}}}"
            is_short = len(body) <= _LONGEST_BODY and count <= _MOST_ARGUMENTS
            default = match["default"][1:-1] if match["default"] else None
            if is_short and name not in kept and len(self._bodies) < _MOST_MACROS:
                self._bodies[name] = count, default, body.replace(GONE, "")
        names = "|".join(sorted(map(re.escape, self._bodies), key=len, reverse=True))
        self._name = re.compile(rf"\\({names})(?![A-Za-z])[ \t]*") if names else None

    def expand(self, text: str) -> str:
        if self._name is None:
            return text
        longest = 4 * len(text) + 10_000
        for _round in range(_ROUNDS):
            after = self._once(text, self._name)
            if after == text or len(after) > longest:
                break
            text = after
        return text

    def _once(self, text: str, name: re.Pattern[str]) -> str:
        def shown(match: re.Match[str]) -> tuple[str, int]:
            count, default, body = self._bodies[match[1]]
            end, arguments = match.end(), []
            for place in range(count):
                if place == 0 and default is not None:
                    stated, end = option(text, end)
                    argument = default if stated is None else stated
                else:
                    argument, end = _argument(text, end)
                arguments.append(argument)
            arguments += [f"#{number}" for number in range(len(arguments) + 1, 10)]  # parameters beyond the count stay
            written = re.sub(r"#([1-9])", lambda sign: arguments[int(sign[1]) - 1], body)
            follows = text[end : end + 1] if count == 0 else ""
            is_word = written[-1:].isalpha() and "\\" in written and follows.isalpha()
            return f"{written} " if is_word else written, end

        return rewritten(text, name, shown)


_PROGRAMMING = frozenset(
    """
    def gdef xdef edef let futurelet newcommand renewcommand providecommand global long expandafter noexpand relax
    begingroup endgroup bgroup egroup verb char includegraphics href url class id style data require TextOrMath
    """.split()
)
_UNITS = frozenset(
    """
    SI si num numrange SIrange qty qtyrange unit ang numproduct numlist per square cubic squared cubed milli centi deci
    kilo mega micro metre meter gram litre liter second minute hour day newton joule watt volt ampere kelvin pascal
    hertz ohm mole candela percent degree celsius cm mm km m kg g s h
    """.split()
)
_MATHEMATICAL = frozenset(
    """
    matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix bordermatrix subarray array darray cases dcases rcases
    drcases align aligned split alignat alignedat gather gathered equation multline eqnarray flalign math displaymath
    numcases subnumcases subequations tabular tabularx CD prooftree
    """.split()
)
_PROSE = frozenset(
    r"""
    textbf textit textsl emph textrm textsf texttt textsc textnormal textmd textup textsuperscript textsubscript
    underline uline sout bf bfseries it itshape em sl slshape rm rmfamily sf sffamily tt ttfamily sc scshape normalfont
    upshape mdseries tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge mbox hbox fbox parbox
    makebox framebox raisebox centering raggedright raggedleft noindent indent par newline linebreak newpage clearpage
    pagebreak nopagebreak filbreak goodbreak smallskip medskip bigskip vspace hspace vskip hskip hfill hfil vfill vfil
    stretch fill hrulefill dotfill rule strut null leavevmode protect unskip ignorespaces xspace quad qquad item label
    ref footnote href url includegraphics color textcolor linewidth textwidth columnwidth textheight baselineskip hline
    cline toprule midrule bottomrule cmidrule multicolumn multirow tabularnewline arraystretch caption section
    subsection subsubsection paragraph title author date maketitle today ldots dots textquotedbl textasciigrave
    vphantom hphantom phantom ss ae oe aa o l c v u H d b k r i j AE OE AA O L and thanks LaTeX TeX
    """.split()
)
_EXAM = frozenset(
    """
    question titledquestion bonusquestion bonustitledquestion part subpart subsubpart bonuspart bonussubpart
    bonussubsubpart choice CorrectChoice correctchoice fillin answerline uplevel fullwidth half points addpoints
    noaddpoints droppoints droptotalpoints lastchoices printanswers noprintanswers ifprintanswers fi else
    fillwithlines fillwithdottedlines fillwithgrid makeemptybox pointsinrightmargin pointsinmargin nopointsinmargin
    bracketedpoints boxedpoints pointname marginpointname totalformat qformat header cfoot lfoot rfoot chead lhead
    rhead firstpageheader runningheader firstpagefooter runningfooter pagestyle thispagestyle thepage numpages
    CorrectChoiceEmphasis pointpoints bonuspointpoints hqword hpword hsword htword vqword vpword vsword vtword
    numquestions numpoints gradetable correct wrong good bad lastchoice
    """.split()
)
_ENVIRONMENTS = _MATHEMATICAL | frozenset(
    """
    document questions parts subparts subsubparts choices oneparchoices checkboxes oneparcheckboxes solution
    solutionorbox solutionorlines solutionordottedlines solutionorgrid solutionbox itemize enumerate description
    compactitem compactenum center flushleft flushright minipage figure table quote quotation multicols samepage
    sloppypar tikzpicture scope verbatim coverpages comment onehalfspace singlespace spacing
    """.split()
)
_DRAWING = frozenset(
    """
    draw node path coordinate fill filldraw clip shade foreach tikz tikzset pgfmathsetmacro pgfmathresult x y
    """.split()
)
_SETTINGS = frozenset(
    """
    documentclass usepackage usetikzlibrary newcommand renewcommand providecommand def DeclareMathOperator
    newenvironment newtheorem theoremstyle setlength addtolength parindent parskip geometry setcounter geometry
    newlength textheight topmargin oddsidemargin evensidemargin lt gt longdiv overparen overset smash frown
    setstretch hypersetup inputencoding selectlanguage setmainlanguage setmainfont
    """.split()
)
_NEVER = frozenset(  # a document's own definition of these may be local to one group, or fail
    """
    input include InputIfFileExists IfFileExists openin openout read readline write immediate special directlua
    latelua luaexec luadirect luafunction csname endcsname catcode scantokens lowercase uppercase usepackage
    RequirePackage verbatiminput VerbatimInput lstinputlisting inputminted includepdf import subimport subfile
    includestandalone loop everyjob everypar jobname pdfobj pdfximage pdffiledump ShellEscape filecontents
    luacode luacodestar UseName ExplSyntaxOn makeatletter let expandafter begin end
    """.split()
)
_TOKEN = re.compile(
    r"\\(?P<edge>begin|end)(?![A-Za-z])(?:\s*\{(?P<environment>[A-Za-z]{1,40})\*?\})?|\\(?P<word>[A-Za-z]+)|\\[^A-Za-z]"
    r"|(?P<code>\^\^|[\x00-\x08\x0b-\x1f\x7f])"
)
_LOADED = re.compile(r"\\(?:documentclass|usepackage|usetikzlibrary)(?![A-Za-z])\s*(?:\[[^\[\]]*\])?\s*(\{[^{}]*\})?")
_PLAIN_NAMES = re.compile(r"\{[\w.,\s-]*\}")
_PICTURE = re.compile(r"\\includegraphics(?![A-Za-z])\*?\s*(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\])?\s*(\{[^{}]*\})?")
_PICTURE_NAME = re.compile(r"\{\s*(?![/~])(?:(?!\.\./)[\w ./()+-])*\}")
_DEFINED = re.compile(
    r"\\(?:(?:re|provide)?newcommand|renewcommand|providecommand|def|DeclareMathOperator|newlength)\*?\s*\{?\s*\\([A-Za-z]+)"
    r"|\\newenvironment\*?\s*\{([A-Za-z]+)\}|\\newtheorem\*?\s*\{([A-Za-z]+)\}"
)
_PLOTTED_FILE = re.compile(r"\bplot\b[^;]{0,200}\bfile\b")
_BRACE = re.compile(r"\\.|([{}])", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%")
_EMPTY_LINE = re.compile(r"\n\s*\n")
_DELIMITERS = re.compile(r"^\s*(?:\$\$?|\\[(\[])|(?:\$\$?|\\[)\]])\s*$")
_SOURCE = re.compile(r' data-latex="[^"]*"')


@cache
def formula_commands() -> frozenset[str]:
    """Return the commands allowed in a file's formulas: those that our engine can render."""
    return (engine_commands() | _UNITS) - _PROGRAMMING


@cache
def _document_commands() -> frozenset[str]:
    return formula_commands() | _PROSE | _EXAM | _DRAWING | _SETTINGS


def unknown_command(source: str, commands: frozenset[str], environments: frozenset[str] = _MATHEMATICAL) -> str:
    r"""Return the first unknown command or environment in a source; empty if there is none.

    Commands in comments count too: TeX does not treat % as a comment everywhere, for example not in a URL.

    >>> unknown_command(r"\frac{1}{2}\input{/etc/passwd}", frozenset({"frac"}))
    '\\input'
    """
    for match in _TOKEN.finditer(source):
        if match["edge"]:
            if match["environment"] not in environments:
                return match[0]
        elif match["code"] or (match["word"] and match["word"] not in commands):
            return match[0]
    return ""


def defined_commands(source: str) -> frozenset[str]:
    """Return the names of commands and environments that a document defines."""
    return frozenset(name for match in _DEFINED.finditer(source) for name in match.groups() if name)


def is_portable(source: str, defined: frozenset[str] = frozenset()) -> bool:
    """Return whether a document or a fragment may be copied into a file unchanged.

    Args:
        source: the document or fragment. defined: commands that the file has defined so far.
    """
    defined = (defined | defined_commands(source)) - _NEVER
    return (
        not unknown_command(source, _document_commands() | defined, _ENVIRONMENTS | defined)
        and all(_PLAIN_NAMES.fullmatch(match[1] or "") for match in _LOADED.finditer(source))
        and all(_PICTURE_NAME.fullmatch(match[1] or "") for match in _PICTURE.finditer(source))
        and not _PLOTTED_FILE.search(source)
    )


class FormulaWriter:
    """Writes the formulas of a text for a file.

    Args:
        text: the text; its definitions apply to its formulas.
    """

    def __init__(self, text: str = "") -> None:
        self._definitions = split_definitions(text)[0]
        self._macros = Macros(text) if self._definitions else None

    def write(self, latex: str) -> str:
        r"""Return a formula with its macros expanded; comments and empty lines cannot end it.

        Raises:
            FormulaRefused: it contains something not known to be harmless, or a macro that cannot be expanded.
        """
        definitions, body = split_definitions(latex)
        written = _EMPTY_LINE.sub("\n", _COMMENT.sub(r"\1\%", body))
        if definitions:
            written = Macros(latex).expand(written)
        if self._macros is not None:
            written = self._macros.expand(written)
        if unknown := unknown_command(written, formula_commands()):
            raise FormulaRefused(f"{unknown} may not be in a file that others compile")
        if not _is_balanced(written):
            raise FormulaRefused("its braces do not match")
        has_macros = bool(definitions or self._definitions)
        if has_macros and (_drawn(latex, self._definitions) or "refused") != _drawn(written, ""):
            raise FormulaRefused("its macros cannot be written out")
        return written


def _is_balanced(latex: str) -> bool:
    depth = 0
    for match in _BRACE.finditer(latex):
        depth += {"{": 1, "}": -1}.get(match[1] or "", 0)
        if depth < 0:
            return False
    return depth == 0


def _drawn(latex: str, definitions: str) -> str:
    """Return the rendering of a formula; empty if it cannot be rendered."""
    try:
        return _SOURCE.sub("", formula_mathml(_DELIMITERS.sub("", latex), definitions=definitions))
    except FormulaRefused:
        return ""
