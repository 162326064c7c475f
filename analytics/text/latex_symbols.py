r"""What the commands of school LaTeX are: relations, operators, functions, symbols, brackets, environments.

Literal tables for :mod:`analytics.text.latex_structure` and :mod:`analytics.text.latex_arithmetic`.
Relations and operators are named by signs, never by words, so that a leaf that starts with a letter is
always a symbol.
"""

from __future__ import annotations

OPENERS = frozenset({"{", "(", "[", r"\{", r"\lfloor", r"\lceil", r"\langle"})
CLOSERS: dict[str, tuple[str, ...]] = {
    "}": ("{",),
    ")": ("(", "["),
    "]": ("(", "["),
    r"\}": (r"\{",),
    r"\rfloor": (r"\lfloor",),
    r"\rceil": (r"\lceil",),
    r"\rangle": (r"\langle",),
}
"""Closing bracket -> the brackets that it may close (half-open intervals mix round and square ones)."""

ENVIRONMENT_KINDS: dict[str, str] = {
    **dict.fromkeys(("matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix"), "matrix"),
    **dict.fromkeys(("vmatrix", "Vmatrix"), "determinant"),
    **dict.fromkeys(("cases", "dcases", "rcases"), "cases"),
    "array": "matrix",
    **dict.fromkeys(
        str.split(
            "align align* aligned alignedat eqnarray eqnarray* split equation equation* gather gather* "
            "gathered multline multline* flalign flalign*"
        ),
        "rows",
    ),
    **dict.fromkeys(("tabular", "tabular*", "tabularx"), "table"),
}
"""Environment -> how its cells are read."""

RELATIONS: dict[str, str] = {
    "=": "=",
    "<": "<",
    ">": ">",
    r"\leq": "≤",
    r"\geq": "≥",
    r"\neq": "≠",
    r"\approx": "≈",
    r"\equiv": "≡",
    r"\sim": "~",
    r"\simeq": "≃",
    r"\cong": "≅",
    r"\backsim": "~",
    r"\propto": "∝",
    r"\ll": "≪",
    r"\gg": "≫",
    r"\in": "∈",
    r"\ni": "∋",
    r"\notin": "∉",
    r"\subset": "⊂",
    r"\subseteq": "⊆",
    r"\subsetneq": "⊊",
    r"\supset": "⊃",
    r"\supseteq": "⊇",
    r"\perp": "⊥",
    r"\parallel": "∥",
    r"\rightarrow": "→",
    r"\longmapsto": "→",
    r"\mapsto": "→",
    r"\leftarrow": "←",
    r"\leftrightarrow": "↔",
    r"\longleftrightarrow": "↔",
    r"\Rightarrow": "⇒",
    r"\Longrightarrow": "⇒",
    r"\implies": "⇒",
    r"\Leftrightarrow": "⇔",
    r"\iff": "⇔",
    r"\prec": "≺",
    r"\succ": "≻",
    r"\coloneqq": "=",
    r"\equal": "=",
    r"\nmid": "∤",
    "≡": "≡",
    "~": "~",
}
"""Relation command -> the sign that names it in a tree."""

BINARY_OPERATORS: dict[str, str] = {
    r"\cup": "∪",
    r"\cap": "∩",
    r"\setminus": "∖",
    r"\backslash": "∖",
    r"\wedge": "∧",
    r"\vee": "∨",
    r"\circ": "∘",
    r"\oplus": "⊕",
    r"\ominus": "⊖",
    r"\otimes": "⊗",
    r"\odot": "⊙",
    r"\star": "⋆",
    r"\ast": "∗",
    r"\bullet": "•",
    r"\diamond": "⋄",
    r"\bowtie": "⋈",
    r"\oslash": "⊘",
    r"\bmod": "%",
    r"\mod": "%",
    r"\#": "#",
    "#": "#",
    "@": "@",
    "∘": "∘",
    "※": "※",
    "☆": "☆",
    "★": "★",
    "◎": "◎",
    "⊕": "⊕",
    "⊗": "⊗",
    "⊙": "⊙",
}
"""Operators other than those of arithmetic, most of them defined by the question that uses them."""

FUNCTIONS: dict[str, str] = {
    **{
        name: name
        for name in str.split(
            r"""
        \sin \cos \tan \cot \sec \csc \arcsin \arccos \arctan \arccot \arcsec \arccsc \sinh \cosh \tanh \ln
        \log \exp
        """
        )
    },
    r"\lg": r"\log",
    r"\tg": r"\tan",
    r"\ctg": r"\cot",
    r"\cosec": r"\csc",
    r"\arctg": r"\arctan",
}
"""Function command -> the command under which the expression reader knows it."""

QUANTIFIED: dict[str, str] = {
    r"\sum": "sum",
    r"\prod": "product",
    r"\coprod": "coproduct",
    r"\int": "integral",
    r"\iint": "integral",
    r"\iiint": "integral",
    r"\oint": "integral",
    r"\oiint": "integral",
    r"\lim": "limit",
    r"\limsup": "limsup",
    r"\liminf": "liminf",
    r"\bigcup": "union",
    r"\bigcap": "intersection",
    r"\bigvee": "or",
    r"\bigwedge": "and",
    r"\bigoplus": "sum",
    r"\sup": "supremum",
    r"\inf": "infimum",
}
"""Commands with bounds below and above that take what follows as their body."""

GREEK = frozenset(
    "\\" + name
    for name in str.split(
        """
        alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi omicron
        pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi
        Pi Sigma Upsilon Phi Psi Omega
        """
    )
)
SYMBOLS: dict[str, str] = {
    **{command: command[1:] for command in GREEK},
    r"\infty": "infinity",
    r"\degree": "degree",
    r"\%": "percent",
    r"\permil": "permil",
    r"\$": "dollar",
    r"\pounds": "pound",
    r"\textsterling": "pound",
    r"\emptyset": "emptyset",
    r"\dots": "dots",
    r"\vdots": "dots",
    r"\ddots": "dots",
    r"\prime": "prime",
    r"\max": "max",
    r"\min": "min",
    r"\gcd": "gcd",
    r"\lcm": "lcm",
    r"\det": "determinant",
    r"\arg": "argument",
    r"\dim": "dimension",
    r"\deg": "degree_of",
    r"\ker": "kernel",
    r"\Pr": "probability",
    r"\hom": "hom",
    r"\Re": "real_part",
    r"\Im": "imaginary_part",
    r"\pm": "plus_minus",
    r"\mp": "minus_plus",
    r"\&": "and_sign",
    r"\_": "underscore",
    **{
        "\\" + name: name
        for name in str.split(
            """
        angle measuredangle sphericalangle triangle vartriangle bigtriangleup triangledown blacktriangle
        square Box blacksquare bigcirc bigstar Diamond lozenge blacklozenge clubsuit diamondsuit heartsuit
        spadesuit ell hbar partial nabla forall exists nexists neg lnot therefore because complement surd
        aleph wp dagger ddagger sharp flat natural imath jmath top mho uparrow downarrow Uparrow Downarrow
        checkmark frown smile circledS section copyright qed wr card colon
        """
        )
    },
    "£": "pound",
    "€": "euro",
    "¥": "yuan",
    "￥": "yuan",
    "℃": "celsius",
    "Δ": "Delta",
    "△": "triangle",
    "▲": "triangle",
    "□": "square",
    "■": "square",
    "○": "bigcirc",
    "◯": "bigcirc",
    "●": "bigcirc",
    "♡": "heartsuit",
    "♥": "heartsuit",
    "◇": "Diamond",
    "▽": "triangledown",
    "?": "blank",
    "？": "blank",
    '"': "inch",
    "℉": "fahrenheit",
}
"""Command or character -> the name of the symbol; everything else that is unknown is an error."""

ACCENTS: dict[str, str] = {
    "\\" + name: name
    for name in str.split(
        """
        overline bar vec hat widehat tilde widetilde dot ddot overrightarrow overleftarrow overset_arc
        overarc wideparen overparen check breve acute grave mathring mathbb mathcal mathfrak mathscr
        """
    )
}
"""Marks over a letter, and alphabets that make another letter of it."""

TRANSPARENT = frozenset(
    str.split(
        r"""
        \mathbf \mathit \mathsf \mathtt \mathnormal \boxed \fbox \underline \uline \underbrace \overbrace
        \cancel \bcancel \xcancel \sout \emph \textit \textsf \texttt \cal \it \sf \ensuremath \mathrel
        \mathord \mathopen \mathclose \mathpunct \mathinner \bold \displaystyle \substack \overbracket
        \underbracket \smash \mathstrut
        """
    )
)
"""Commands that change how their argument looks and not what it is."""

DROPPED_WITH_ARGUMENT = frozenset(
    str.split(
        r"""
        \color \hspace \vspace \hskip \kern \mkern \phantom \hphantom \vphantom \tag \label \cline \rule
        \raisebox
        """
    )
)
"""Commands that print nothing that matters here, with how many arguments (one each)."""

SEPARATORS = frozenset({",", ";", "\\\\", r"\newline", r"\hline", r"\cr"})
CONNECTIVES = frozenset(
    str.split(
        """
        and or if when where with for for_all such that is are then to as at let given so but not both
        either only iff otherwise respectively 或 且 和 与 及 则 当 若 时 有 因为 所以 故 或者 并且 其中 满足
        """
    )
)
"""Words inside a formula that stand between statements."""

FUNCTION_LETTERS = frozenset("fghFGHPVE")
"""Letters that are a function's name (or a point's) when a bracket follows; any other letter is a factor."""

CALLABLE_NAMES = frozenset(
    str.split(
        """
        max min gcd lcm determinant argument dimension degree_of kernel probability hom real_part
        imaginary_part
        """
    )
)
"""Symbols that take arguments in brackets."""

LIBRARY_LETTERS = frozenset("dEIe")
"""Letters that the expression reader takes for a differential, an exponent, the imaginary unit or ``exp``."""
