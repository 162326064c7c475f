"""Reasons and flags come from what stands in both questions."""

from __future__ import annotations

import pytest

from questionbank.selectors.evidence import LOOKS_ALIKE, SAME_IDEA, compare, evidence_of


def comparison(
    one: str, other: str, *, score=0.7, wording=0.5, lens="purpose", rarity=lambda word: 5.0, **both
):
    """Compare two texts; ``x=(a, b)`` gives the first `a` and the second `b`."""
    first, second = ({name: pair[index] for name, pair in both.items()} for index in (0, 1))
    return compare(
        evidence_of(one, language="en", **first),
        evidence_of(other, language="en", **second),
        lens=lens,
        score=score,
        wording=wording,
        rarity=rarity,
    )


def test_the_same_text_with_other_numbers_is_the_same_idea():
    found = comparison("Tom has 3 pens and buys 4.", "Tom has 25 pens and buys 1.5.")
    assert found.reason == "The same text with other numbers."
    assert found.flags == (SAME_IDEA,)


def test_numbers_in_words_and_formulas_count_as_numbers():
    assert comparison("Half of $12$ is", r"three of $\frac{1}{2}$ is").flags == (SAME_IDEA,)


def test_the_same_text_with_the_same_numbers_is_just_that():
    found = comparison("What is $2+3$?", "What is  2+3?")
    assert found.reason == "The same text."
    assert found.flags == ()


def test_the_same_computation_is_named_with_letters():
    found = comparison(
        "A car goes 60 km in 2 hours and waits 1.",
        "Ann packs 30 eggs in 5 boxes, 2 break.",
        equation=("60/2-1", "30/5-2"),
    )
    assert found.reason.startswith("Both are computed as a ÷ b − c")
    assert found.flags == (SAME_IDEA,)


def test_one_operation_alone_is_the_same_idea_for_near_questions_only():
    pair = {"equation": ("3+4", "5+6")}
    assert comparison("Eggs 3 and 4", "Cars 5 and 6", score=0.3, **pair).flags == ()
    assert comparison("Eggs 3 and 4", "Cars 5 and 6", score=0.8, **pair).flags == (SAME_IDEA,)


def test_alike_in_wording_but_computed_differently_is_flagged_first():
    found = comparison(
        "Tom had 9 pens and gave away 3. How many now?",
        "Tom had 9 pens and got 3. How many now?",
        wording=0.9,
        equation=("9-3", "9+3"),
    )
    assert found.flags == (LOOKS_ALIKE,)
    assert found.reason.startswith("The wording is nearly the same, but it is solved differently")


def test_distant_concepts_of_one_hierarchy_mean_another_solution_and_near_ones_do_not():
    one, near = ("Number", "Fractions", "Adding"), ("Number", "Fractions", "Dividing")
    far, elsewhere = ("Geometry", "Area", "Circle"), ("Maths", "Circles")
    text = ("Half of the cake for Ann", "Half of a cake for Ann please")

    def flags(other, hierarchies=((1,), (1,))):
        return comparison(*text, wording=0.9, concepts=((one,), (other,)), hierarchies=hierarchies).flags

    assert flags(far) == (LOOKS_ALIKE,)
    assert flags(near) == ()
    assert flags(elsewhere, ((1,), (2,))) == ()
    assert comparison(*text, wording=0.5, concepts=((one,), (far,)), hierarchies=((1,), (1,))).flags == ()


def test_shared_concepts_are_named_the_deepest_first():
    deep, shallow = ("Algebra", "Equations", "Linear"), ("Number",)
    found = comparison("one", "other", concepts=((shallow, deep), (deep, shallow)))
    assert found.reason == "Both are about Linear and Number."
    found = comparison("one", "other", concepts=((("A", "B", "C"),), (("A", "B", "D"),)))
    assert found.reason == "Both belong to B."


def test_what_formulas_share_is_named_in_words():
    found = comparison(r"Find $\int x^2\,dx$ of $\sqrt{x}$", r"And $\int_0^1 \dfrac{1}{y^2}$ with $\sqrt 3$")
    assert found.reason == "Both have an integral, a square root and a square."
    assert "fraction" in comparison(r"$\frac12$", r"$\dfrac{3}{4}+x$").reason


def test_the_rarest_shared_words_are_named_and_common_ones_are_not():
    rarity = {"train": 4.0, "platform": 6.0, "hours": 1.0}
    found = comparison(
        "The train leaves the platform after hours",
        "A platform, hours, a train",
        rarity=lambda word: rarity.get(word, 0.5),
    )
    assert found.reason == "Both speak of “platform” and “train”."


def test_words_inside_longer_chinese_words_are_not_named_twice():
    one = evidence_of("三角形的面积", language="zh")
    found = compare(one, evidence_of("一个三角形", language="zh"), lens="wording", score=0.5, wording=0.5,
                    rarity=lambda word: 4.0)  # fmt: skip
    assert found.reason == "Both speak of “三角形”."


@pytest.mark.parametrize(("lens", "said"), [("purpose", "model places"), ("wording", "Much of the wording")])
def test_where_nothing_is_shared_the_reason_says_so(lens, said):
    assert said in comparison("cat", "dog", lens=lens).reason


def test_instructions_for_drawings_are_no_words():
    drawing = '[asy] draw((0,0)--(1,1)); label("A"); [/asy]'
    assert evidence_of(f"Find it. {drawing}", language="en").words == frozenset()


def test_very_long_texts_are_compared_by_their_beginning():
    assert len(evidence_of("word " * 50_000, language="en").words_only) < 5000
