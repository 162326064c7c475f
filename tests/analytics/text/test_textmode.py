"""Text-mode macros become characters in prose and LaTeX in formulas."""

from __future__ import annotations

import pytest

from analytics.text.textmode import TEXT_MACROS, replace_text_macros, replace_text_macros_in_formula


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        (r"dad\textquotesingle s", "dad's"),
        (r"5 \textless{} 7 \textgreater 3", "5 < 7 >3"),
        (r"20\% \& \#1 \_ \$5", "20% & #1 _ $5"),
        ("``all'' of it", "“all” of it"),
        ("f''(x) is a'''", "f”(x) is a'''"),
        (r"\textbf{none of \emph{the} above}", r"\textbf{none of the above}"),
        (r"caf\'e", "cafe\u0301"),
        (r"is~\uline{~~~~~~}~．", "is ____ ．"),
        ("（~~~）", "（\u00a0\u00a0\u00a0）"),
        ("about ~5 km", "about ~5 km"),
        (r"①A；\\ ②B", "①A；\n②B"),
        (r"$3$\textsuperscript{rd}", "$3$rd"),
        (r"\unknown stays", r"\unknown stays"),
        ("plain", "plain"),
    ],
)
def test_prose_reads_as_it_would_print(source: str, plain: str) -> None:
    assert replace_text_macros(source) == plain


@pytest.mark.parametrize(
    ("source", "latex"),
    [
        (r"a\textless{}b", r"a\lt b"),
        (r"\left\textbar{} x\right\textbar", r"\left| x\right|"),
        (r"P\textquotesingle", "P'"),
        (r"\text{a}", r"\text{a}"),
        ("x+1", "x+1"),
    ],
)
def test_formulas_keep_their_meaning(source: str, latex: str) -> None:
    assert replace_text_macros_in_formula(source) == latex


def test_every_macro_prints_one_character() -> None:
    assert all(len(character) == 1 for character in TEXT_MACROS.values())
    assert all(replace_text_macros(f"\\{name}{{}}") == character for name, character in TEXT_MACROS.items())
