"""Reasons and flags come from what stands in both questions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questionbank.bank.question_selectors import TaggedPath
from questionbank.similar import evidence as passages
from questionbank.similar.evidence import evidence_of, same_spelling
from questionbank.similar.reasons import LOOKS_ALIKE, SAME_IDEA, compare
from questionbank.solving.computations import Computation, text_computation
from tests.cases import each_case


def comparison(first_text: str, second_text: str, *, wording=0.5, lens="purpose", rarity=lambda word: 5.0, **both):
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
    return compare(first, second, lens=lens, wording=wording, rarity=rarity, purpose=purpose, by_graph=by_graph)


def computed(text: str, equation: str | Sequence) -> Computation | None:
    """What is computed by a published equation, or by the solver's with its probability."""
    return text_computation(text, equation, None) if isinstance(equation, str) else text_computation(text, *equation)


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


@each_case("similar_questions", "same_idea")
def test_the_same_computation_is_the_same_idea_in_much_the_same_words(equations, wording, is_same_idea):
    texts = ("Eggs 3 and 4, 48 by 6", "Cars 118 and 5, 868 by 6")
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


@each_case("similar_questions", "computed_alike")
def test_under_the_lens_of_structure_the_reason_begins_with_how_both_are_computed(equations, said):
    result = comparison("Eggs 3 4 5", "Cars 6 7 8", lens="structure", by_graph=True, equation=equations)
    assert said in result.reason
    assert result.same_graph == result.reason.startswith("Both are computed as")
    assert result.nearly_same_graph == bool(result.reason) == bool(said)


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


@each_case("similar_questions", "differences")
def test_a_difference_needs_a_like_wording_or_a_certain_equation_and_no_step_decides(wording, second, is_said):
    texts = ("Tom had 9 pens and gave away 3. How many now?", "Tom had 9 pens and got 3. How many now?")
    result = comparison(*texts, wording=wording, equation=("9-3", second))
    assert result.flags == ((LOOKS_ALIKE,) if is_said else ())
    assert ("reads nearly the same" in result.reason.casefold()) == (is_said and wording >= 0.8)


def test_a_difference_rests_on_the_solver_only_where_it_is_sure():
    texts = ("Tom had 9 pens and gave away 3. How many now?", "Tom had 9 pens and got 3. How many now?")
    flags, reason = contrast(*texts, equation=("9-3", ("9+3", 0.85)))
    assert flags == (LOOKS_ALIKE,)
    assert "(its equation is by the solver: 85% likely to be right)" in reason
    assert contrast(*texts, equation=("9-3", ("9+3", 0.6)))[0] == ()


@pytest.mark.parametrize("equations", [("9-3", ""), ("9+3+2", "9+3"), ("9*4/5", "9*4"), ("9-3", "9-4")])
def test_equations_that_do_not_prove_another_computation_claim_none(equations):
    texts = ("Tom had 9 pens and lost 3 and 2. How many now?", "Tom had 9 pens and lost 3. How many now?")
    assert LOOKS_ALIKE not in contrast(*texts, equation=equations)[0]


@pytest.mark.parametrize(("first", "second"), [("radius", "diameter"), ("sine", "cosine"), ("profit", "loss")])
def test_pairs_of_quantities_that_are_confused_are_told_apart(first, second):
    texts = [f"Work out the {name} from the figures in the table below, to two decimals." for name in (first, second)]
    flags, reason = contrast(*texts)
    assert flags == (LOOKS_ALIKE,)
    assert f"is about “{second}”, not “{first}”" in reason


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
        ("What is the sum of all the primes between 1 and 10?", "What is the sum of all primes less than 10?"),
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
    result = comparison("Solve $x^2 - 6x - 16 = 0$ by factorising.", "Solve $y^2 - 7y + 12 = 0$ by factorising.")
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
    assert "same form" not in other_task.reason


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
    assert result.reason == ""


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


@each_case("similar_questions", "passages")
def test_a_passage_is_named_as_both_spell_it_and_single_words_are_not(first_text, second_text, said):
    common = {"the": 0.1, "how": 0.6, "many": 0.7, "of": 0.1, "is": 0.2}
    result = comparison(first_text, second_text, lens="wording", rarity=lambda word: common.get(word, 5.0))
    assert result.reason == said


@pytest.mark.parametrize(
    ("passage", "is_said"),
    [("river bank", False), ("prime numbers", True), ("how many cattle", True), ("area of the field", True)],
)
def test_where_wording_is_not_compared_a_passage_must_set_a_task(passage, is_said):
    result = comparison(f"Note {passage}!", f"This is {passage}?", lens="purpose")
    assert (passage in result.reason) == is_said


def test_a_chinese_passage_is_whole_words_and_no_counted_thing():
    def reason(first_text, second_text):
        evidence = [evidence_of(text, language="zh") for text in (first_text, second_text)]
        return compare(*evidence, lens="wording", wording=0.5, rarity=lambda word: 4.0).reason

    assert reason("圆锥的底面直径是4厘米", "一个圆锥的底面是圆") == "Both say “圆锥的底面”."
    assert reason("一件衣服120元", "买一件衣服") == ""


def test_where_nothing_can_be_shown_nothing_is_said():
    for lens in ("purpose", "wording"):
        assert comparison("cat", "dog", lens=lens, wording=0.7).reason == ""


def test_instructions_for_drawings_are_no_words():
    drawing = '[asy] draw((0,0)--(1,1)); label("A"); [/asy]'
    assert evidence_of(f"Find it. {drawing}", language="en").all_words == {"find", "it"}


def test_what_is_kept_of_a_text_holds_no_other_questions_tags():
    tag = TaggedPath(1, ("Number", "Fractions"))
    assert evidence_of("Add them.", language="en", tags=[tag]).tags == (tag,)
    assert evidence_of("Add them.", language="en").tags == ()


def test_one_formula_in_two_spellings_is_the_same_text():
    spellings = (r"Solve $x^{2} = \frac{1}{2}$.", r"Solve  $x^2 = \dfrac12$.")
    assert comparison(*spellings).reason == "The same text."
    assert same_spelling(spellings[0]) == same_spelling(spellings[1].replace("  ", " "))


@each_case("similar_questions", "one_graph")
def test_one_graph_is_one_idea_only_where_the_numbers_play_the_same_parts(texts, equations, is_same_idea, said):
    result = comparison(*texts, wording=0.7, purpose=0.8, equation=equations)
    assert (SAME_IDEA in result.flags) == is_same_idea
    assert said in result.reason
    assert result.same_graph


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


WORDS = st.lists(
    st.sampled_from(["what", "is", "the", "of", "angle", "triangle", "area", "sum", "how", "many", "求", "\0"]),
    max_size=20,
)


@given(WORDS, WORDS, st.booleans())
def test_a_passage_is_looked_for_only_where_two_words_side_by_side_may_say_something(first, second, of_task):
    found = passages.shared_passage(first, second, lambda token: 3.0, of_task=of_task)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passages, "pairwise", lambda words: [("always", "looked")])
        patch.setattr(passages, "_may_say", lambda pair: True)
        assert passages.shared_passage(first, second, lambda token: 3.0, of_task=of_task) == found
