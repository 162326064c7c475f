"""Search tokens: one scheme for what is indexed and what is searched."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.tokens import detect_language, search_tokens

TOKEN = re.compile(r"[^\W_A-Z]{1,50}|[\u3400-\u9fff\uf900-\ufaff]+")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Anna's apples", "anna apple"),
        ("The boxes, glasses, cities, pies, tomatoes", "the box glass city pie tomato"),
        ("does this bus always pass", "does this bus always pass"),
        ("1,250 and 3.50 and 3.5 and 007", "1250 and n3p5 and n3p5 and 7"),
        (r"$\frac{x^2}{3.50}$", "mfrac mx mpow2 mxpow2 n3p5"),
        (r"$\dfrac{a_1}{2} \leqslant \sin\theta$", "mfrac ma msub1 2 mleq msin mtheta"),
        (r"$90^{\circ}$ or 90°", "90 mdegree or 90 mdegree"),
        (r"$\triangle ABC$, triangle ABC", "mtriangle abc triangle abc"),
        (r"$5\text{ kg}$, 5 kg", "5 kg 5 kg"),
        (r"$xy$ and $2\pi r$ and 2πr", "mx my and 2 mpi mr and 2 mpi mr"),
        (r"x \textless{} 5", "mx mlt 5"),
        (r"\left( x \right) \quad \displaystyle", "mx"),
        ("____ and a + b", "and a mb"),
        ("Café don’t", "cafe dont"),
        ("２５ＡＢ", "25 ab"),
        ("", ""),
    ],
)
def test_the_scheme_is_as_documented(text: str, tokens: str) -> None:
    assert " ".join(search_tokens(text)) == tokens


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("x^2+5x+6=0", "$x^{2} + 5x + 6 = 0$"),
        (r"\frac{1}{2}", r"$\dfrac{1}{2}$"),
        ("sin x", r"$\sin x$"),
        ("x <= 3, sqrt 2", r"$x < = 3$, $\sqrt{2}$"),
        ("2.5 kg", r"$2.50\mathrm{kg}$"),
        ("½", r"$\frac{1}{2}$"),
        ("½", "1/2"),
        ("3¾", r"$3\frac{3}{4}$"),
        ("3 3/4", r"$3\frac{3}{4}$"),
        ("2⁄5", "$\\dfrac{2}{5}$"),
        ("10⁻³", "$10^{-3}$"),
        ("10^-3", "10⁻³"),
        ("x₁ + x₂", "$x_1 + x_2$"),
        ("x_1", "x₁"),
        ("log₂8", r"$\log_2 8$"),
        ("∫₀¹ x²", r"$\int_0^1 x^2$"),
        ("bₙ₊₁", "$b_{n+1}$"),
        ("𝑥² ≤ ４", r"$x^2 \le 4$"),
        ("ﬁnd", "find"),
        ("B ∪ C ± ½", r"$B \cup C \pm \frac{1}{2}$"),
    ],
)
def test_a_formula_is_found_as_it_is_typed(typed: str, stored: str) -> None:
    assert set(search_tokens(typed)) == set(search_tokens(stored))


def test_chinese_is_cut_into_words_and_the_words_inside_them() -> None:
    tokens = search_tokens("他每分钟走60米，$x=3$", "zh")
    assert {"分钟", "每分钟", "60", "米", "mx", "meq", "3"} <= set(tokens)


def test_the_plural_is_taken_off_in_english_alone() -> None:
    assert search_tokens("apples 苹果", "zh")[0] == "apples"
    assert search_tokens("apples 苹果", "en")[0] == "apple"


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_every_token_is_one_word_that_a_database_keeps_whole(text: str) -> None:
    for token in search_tokens(text) + search_tokens(f"${text}$"):
        assert TOKEN.fullmatch(token), token


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("已知三角形", "zh"),
        (r"已知$\triangle ABC$, $\sin A = \frac{1}{2}$", "zh"),
        (r"Find $\sin x$", "en"),
        ("Xiao Ming (小明) has five apples and gives two of them away", "en"),
        ("", "en"),
        ("$x^2$", "en"),
        ("Ein Rechteck ist 5 cm lang. Wie groß ist sein Flächeninhalt?", "de"),
        ("Un rectangle a une longueur de 5 cm. Quelle est son aire ?", "fr"),
        ("Un tren recorre 80 km en una hora. ¿Cuántos recorre en dos?", "es"),
        ("Решите уравнение 2x + 3 = 11.", "ru"),
        ("ฉันมีแอปเปิ้ล 5 ผล", "th"),
        ("Kolme lasta jakaa tasan kaksitoista omenaa pihalla huomenna", "und"),
    ],
)
def test_the_language_goes_by_the_share_of_chinese_characters(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("unit", ["x^", "a", r"\frac", "1,", r"\text{", "一", "$x^{", "_", "'s"])
def test_tokenising_ends_whatever_the_text(unit: str, no_hang: None) -> None:
    search_tokens(unit * 10_000)
    search_tokens(f"${unit * 10_000}$")
