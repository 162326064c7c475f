r"""Decide which LaTeX may go into a file that somebody else compiles.

TeX is a programming language: ``\input{/etc/passwd}`` prints a file of the person who compiles it, ``\directlua`` runs
a program. A question's text may come from anybody, so a file only gets commands that are known to draw something, and
no definitions, since a definition may give any name to any command. Macros are expanded instead. Anything else is
written as verbatim source, which is shown and runs nothing.
"""

from __future__ import annotations

import re
from functools import cache

from questionbank.formats.latex.structure import Macros
from questionbank.formulas import FormulaRefused, engine_commands, formula_mathml, split_definitions

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
