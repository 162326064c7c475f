"""MathML as LaTeX: the annotated LaTeX source if it can be rendered, else what the elements show.

Reads the presentation elements of MathML Core (W3C, 2024) that school mathematics uses; any other element makes the
whole formula unreadable, and it stays as source.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from questionbank.formulas import FormulaRefused, formula_mathml

_SOURCE = re.compile(r"<annotation\b([^<>]*)>([^<>]*)</annotation>", re.IGNORECASE)
_TEX = re.compile(r"""encoding\s*=\s*["'][^"'<>]{0,80}?tex\s*["']""", re.IGNORECASE)
_BLOCK = re.compile(r"""<math\b[^<>]*\sdisplay\s*=\s*["']block""", re.IGNORECASE)
_DELIMITERS = (("$$", "$$"), ("$", "$"), (r"\[", r"\]"), (r"\(", r"\)"))
_ALTTEXT = re.compile(r"""alttext\s*=\s*"([^"]*)\"""")
_PREFIX = re.compile(r"<(/?)[a-zA-Z]+:")
_XMLNS = re.compile(r"""\sxmlns(?::[a-zA-Z]+)?\s*=\s*("[^"]*"|'[^']*')""")
_LONGEST, _DEEPEST = 20_000, 60
SIGNS = {
    "×": r"\times", "⋅": r"\cdot", "·": r"\cdot", "÷": r"\div", "±": r"\pm", "∓": r"\mp", "≤": r"\le", "≥": r"\ge",
    "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "∞": r"\infty", "∈": r"\in", "∉": r"\notin", "⊂": r"\subset",
    "⊆": r"\subseteq", "∪": r"\cup", "∩": r"\cap", "∅": r"\emptyset", "→": r"\to", "⇒": r"\Rightarrow",
    "⇔": r"\Leftrightarrow", "∠": r"\angle", "°": r"^{\circ}", "∘": r"\circ", "√": r"\surd", "∑": r"\sum",
    "∏": r"\prod", "∫": r"\int", "∂": r"\partial", "∇": r"\nabla", "∀": r"\forall", "∃": r"\exists", "¬": r"\neg",
    "∧": r"\land", "∨": r"\lor", "⊥": r"\perp", "∥": r"\parallel", "…": r"\dots", "⋯": r"\cdots", "−": "-",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "θ": r"\theta",
    "λ": r"\lambda", "μ": r"\mu", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau", "φ": r"\varphi",
    "ω": r"\omega", "Δ": r"\Delta", "Σ": r"\Sigma", "Ω": r"\Omega", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&",
    "#": r"\#", "$": r"\$", "_": r"\_", "\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "+", "\xa0": r"\ ",
}  # fmt: skip
FUNCTIONS = frozenset(
    "sin cos tan cot sec csc log ln exp lim max min gcd det arcsin arccos arctan sinh cosh tanh".split()
)
_OVER = {
    **dict.fromkeys("¯‾", r"\overline"), **dict.fromkeys("→⃗", r"\vec"), **dict.fromkeys("^ˆ", r"\hat"), "˙": r"\dot",
}  # fmt: skip
_LARGE = (r"\sum", r"\prod", r"\int")


class _Unreadable(Exception):
    """An unsupported element."""


def mathml_to_latex(source: str) -> str:
    r"""Return a MathML formula as LaTeX; empty if it cannot be read.

    >>> mathml_to_latex("<math><mfrac><mn>1</mn><msqrt><mi>x</mi></msqrt></mfrac><mo>≤</mo><mi>π</mi></math>")
    '\\frac{1}{\\sqrt{x}}\\le \\pi'
    """
    is_block = _BLOCK.match(source) is not None
    stated = _stated(source)
    if stated and _is_drawn(stated, is_block=is_block):
        return stated
    shown = _shown(source)
    return shown if shown and (not stated or _is_drawn(shown, is_block=is_block)) else stated


def bare_formula(latex: str) -> str:
    r"""Return LaTeX without delimiters around the whole formula.

    >>> bare_formula(r"\[ 3(y+4) \]"), bare_formula("$$x$$"), bare_formula(r"$5 + $6")
    ('3(y+4)', 'x', '$5 + $6')
    """
    latex = latex.strip()
    for opening, closing in _DELIMITERS:
        inner = latex[len(opening) : -len(closing)]
        is_around = latex.startswith(opening) and latex.endswith(closing) and len(latex) > len(opening) * 2
        if is_around and opening not in inner and closing not in inner:
            return inner.strip()
    return latex


def _stated(source: str) -> str:
    """Return the LaTeX source noted in a formula; empty if there is none."""
    notes = (note[2] for note in _SOURCE.finditer(source) if _TEX.search(note[1]))
    alternative = _ALTTEXT.search(source)
    return bare_formula(html.unescape(next(notes, "") or (alternative[1] if alternative else "")))


def _is_drawn(latex: str, *, is_block: bool) -> bool:
    try:
        formula_mathml(latex, display=is_block)
    except FormulaRefused:
        return False
    return True


def _shown(source: str) -> str:
    """Return LaTeX for the elements of a formula; empty if they cannot be read."""
    if len(source) > _LONGEST:
        return ""
    plain = _XMLNS.sub("", _PREFIX.sub(r"<\1", html.unescape(source) if "&lt;" not in source else source))
    try:
        return " ".join(_read(fromstring(plain, forbid_dtd=True), 0).split())
    except (ParseError, DefusedXmlException, _Unreadable, IndexError, ValueError):
        return ""


def _read(element: Element, depth: int) -> str:
    if depth > _DEEPEST:
        raise _Unreadable
    name = element.tag
    if name in ("mi", "mn", "mo", "mtext", "ms"):
        return _token(name, "".join(element.itertext()).strip())
    reader = _ELEMENTS.get(name)
    if reader is None:
        raise _Unreadable
    return reader(element, [_read(child, depth + 1) for child in element if not child.tag.startswith("annotation")])


def _token(name: str, text: str) -> str:
    if name in ("mtext", "ms"):
        return rf"\text{{{text}}}" if text else ""
    if name == "mi" and text in FUNCTIONS:
        return rf"\{text} "
    if name == "mi" and len(text) > 1 and text.isalpha():
        return rf"\mathrm{{{text}}}"
    signs = (SIGNS.get(sign, sign) for sign in text)
    return "".join(f"{sign} " if sign.startswith("\\") and sign != "\\" else sign for sign in signs)


def _row(_element: Element, parts: list[str]) -> str:
    return "".join(parts)


def _base(latex: str) -> str:
    bare = latex.strip()
    is_one_sign = len(bare) == 1 or (bare.startswith("\\") and " " not in bare)
    return latex if is_one_sign else f"{{{latex}}}"


def _fenced(element: Element, parts: list[str]) -> str:
    opening, closing = element.get("open", "("), element.get("close", ")")
    signs = {"{": r"\{", "}": r"\}", "": "."}
    inner = (element.get("separators", ",").strip() or "")[:1].join(parts)
    return rf"\left{signs.get(opening, opening)}{inner}\right{signs.get(closing, closing)}"


def _over(_element: Element, parts: list[str]) -> str:
    base, above = parts
    accent = _OVER.get(above.strip().replace(r"\to", "→"))
    if accent:
        return f"{accent}{{{base}}}"
    has_limits = base.strip() in _LARGE
    return f"{base.strip()}^{{{above}}}" if has_limits else rf"\overset{{{above}}}{{{base}}}"


def _under(_element: Element, parts: list[str]) -> str:
    base, below = parts
    has_limits = base.strip() in (*_LARGE, r"\lim", r"\max", r"\min")
    return f"{base.strip()}_{{{below}}}" if has_limits else rf"\underset{{{below}}}{{{base}}}"


def _table(_element: Element, parts: list[str]) -> str:
    return r"\begin{matrix}" + r" \\ ".join(parts) + r"\end{matrix}"


_ELEMENTS: dict[str, Callable[[Element, list[str]], str]] = {
    **dict.fromkeys(("math", "mrow", "mstyle", "mpadded", "semantics", "mtd"), _row),
    "mspace": lambda _element, _parts: r"\ ",
    "mphantom": lambda _element, parts: rf"\phantom{{{''.join(parts)}}}",
    "mfrac": lambda _element, parts: rf"\frac{{{parts[0]}}}{{{parts[1]}}}",
    "msqrt": lambda _element, parts: rf"\sqrt{{{''.join(parts)}}}",
    "mroot": lambda _element, parts: rf"\sqrt[{parts[1]}]{{{parts[0]}}}",
    "msup": lambda _element, parts: f"{_base(parts[0])}^{{{parts[1]}}}",
    "msub": lambda _element, parts: f"{_base(parts[0])}_{{{parts[1]}}}",
    "msubsup": lambda _element, parts: f"{_base(parts[0])}_{{{parts[1]}}}^{{{parts[2]}}}",
    "munderover": lambda _element, parts: f"{parts[0].strip()}_{{{parts[1]}}}^{{{parts[2]}}}",
    "mover": _over,
    "munder": _under,
    "mfenced": _fenced,
    "menclose": lambda _element, parts: rf"\boxed{{{''.join(parts)}}}",
    "mtable": _table,
    "mtr": lambda _element, parts: " & ".join(parts),
}
