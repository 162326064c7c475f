"""Reasons and flags come from what stands in both questions."""

from __future__ import annotations

import pytest

from questionbank.selectors.questions.computations import Computation, text_computation
from questionbank.selectors.questions.questions import TaggedPath
from questionbank.selectors.similar.evidence import evidence_of
from questionbank.selectors.similar.reasons import LOOKS_ALIKE, SAME_IDEA, compare


def comparison(
    first_text: str, second_text: str, *, wording=0.5, lens="purpose", rarity=lambda word: 5.0, **both
):
    """Compare two texts; ``x=(a, b)`` gives the first `a` and the second `b`.

    An equation is published, or a pair of what the solver found and how probably it is right.
    """
    purpose, by_graph = both.pop("purpose", None), both.pop("by_graph", False)
    equations = both.pop("equation", ("", ""))
    first, second = (
        evidence_of(
            text,
            language="en",
            computation=computed(text, equations[index]),
            **{name: pair[index] for name, pair in both.items()},
        )
        for index, text in enumerate((first_text, second_text))
    )
    return compare(
        first, second, lens=lens, wording=wording, rarity=rarity, purpose=purpose, by_graph=by_graph
    )


def computed(text: str, equation: str | tuple[str, float]) -> Computation | None:
    """What is computed by a published equation, or by the solver's with its probability."""
    if isinstance(equation, tuple):
        return text_computation(text, *equation)
    return text_computation(text, equation, None)


def test_the_same_text_with_other_numbers_is_the_same_idea():
    result = comparison("Tom has 3 pens and buys 4.", "Tom has 25 pens and buys 1.5.")
    assert result.reason == "The same text with other numbers."
    assert result.flags == (SAME_IDEA,)


def test_numbers_in_words_and_formulas_count_as_numbers():
    assert comparison("Half of $12$ is", "three of $24$ is").flags == (SAME_IDEA,)


def test_sums_of_fractions_and_of_whole_numbers_are_two_ideas():
    result = comparison("Work out $976 + 375$.", r"Work out $\frac{5}{6} + \frac{4}{9}$.")
    assert result.flags == ()
    assert "same text" not in result.reason.casefold()


def test_the_same_text_with_the_same_numbers_is_just_that():
    result = comparison("What is $2+3$?", "What is  2+3?")
    assert result.reason == "The same text."
    assert result.flags == ()


def test_the_same_computation_is_named_with_letters():
    result = comparison(
        "A car goes 60 km in 2 hours and waits 1.",
        "Ann packs 30 eggs in 5 boxes, 2 break.",
        equation=("60/2-1", "30/5-2"),
    )
    assert result.reason.startswith("Both are computed as a ÷ b − c")
    assert result.flags == (SAME_IDEA,)


@pytest.mark.parametrize(
    ("equations", "wording", "is_same_idea"),
    [
        (("3+4", "5+6"), 0.5, False),  # one operation is everybody's
        (("3+4", "5+6"), 0.7, True),
        (("48/6-3", "868/5-118"), 0.3, False),  # trees along a road, trains that meet
        (("48/6-3", "868/5-118"), 0.6, True),
    ],
)
def test_the_same_computation_is_the_same_idea_in_much_the_same_words(equations, wording, is_same_idea):
    texts = ("Eggs 3 and 4, 48 by 6", "Cars 5 and 6, 868 by 118")
    result = comparison(*texts, wording=wording, equation=equations)
    assert result.flags == ((SAME_IDEA,) if is_same_idea else ())
    assert result.reason.startswith("Both are computed as")


def test_the_same_computation_for_the_same_concept_is_the_same_idea_in_any_words():
    tags = [TaggedPath(1, ("Number", "Equal groups"))]
    pair = {"equation": ("3*4+5", "6*7+8"), "tags": (tags, tags)}
    assert comparison("Eggs 3 4 5", "Cars 6 7 8", wording=0.1, **pair).flags == (SAME_IDEA,)


def test_two_steps_for_the_same_purpose_are_the_same_idea_in_any_words():
    pair = {"equation": ("3*4+5", "6*7+8"), "wording": 0.1}
    assert comparison("Eggs 3 4 5", "Cars 6 7 8", purpose=0.7, **pair).flags == (SAME_IDEA,)
    assert comparison("Eggs 3 4 5", "Cars 6 7 8", purpose=0.6, **pair).flags == ()
    one_step = {"equation": ("3*4", "6*7"), "wording": 0.1}
    assert comparison("Eggs 3 4 5", "Cars 6 7 8", purpose=0.9, **one_step).flags == ()


@pytest.mark.parametrize(
    ("equations", "said"),
    [
        (("3*4-5", "7*6-8"), "Computed the same way: a × b − c."),
        (("3*4-5", "6*7"), "Computed nearly the same way: a × b, one step less than a × b − c."),
        (("3*4", "8-6*7"), "Computed nearly the same way: a − b × c, one step more than a × b."),
        (("3*4-5", "6*7+8"), "Computed nearly the same way: a × b + c, one step different from a × b − c."),
        (("3*4", "6+7"), "Computed as a + b, not as a × b."),
        (("3*4+4/5", "6-7-8"), "Computed as a − b − c, not as a ÷ b + a × c."),
        (("3*4", ("6*7", 0.82)), "same way: a × b (its equation is by the solver: 82% likely to be right)."),
        ((("3*4", 0.9), ("6*7", 0.82)), "90% and 82% likely to be right)."),
        ((("3*4", 0.9), "6*7"), "(this question’s equation is by the solver: 90% likely to be right)."),
        (("3*4", ""), "The model finds them similar; its equation is not known."),
        (("", "6*7"), "The model finds them similar; it is computed as a × b."),
        (("3*4", ("6*7", 0.3)), "The model finds them similar; its equation is not known."),  # too unsure to be said
    ],
)  # fmt: skip
def test_under_the_lens_of_structure_the_reason_begins_with_how_both_are_computed(equations, said):
    result = comparison("Eggs 3 4 5", "Cars 6 7 8", lens="structure", by_graph=True, equation=equations)
    assert said in result.reason
    assert result.same_graph == result.reason.startswith("Computed the same way")


def test_elsewhere_too_what_rests_on_the_solver_says_so():
    result = comparison("Eggs 3 4 5", "Cars 6 7 8", equation=("3*4", ("6*7", 0.82)))
    assert result.reason.startswith(
        "Both are computed as a × b (its equation is by the solver: 82% likely to be right)"
    )


def contrast(first_text, second_text, **both):
    """Flags and reason of two texts that read alike."""
    result = comparison(first_text, second_text, wording=0.9, **both)
    return result.flags, result.reason


def test_alike_in_wording_but_computed_differently_is_flagged_first():
    texts = ("Tom had 9 pens and gave away 3. How many now?", "Tom had 9 pens and got 3. How many now?")
    flags, reason = contrast(*texts, equation=("9-3", "9+3"))
    assert flags == (LOOKS_ALIKE,)
    assert reason.startswith("Reads nearly the same, but is computed as a + b, not as a − b")
    assert comparison(*texts, wording=0.7, equation=("9-3", "9+3")).flags == ()


def test_a_difference_rests_on_the_solver_only_where_it_is_sure():
    texts = ("Tom had 9 pens and gave away 3. How many now?", "Tom had 9 pens and got 3. How many now?")
    flags, reason = contrast(*texts, equation=("9-3", ("9+3", 0.85)))
    assert flags == (LOOKS_ALIKE,)
    assert "(its equation is by the solver: 85% likely to be right)" in reason
    assert contrast(*texts, equation=("9-3", ("9+3", 0.7)))[0] == ()


@pytest.mark.parametrize("equations", [("9-3", ""), ("9+3+2", "9+3"), ("9*4/5", "9*4"), ("9-3", "9-4")])
def test_equations_that_do_not_prove_another_computation_claim_none(equations):
    texts = ("Tom had 9 pens and lost 3 and 2. How many now?", "Tom had 9 pens and lost 3. How many now?")
    assert LOOKS_ALIKE not in contrast(*texts, equation=equations)[0]


def test_two_quantities_of_the_same_figure_are_found_differently():
    flags, reason = contrast(
        "A sector of a circle with radius 3 cm has an angle of 2 radians. Find its area.",
        "A sector of a circle with radius 5 cm has an angle of 1.5 radians. Find the length of its arc.",
    )
    assert flags == (LOOKS_ALIKE,)
    assert reason.startswith("Reads nearly the same, but is about “arc” and “length”, not “area”")


@pytest.mark.parametrize(
    ("first_text", "second_text"),
    [
        (
            "What is the sum of all the primes between 1 and 10?",
            "What is the sum of all primes less than 10?",
        ),
        ("Solve $25 = 22 - z$.", "Solve $-4 = 2 - z$."),
        ("Half of the cake for Ann", "Half of a cake for Ann please"),
        ("The area is 16. Find the perimeter.", "The perimeter is 16. Find the area."),
    ],
)
def test_without_proof_nothing_is_said_to_be_solved_differently(first_text, second_text):
    tags = ([TaggedPath(1, ("Prealgebra",))], [TaggedPath(1, ("Number theory",))])
    assert LOOKS_ALIKE not in contrast(first_text, second_text, tags=tags)[0]


def test_different_concepts_are_proof_where_the_texts_differ_by_their_names():
    texts = ("Find the simple interest on 300 dollars.", "Find the compound interest on 300 dollars.")
    simple = TaggedPath(1, ("Percentages", "Interest", "Simple interest"))
    compound = TaggedPath(1, ("Percentages", "Interest", "Compound interest"))
    flags, reason = contrast(*texts, tags=([simple], [compound]))
    assert flags == (LOOKS_ALIKE,)
    assert reason.startswith("Reads nearly the same, but is about “Compound interest”, not “Simple interest”")
    elsewhere = TaggedPath(2, compound.path)
    for second_tags in ([elsewhere], [simple], [simple, compound], [TaggedPath(1, simple.path[:2])]):
        assert contrast(*texts, tags=([simple], second_tags))[0] == ()


def test_siblings_are_found_through_numbers_signs_letters_and_names():
    result = comparison(
        "Solve $x^2 - 6x - 16 = 0$ by factorising.", "Solve $y^2 - 7y + 12 = 0$ by factorising."
    )
    assert result.flags == (SAME_IDEA,)
    assert result.reason.startswith("The same text except for numbers, signs, letters or names")
    assert comparison("Tom has 3 pens. Tom buys 4.", "Ann has 5 pens. Ann buys 9.").flags == (SAME_IDEA,)


def test_the_same_words_about_a_formula_of_the_same_form_are_the_same_idea():
    result = comparison(
        "Factorise the quadratic $x^2+5x+6$.", "The following is a quadratic. Factorise it: $x^2-x-12$."
    )
    assert result.flags == (SAME_IDEA,)
    assert result.reason.startswith("The same task with a formula of the same form")
    other_task = comparison("Factorise $x^2+5x+6$.", "Differentiate $x^2-x-12$.")
    assert other_task.flags == ()
    terms = "of the geometric sequence $1, 3, 9, \\ldots$"
    assert comparison(f"Find the sum of the first 6 terms {terms}", f"Find the 7th term {terms}").flags == ()
    assert other_task.reason.startswith("Both have a formula of the same form")


def test_shared_concepts_are_named_the_deepest_first():
    deep, shallow = TaggedPath(1, ("Algebra", "Equations", "Linear")), TaggedPath(1, ("Number",))
    result = comparison("one", "other", tags=((shallow, deep), (deep, shallow)))
    assert result.reason == "Both are about Linear and Number."
    cousins = (TaggedPath(1, ("A", "B", "C")),), (TaggedPath(1, ("A", "B", "D")),)
    assert comparison("one", "other", tags=cousins).reason == "Both belong to B."
    distant = (TaggedPath(1, ("A", "B")),), (TaggedPath(1, ("A", "C")),)
    assert "belong" not in comparison("one", "other", tags=distant).reason
    abroad = (TaggedPath(1, ("A", "B", "C")),), (TaggedPath(2, ("A", "B", "C")),)
    assert "about" not in comparison("one", "other", tags=abroad).reason


def test_what_nearly_all_questions_of_a_hierarchy_share_is_not_named():
    area, time = TaggedPath(1, ("Contest", "Topics", "Area")), TaggedPath(1, ("Contest", "Topics", "Time"))
    result = compare(
        evidence_of("one", language="en", tags=[area]),
        evidence_of("other", language="en", tags=[time]),
        lens="purpose",
        wording=0.3,
        rarity=lambda word: 5.0,
        broad=frozenset({TaggedPath(1, ("Contest", "Topics"))}),
    )
    assert result.reason == "The model ranks it among the closest in meaning."


def test_what_formulas_share_is_named_where_it_says_something():
    result = comparison(r"Find $\int x^2\,dx$ of $\sqrt{x}$", r"And $\int_0^1 \dfrac{1}{y^2}$ with $\sqrt 3$")
    assert result.reason == "Both have an integral and a square root."
    assert "have" not in comparison(r"Add $\frac12 + x^2$", r"Halve $y^2 \times \frac{3}{4}$").reason


@pytest.mark.parametrize(
    ("first_text", "second_text"),
    [
        ("Boil it at $20^\\circ$C", "Turn by $20^\\circ$"),  # a temperature is no angle
        ("Find $P(A|B)+P(C|D)$", "Find $|x|$ of it"),
        ("A set $\\{x | x\\}$", "A distance $|x-3|$"),
    ],
)
def test_signs_with_two_meanings_are_not_named(first_text, second_text):
    assert "have" not in comparison(first_text, second_text).reason


def test_the_rarest_shared_words_are_named_and_common_ones_are_not():
    rarity = {"train": 4.0, "platform": 6.0, "hours": 1.0}
    result = comparison(
        "The train leaves the platform after hours",
        "A platform, hours, a train",
        rarity=lambda word: rarity.get(word, 0.5),
    )
    assert result.reason == "Both mention “platform” and “train”."


def test_words_inside_longer_chinese_words_are_not_named_twice():
    evidence = evidence_of("三角形的面积", language="zh")
    result = compare(evidence, evidence_of("一个三角形", language="zh"), lens="wording", wording=0.5,
                     rarity=lambda word: 4.0)  # fmt: skip
    assert result.reason == "Both mention “三角形”."


@pytest.mark.parametrize(
    ("first_text", "second_text", "named"),
    [
        ("Round to one decimal place.", "Which place did Ann come in?", None),
        ("Round to one decimal place.", "To the nearest decimal place, what is it?", "“decimal place”"),
        (
            "How many hats? (2009 Math Kangaroo, Level 3-4, Question #8)",
            "How many cats? (2012 Math Kangaroo, Level 1-2, Question #1)",
            None,
        ),
        ("Tom sells a kite.", "Tom buys a melon.", None),
        (
            "What is it? Express your answer as a common fraction.",
            "Which is it? Express your answer as a common fraction.",
            None,
        ),
        (
            "The least common multiple of 4 and 6",
            "Find the least common multiple!",
            "“least common multiple”",
        ),
    ],
)
def test_words_count_in_the_sense_that_both_have_and_credits_and_names_do_not(first_text, second_text, named):
    reason = comparison(first_text, second_text).reason
    assert ("mention" in reason) == (named is not None)
    assert named is None or reason == f"Both mention {named}."


@pytest.mark.parametrize(
    ("lens", "wording", "said"),
    [
        ("purpose", 0.3, "The model ranks it among the closest in meaning."),
        ("wording", 0.3, "Parts of the wording are the same."),
        ("wording", 0.7, "Much of the wording is the same."),
    ],
)
def test_where_nothing_can_be_named_the_reason_claims_no_more(lens, wording, said):
    assert comparison("cat", "dog", lens=lens, wording=wording).reason == said


def test_instructions_for_drawings_are_no_words():
    drawing = '[asy] draw((0,0)--(1,1)); label("A"); [/asy]'
    assert evidence_of(f"Find it. {drawing}", language="en").words == frozenset()


def test_very_long_texts_are_compared_by_their_beginning():
    assert len(evidence_of("word " * 50_000, language="en").form) < 5000


@pytest.mark.parametrize(
    "formula",
    [
        r"\begin{array}{|c|c|} \hline x & 2 \\ \hline y & 3 \\ \hline \end{array}",
        r"|\vec{a}| = 3",
        r"P(A | B) = \frac{1}{3}",
    ],
)
def test_lines_of_a_table_and_lengths_of_vectors_are_no_absolute_value(formula):
    pair = comparison(f"Red apples: $${formula}$$", f"Green pears: $${formula}$$")
    assert "absolute value" not in pair.reason


def test_an_absolute_value_in_both_is_named():
    assert "absolute value" in comparison("Red: $|x - 3| = 4$", r"Green: $y = \left|2x\right| + 1$").reason


def test_a_shared_word_is_spelt_as_in_the_question():
    result = comparison("Both walk towards the tower.", "It rolls toward a wall.")
    assert result.reason == "Both mention “towards”."
