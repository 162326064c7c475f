import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.paraphrase.words.equal_quantities import canonical_quantities, in_words_of, rewritten


@pytest.mark.parametrize(
    ("original", "paraphrase"),
    [
        ("A film lasts 1.5 h.", "A film lasts 90 min."),
        ("It weighs 0.5 kg.", "It weighs 500 g."),
        ("A sweet costs $0.75.", "A sweet costs 75 cents."),
        ("From 8:30 am to 3:00 pm", "From 08:30 to 15:00"),
        ("It ends at 3 p.m. Then we go.", "It ends at 15:00. Then we go."),
        ("Ann has 3 dozen eggs.", "Ann has 36 eggs."),
        ("every quarter of an hour", "every 15 minutes"),
        ("It takes an hour and a half.", "It takes 1 hour 30 minutes."),
        ("at least 5 points", "5 or more points"),
        ("no more than 5 points", "at most 5 points"),
        ("a city of 2,000,000 people", "a city of 2 million people"),
        ("Half of the girls", "50 percent of the girls"),
        ("three quarters of 80", "0.75 of 80"),
        (r"Solve $x \le 5$.", "Solve $x <= 5$."),
        (r"$3 \times \frac{1}{2}$", r"$3 \cdot 1/2$"),
        ("an angle of 40°", "an angle of 40 degrees"),
    ],
)
def test_equal_quantities_are_written_alike(original, paraphrase):
    first, second = (canonical_quantities(text).text for text in (original, paraphrase))
    assert in_words_of(first, second).text == first


@pytest.mark.parametrize(
    ("original", "paraphrase"),
    [
        ("It is 1.5 km long.", "It is 1500 km long."),
        ("It ends at 3:00 pm.", "It ends at 3:00 am."),
        ("at least 5 points", "at most 5 points"),
        ("half of them", "a third of them"),
        (r"Solve $x \le 5$.", "Solve $x < 5$."),
    ],
)
def test_other_quantities_stay_other(original, paraphrase):
    first, second = (canonical_quantities(text).text for text in (original, paraphrase))
    assert in_words_of(first, second).text != first


_WORDS = st.text(min_size=1, max_size=5)


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9), _WORDS)))
def test_places_are_found_again(text, edits):
    result = rewritten(text, [(at, at + length, new) for at, length, new in edits if at + length <= len(text)])
    for start, end, new_start, new_end in result.pieces:
        assert result.span_before(new_start, new_end) == (start, end)
    assert result.span_before(0, len(result.text))[1] == len(text)
