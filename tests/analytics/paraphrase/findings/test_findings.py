"""Findings: what was lost, added or changed, in words and with places; and what is no finding.

The first five cases have the form of the paper's Table 3 with sentences of ours; the paper's own come last.
"""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.paraphrase.findings.rules import Finding, find_changes
from analytics.text.remembered import forget_everything
from tests.analytics.paraphrase.said import said

BOX = "A tray of 24 lemons is shared by 8 pupils. How many lemons does each pupil get?"
WALK = "Priya walked 300 kilometres. How long did she walk in terms of metres?"
PENS = "Omar has 12 pens and Ivy has 7 pencils. How many more pens does Omar have than Ivy has pencils?"


def test_a_number_that_is_gone_is_lost() -> None:
    original = "A sack of rice weighs 9 pounds and 5 ounces. How much does the sack weigh in ounces?"
    assert said(original, original.replace("5 ounces", "ounces")) == ["5 ounces is missing."]


def test_things_that_are_renamed_in_one_place_are_a_finding() -> None:
    paraphrase = "24 caps in a tray are shared equally by 8 pupils. How many lemons does each pupil get?"
    assert said(BOX, paraphrase) == ["“lemons” became “caps” in one place and stayed “lemons” in another."]


def test_things_that_are_renamed_throughout_are_none() -> None:
    assert said(BOX, "24 caps in a tray are shared equally by 8 pupils. How many caps does each pupil get?") == []


def test_a_unit_that_became_another_is_a_finding() -> None:
    [sentence] = said(WALK, "priya walked 300 centimetres. How long did she walk in terms of metres?")
    assert sentence == "kilometres became centimetres (300 kilometres, 300 centimetres)."


def test_a_unit_that_is_abbreviated_is_none() -> None:
    assert find_changes(WALK, "priya walked 300 km. How long did she walk in terms of metres?") == []


@pytest.mark.parametrize(
    ("original", "paraphrase"),
    [
        ("Zoe reads 25 pages in 2 hours.", "Zoe reads twenty-five pages in 120 minutes."),
        ("Zoe pays $3.50 for 1/2 of it.", "For half of it, Zoe pays 3.50 dollars."),
        ("It is 50% off.", "It is one half off."),
        ("He has twice as many pens.", "He has two times as many pens."),
        ("There are 4 books. He sorts the 4 books.", "There are 4 books. He sorts the books."),
        ("Zoe has 5 more cards than Tim.", "Tim has 5 fewer cards than Zoe."),
        ("Zoe and Tim share 9 cards. Tim takes 4.", "Lucy and Max share 9 cards. Max takes 4."),
        (
            "Zoe purchased 4 pens. How many pens does she have?",
            "Zoe bought 4 pens. What is the number of pens that she has?",
        ),
        ("If Zoe has 4 pens, how many are left?", "How many are left if Zoe has 4 pens?"),
        (
            "Tim bought 5 pens for $2. What is the price of a pen?",
            "5 pens were bought by Tim for $2. Find the price of a pen.",
        ),
        ("A train goes at 60 km/h.", "A train goes at 60 kilometres per hour."),
        ("One side is 5 m.", "A side is 5 m."),
        ("What is the sum of 3 and 4?", "Find the sum of 3 and 4."),
        ("Who doesn't eat?", "Who does not eat?"),
        ("At least 3 pens.", "No fewer than 3 pens."),
    ],
)
def test_what_says_the_same_is_no_finding(original: str, paraphrase: str) -> None:
    assert said(original, paraphrase) == []
    assert said(paraphrase, original) == []


@pytest.mark.parametrize(
    ("original", "paraphrase", "sentence"),
    [
        ("He rode 30 km.", "He rode some km.", "30 became some."),
        ("He rode 30 km.", "He rode 13 km.", "30 km became 13 km."),
        ("He has pens.", "He has 3 pens.", "3 was added."),
        ("He has 12 pens.", "He has many pens.", "12 became many."),
        ("He earns 20% more.", "He earns 20 more.", "20% became 20."),
        (PENS, PENS.replace("12", "x").replace("7", "12").replace("x", "7"), "12 and 7 changed places."),
        ("How many hours does it take?", "How many minutes does it take?", "hours became minutes."),
        ("It lasts 5 minutes.", "It lasts 5 of them.", "5 minutes became 5: minutes is missing."),
        (
            "Zoe has 3 pens. Zoe eats.",
            "Ann has 3 pens. Zoe eats.",
            "“Zoe” became “Ann” in one place and stayed “Zoe” in another.",
        ),
        ("Zoe has 3 pens. Tim has 4.", "Has 3 pens. Tim has 4.", "Zoe is missing."),
        ("Zoe has 3 pens.", "Zoe has 3 pens with Boris.", "Boris was added."),
        ("Zoe ran. Tim ran. Zoe sat.", "Zoe ran. Tim ran. Tim sat.", "“Zoe” became “Tim” in one place."),
        ("He has 5 more than she.", "He has 5 fewer than she.", "“more” became “fewer”."),
        ("He buys at least 3 pens.", "He buys at most 3 pens.", "“least” became “most”."),
        ("Zoe has 5 more than Tim. Tim ran.", "Tim has 5 more than Zoe. Tim ran.", "“Zoe” and “Tim” changed places."),
        (
            "Zoe has 4 times as many pens as Tim.",
            "Tim has 4 times as many pens as Zoe.",
            "“Zoe” and “Tim” changed places.",
        ),
        ("How many more than 3?", "How many than 3?", "more is missing."),
        ("He has 3 pens. How many are left?", "He has 3 pens.", "The question is missing."),
        ("In June they find 3 pens. How many are left?", "In June they find 3 pens.", "The question is missing."),
        ("He has 3 pens. How many are in the box?", "He has 3 pens. How many are in the", "The question breaks off."),
        (
            "Find the area of a field of 3 m.",
            "Find the perimeter of a field of 3 m.",
            "The question asks for the perimeter, not the area.",
        ),
        (
            "He has 3 pens and 4 cups. How many pens?",
            "He has 3 pens and 4 cups. How many cups?",
            "The question asks for cups instead of pens.",
        ),
        ("What is the average speed?", "What is the speed?", "“average” is no longer asked for."),
    ],
)
def test_what_changed_is_said_in_words(original: str, paraphrase: str, sentence: str) -> None:
    assert sentence in said(original, paraphrase)


@pytest.mark.parametrize(
    ("original", "paraphrase"),
    [
        # quantities in other units, or of one
        ("The bus leaves in 30 minutes.", "The bus leaves in half an hour."),
        ("She swims 60 minutes.", "She swims for an hour."),
        ("He is 10 years older than Ivo.", "He is a decade older than Ivo."),
        ("In 7 days she knits 3 caps.", "Over the course of a week she knits 3 caps."),
        ("The soup takes 1 cup of rice.", "The soup takes a full cup of rice."),
        ("It holds half of a litre.", "It holds half a litre."),
        ("A rope of 1000 m is cut.", "A rope of 1 km is cut."),
        ("Goats walk 6 miles every day.", "Every day, goats walk 6 miles."),
        ("Goats walk 6 miles every day.", "Goats walk 6 miles daily."),
        ("Beads are 5 cents each.", "Beads are a nickel each."),
        ("The kite costs Rs 54.", "Rupees 54 is what the kite costs."),
        # multiplying and dividing
        ("The fee doubled.", "The fee grew twofold."),
        ("She has three times as many.", "She has thrice as many."),
        ("The crowd is four times as big.", "The crowd quadrupled, so big it is."),
        ("The crew halved the pile.", "The crew cut the pile to half."),
        ("In May 3 times fewer came.", "In May a third of them came."),
        ("She keeps 0.667 of it.", "She keeps two-thirds of it."),
        # numbers that say nothing new
        ("The two shops close.", "Both shops close."),
        ("A third boat came for half of them.", "Another boat came for half of them."),
        ("Her score was 16.", "She got 16."),
        # the order of clauses
        (
            "Ola had 90 shells. In one day she sold 35 shells and kept the rest in 5 jars.",
            "In one day Ola sold 35 shells out of the 90 that she had, and kept the rest in 5 jars.",
        ),
        # comparisons
        ("Ivo has 6 more nuts than Ola.", "Ivo's nuts exceed Ola's by 6."),
        ("Ivo has 6 more nuts than Ola.", "The number of Ivo's nuts surpasses that of Ola by 6."),
        ("The fir is 5 feet more than the elm.", "The fir is taller by 5 feet than the elm."),
        ("How much more is the red than the blue one?", "What is the difference between the red and the blue one?"),
        ("The price is 10% higher than it was.", "The price has risen by 10% since."),
        ("She made 3 times more kites than Ivo.", "She made 3 times as many kites as Ivo."),
        ("After the fair Ola had 4 pies.", "Ola had baked earlier; 4 pies stayed behind."),
        ("All eggs except 10 were found.", "Apart from 10, all eggs were found."),
        ("How many pages did he not read?", "How many pages did he fail to read?"),
        ("He did n't pay for 5 seats.", "He didn't pay for 5 seats."),
        ("How many seats are empty?", "How many seats are not used?"),
        # what is asked
        ("He has 9 plums. How many will each get?", "He has 9 plums. How many will each be left with?"),
        ("2 and a number make 7. Find the number.", "2 and a number make 7. Identify the number."),
        ("What is the rest of 9 less 4?", "We take 4 from 9, and the rest is to be found."),
        ("How many workers are in the shop?", "How many employees are in the shop?"),
        ("Find the product of 4 and 9.", "What do we get when multiplying 4 and 9?"),
        ("She bakes 30 buns.How many are left?", "She bakes 30 buns. How many are left?"),
        ("Compute $x^2+1$ for $x=2$.", "For $x=2$ compute $x^2+1$."),
        ("Calculate the area of a circle with radius 3 cm.", "For a circle with radius 3 cm calculate the area."),
        ("Find $2a$ if $a=3$.", "If $a=3$ find $2a$."),
    ],
)  # fmt: skip
def test_free_rewordings_are_no_serious_finding(original: str, paraphrase: str) -> None:
    assert said(original, paraphrase) == []
    assert said(paraphrase, original) == []


@pytest.mark.parametrize(
    ("original", "paraphrase", "sentence"),
    [
        ("The bus leaves in 30 minutes.", "It leaves in 30 hours.", "minutes became hours (30 minutes, 30 hours)."),
        ("The bus leaves in 30 minutes.", "The bus leaves in an hour.", "30 minutes is missing."),
        ("Kites cost $4 a week.", "Kites cost $4 a month.", "week became month."),
        ("It flies 90 km per hour.", "It flies 90 km.", "km per hour became km (90 km per hour, 90 km)."),
        ("The fee doubled.", "The fee tripled.", "doubled became tripled."),
        ("She keeps 0.667 of it.", "She keeps one third of it.", "0.667 became one third."),
        ("He plants 4 oaks and 9 elms.", "He plants 14 trees in total: 4 oaks and 9 elms.", "14 was added."),
        (
            "Ola pays 8 dollars for 3 tickets and eats a bun.",
            "Ola pays 3 dollars for 8 tickets and eats a bun.",
            "8 dollars and 3 changed places.",
        ),
        (
            "The farm has 12 brown cows and 7 goats.",
            "There are 7 brown cows on the farm, and 12 goats as well.",
            "12 and 7 changed places.",
        ),
        ("How much was it before taxes?", "How much was it after taxes?", "“before” became “after”."),

        ("How many plums has she at the end?", "How many plums has she at", "The question breaks off."),
        ("He sold 5 kites. How many are left?", "He sold 5. How many has he in the", "The question breaks off."),
    ],
)  # fmt: skip
def test_changes_in_free_rewordings_are_found(original: str, paraphrase: str, sentence: str) -> None:
    assert sentence in said(original, paraphrase)


def test_serious_findings_come_first_in_the_order_of_the_text() -> None:
    findings = find_changes("He has 8 more pens, 3 caps and 4 hats.", "He has 8 pens, caps and hats.")
    assert [finding.sentence for finding in findings] == ["more is missing.", "3 is missing.", "4 is missing."]


def test_a_finding_is_plain_values() -> None:
    [finding] = find_changes("He rode 30 km.", "He rode some km.")
    assert isinstance(finding, Finding)
    assert finding.as_dict() == {
        "kind": "number", "change": "changed", "sentence": "30 became some.", "original": (8, 10),
        "paraphrase": (8, 12), "before": "30", "after": "some", "is_serious": True,
    }  # fmt: skip


def test_equal_texts_and_empty_texts_give_nothing() -> None:
    assert find_changes(PENS, PENS) == []
    assert find_changes("", "") == []
    assert find_changes("", "Zoe has 3 pens.")


_WORDS = st.sampled_from(
    "Ann Tom has 3 12 km $5 pens. more than , ? How many If the hours 50% $x^2$ not half is 书".split()
)


@settings(max_examples=80, deadline=None)
@given(st.lists(_WORDS, max_size=30).map(" ".join), st.lists(_WORDS, max_size=30).map(" ".join))
def test_any_two_texts_can_be_compared(original: str, paraphrase: str) -> None:
    said(original, paraphrase)
    assert find_changes(original, original) == []


def test_a_comparison_that_is_lost_is_quoted() -> None:
    assert said("Ann has 3 pens more than Tom.", "Ann has 3 pens than Tom.") == ["more is missing."]


@pytest.mark.parametrize(
    ("original", "paraphrase"),
    [
        ("A rope costs 20 per cent less. What is its price?", "A rope costs 20 percent less. What is its price?"),
        ("He bought 62 kg of wheat.", "He bought 62 kgs of wheat."),
        ("A pipe of 0.6 m is cut.", "A pipe of 0,6 m is cut."),
        ("Two stations A and B are 40 km apart.", "Stations A and B are 40 km apart."),
        ("The average age became 30 years. How old is Nik?", "The average age became 30. How old is Nik?"),
        ("Santa hands out 4 toys.", "Santa Claus hands out 4 toys."),
        ("Ganguly is 26 years old.", "Gangulis is 26 years old."),
        ("The lift holds no more than 64 people.", "The lift cannot hold more than 64 people."),
        ("The sum is 12. Find both numbers.", "If the sum is 12, you will find both numbers."),
        ("Do not count the 3 blue ones.", "Don't count the 3 blue ones."),
        ("He gave away 12 gifts. Are gifts dear?", "He gave away 12 presents. Are gifts dear?"),
        ("He walks 3 km on Christmas Day.", "On Christmas Eve he walks 3 km."),
        ("Ria drinks tea at breakfast, lunch and dinner.", "Ria drinks tea at her three meals."),
        ("If x plus 5 equals 12, what is x?", "If x + 5 = 12, what is x?"),
        ("Find an area in cm^2.", "Find an area in square centimetres."),
        ("Find the area in cm^2.", "Find the area."),
    ],
)  # fmt: skip
def test_what_says_the_same_in_another_way_is_no_serious_finding(original: str, paraphrase: str) -> None:
    assert said(original, paraphrase) == []


@pytest.mark.parametrize(
    ("original", "paraphrase", "sentence"),
    [
        ("A pipe of 1,250 m is cut.", "A pipe of 1,251 m is cut.", "1,250 m became 1,251 m."),
        ("The average is 30 years here.", "The average is 30 here.", "30 years became 30: years is missing."),
        ("Santa hands out 4 toys.", "Santa hands out 4 toys to Rupert.", "Rupert was added."),
        ("Tom sold pens in a shop.", "Tom sold three pens in a shop.", "three was added."),
        ("If m^2 = 49, find m.", "If m^3 = 49, find m.", "2 became 3."),
        (
            "He lives on the Isle of Man.",
            "He lives on the Isle of Man near Bank of Poland.",
            "Bank of Poland was added.",
        ),
        (
            "Peter meets Marina. Peter gives Marina 2 pens.",
            "Peter meets Marina. Marine gives Marina 2 pens.",
            "“Peter” became “Marine” in one place and stayed “Peter” in another.",
        ),
    ],
)
def test_what_is_like_it_and_changes_the_answer_still_is(original: str, paraphrase: str, sentence: str) -> None:
    assert said(original, paraphrase) == [sentence]


def test_of_endless_texts_the_beginning_is_compared_and_a_finding_says_so() -> None:
    counted = " ".join(f"{number} pens," for number in range(2, 250))
    text = f"{counted} and nothing else. How many pens is that?"
    *_, last = find_changes(text, text.replace("2 pens", "1 pens", 1).replace("249 pens", "248 pens"))
    assert (last.sentence, last.is_serious) == ("The texts are too long to be compared from here on.", False)
    assert last.original is not None
    assert text[slice(*last.original)] == last.before == "102"
    [only] = find_changes(text, text.replace("2 pens", "1 pens", 1))
    assert (only.before, only.after) == ("2", "1")
    words = "a word and another, " * 300
    [finding] = find_changes(f"{words} 5", f"{words} 6")
    assert "too long" in finding.sentence


def _names(first: str, count: int) -> list[str]:
    letters = "abcdefghij"
    return [first + "ar" + "".join(letters[int(digit)] for digit in str(number)) for number in range(count)]


def _texts_of_names(count: int) -> tuple[str, str]:
    """The same sentences about people who all have other names."""
    first, second = (" ".join(f"{name} has apples." for name in _names(letter, count)) for letter in "ZQ")
    return first, second


@pytest.mark.parametrize(
    "write",
    [
        _texts_of_names,
        lambda count: (
            "Add 1 km in hours and minutes and kg. " * count, "In days add 1 g in miles and feet. " * count,
        ),
        lambda count: ("Ann has 3 more red pens than Bob. " * count, "Bob has 4 fewer cups than Ann. " * count),
        lambda count: ("$x$ is $y^2$ and " * count, "$y$ is $x_1$ or " * count),
    ],
)  # fmt: skip
def test_longer_texts_take_no_more_than_their_share_of_work(write) -> None:
    """Operations are counted, not seconds. Twice the names take twice as many; numbers are aligned in pairs."""
    find_changes(*write(3))  # what is built once
    short, twice, endless = (_operations(*write(count)) for count in (15, 30, 1_000))
    assert twice < (2.2 if write is _texts_of_names else 3.2) * short
    assert endless < 1_000_000


def test_texts_of_too_many_names_are_compared_up_to_there() -> None:
    original, paraphrase = _texts_of_names(150)
    *_, last = find_changes(original, paraphrase)
    assert last.sentence == "The texts are too long to be compared from here on."
    assert last.before == _names("Z", 101)[-1]
    assert find_changes(*_texts_of_names(90)) == []


def _operations(original: str, paraphrase: str) -> int:
    """How many functions are called to compare two texts."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    forget_everything()
    sys.setprofile(count)
    try:
        find_changes(original, paraphrase)
    finally:
        sys.setprofile(None)
    return calls


_APPLES = "A cart of 20 apples is distributed among 10 students. How much apple does each student get?"
_WALK = "John walked 200 kilometres. How long did he walk in terms of metres?"


@pytest.mark.parametrize(
    ("original", "paraphrase", "label", "said"),
    [
        (
            "A bag of cat food weighs 7 pounds and 4 ounces. How much does the bag weigh in ounces?",
            "A bag of cat food weighs 7 pounds and ounces. How much does the bag in ounces?",
            0,
            "4 ounces is missing.",
        ),
        (
            _APPLES,
            "20 hats in a cart are equally distributed among 10 students. How much apple does each student get?",
            0,
            "“apples” became “hats” in one place and stayed “apples” in another.",
        ),
        (
            _APPLES,
            "20 hats in a cart are equally distributed among 10 students. How many hats does each student get?",
            1,
            "",
        ),
        (
            _WALK,
            "john walked 200 centimetres. How long did he walk in terms of metres?",
            0,
            "kilometres became centimetres (200 kilometres, 200 centimetres).",
        ),
        (_WALK, "john walked 200 km. How long did he walk in terms of metres?", 1, ""),
    ],
)
def test_the_examples_of_the_papers_table_3(original: str, paraphrase: str, label: int, said: str) -> None:
    serious = [finding.sentence for finding in find_changes(original, paraphrase) if finding.is_serious]
    assert (not serious) == bool(label)
    assert not said or said in serious


def test_another_unit_that_is_asked_for_is_serious_and_its_short_form_is_the_same() -> None:
    fast = "A train of 180 m passes a signal in 9 seconds. How fast is it in metres per second?"
    assert said(fast, fast.replace("metres per second", "km/h")) == ["metres per second became km/h."]
    assert said(fast, fast.replace("metres per second", "m/s")) == []


@pytest.mark.parametrize(
    ("formula", "new_formula", "sentences"),
    [
        ("$(x-3)(x+3)$", "$(x-3)(x-3)$", ["$(x-3)(x+3)$ became $(x-3)(x-3)$, which means something else."]),
        ("$3x+2=0$", "$3x-2=0$", ["$3x+2=0$ became $3x-2=0$, which means something else."]),
        ("$(x-3)(x+3)$", "$x^2-9$", []),
        (r"$\frac{1}{2}$", "$0.5$", []),
        ("$2x=6$", "$x=3$", []),
    ],
)
def test_a_formula_is_compared_by_what_it_means(formula: str, new_formula: str, sentences: list[str]) -> None:
    assert said(f"Look at {formula} for a minute.", f"Look at {new_formula} for a minute.") == sentences


def test_numbers_of_formulas_that_nobody_can_compare_stay_findings() -> None:
    assert said("Look at $1/2x+3$ now.", "Look at $1/2x+4$ now.") == ["3 became 4."]
