from hypothesis import given
from hypothesis import strategies as st

from analytics.paraphrase.pair_reading import canonical_quantities, in_words_of, rewritten
from tests.cases import each_case


@each_case("likeness", "quantities")
def test_equal_quantities_are_written_alike_and_others_stay_other(text, other, same_quantities):
    first, second = (canonical_quantities(each).text for each in (text, other))
    assert (in_words_of(first, second).text == first) is same_quantities


_WORDS = st.text(min_size=1, max_size=5)


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9), _WORDS)))
def test_places_are_found_again(text, edits):
    result = rewritten(text, [(at, at + length, new) for at, length, new in edits if at + length <= len(text)])
    for start, end, new_start, new_end in result.pieces:
        assert result.span_before(new_start, new_end) == (start, end)
    assert result.span_before(0, len(result.text))[1] == len(text)
