r"""Attempts to bring script into a page through a question's text, its options or its LaTeX.

`XSS_CORPUS` is one flat list: each entry is rendered as a text, as an option and as a formula's source, here by the
renderer's own tests and again in a real browser. `MARKER` is what a script that ran would have set on `window`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.cases import load_cases

MARKER = "kindredWasHere"
_RUN = f"window.{MARKER}=1"
_IMAGE = f"<img src=x onerror={_RUN}>"


@dataclass(frozen=True, slots=True)
class XssAttempt:
    """One attempt: what it tries, and the text that tries it."""

    name: str
    text: str


def _formula(name: str, latex: str) -> list[XssAttempt]:
    """The same LaTeX between every kind of delimiters."""
    return [
        XssAttempt(f"{name} in dollars", f"Find ${latex}$ now"),
        XssAttempt(f"{name} in display dollars", f"Find\n\n$${latex}$$\n\nnow"),
        XssAttempt(f"{name} in brackets", rf"Find \[{latex}\] now"),
    ]


def _attempts(table: str) -> dict[str, str]:
    """Return the texts of a table by name."""
    cases = load_cases("scripts", table)
    return {case["name"]: case["text"].replace("%IMAGE%", _IMAGE).replace("%RUN%", _RUN) for case in cases}


_LATEX = {
    **_attempts("latex"),
    "macro bomb": "".join(rf"\def\{chr(97 + n)}{{\{chr(98 + n)}\{chr(98 + n)}}}" for n in range(20)) + r"\a",
    "deep braces": "{" * 10_000 + "x" + "}" * 10_000,
    "deep roots": r"\sqrt" * 4_000 + "x",
    "deep scripts": "x" + "^{x" * 2_000 + "}" * 2_000,
    "deep left and right": r"\left(" * 2_000 + "x" + r"\right)" * 2_000,
    "deep fractions": r"\frac{1}{" * 1_500 + "x" + "}" * 1_500,
}

XSS_CORPUS: list[XssAttempt] = [
    *(XssAttempt(name, text) for name, text in _attempts("prose").items()),
    *(attempt for name, latex in _LATEX.items() for attempt in _formula(f"LaTeX: {name}", latex)),
    *(XssAttempt(f"LaTeX outside a formula: {name}", latex) for name, latex in _LATEX.items()),
]
"""Every attempt; each is also worth trying as an option's text."""
