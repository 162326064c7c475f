"""What grades a question, as JSON and as an identity."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.question_content import (
    EMPTY,
    AcceptedAnswer,
    Blank,
    Feedback,
    MatchingPair,
    Option,
    Picture,
    QuestionContent,
    QuestionPart,
    as_json,
    content_of,
)

# Control characters stand for a lost backslash of LaTeX in files.
_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\b\f\t\r"), max_size=12)
_SHARE = st.floats(0, 1)
_ACCEPTED = st.builds(
    AcceptedAnswer,
    _TEXT,
    _SHARE,
    _TEXT,
    st.none() | st.floats(0, 100),
    st.sampled_from(["absolute", "relative", "digits"]),
    _TEXT,
)
_OPTION = st.builds(Option, _TEXT, _TEXT, _TEXT, st.none() | st.floats(-1, 1), _TEXT)
CONTENTS = st.builds(
    QuestionContent,
    title=_TEXT,
    points=st.none() | st.floats(0, 100),
    accepted=st.lists(_ACCEPTED, max_size=2).map(tuple),
    pairs=st.lists(st.builds(MatchingPair, _TEXT, _TEXT), max_size=2).map(tuple),
    blanks=st.lists(
        st.builds(Blank, _TEXT, st.lists(_ACCEPTED, max_size=2).map(tuple), st.tuples(_OPTION), _SHARE, _TEXT),
        max_size=2,
    ).map(tuple),
    parts=st.lists(st.builds(QuestionPart, _TEXT, _TEXT, st.just(()), _TEXT), max_size=2).map(tuple),
    feedback=st.builds(Feedback, _TEXT, _TEXT, _TEXT, _TEXT),
    hints=st.lists(_TEXT, max_size=2).map(tuple),
    tags=st.lists(_TEXT, max_size=2).map(tuple),
    settings=st.dictionaries(_TEXT, _TEXT, max_size=2),
    pictures=st.lists(st.builds(Picture, _TEXT, st.just("5f" * 32)), max_size=2).map(tuple),
)


@given(CONTENTS)
def test_a_content_survives_json(content):
    assert content_of(json.loads(json.dumps(as_json(content)))) == content


def test_an_empty_content_is_nothing():
    assert (as_json(EMPTY), bool(EMPTY), bool(QuestionContent(title="t"))) == ({}, False, True)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ([], "grading must be an object"),
        ({"points": "3"}, "grading.points must be a finite number"),
        ({"accepted": [{"weight": 1}]}, r"grading.accepted\[1\] has no text"),
        ({"colour": 1}, "grading has no 'colour'"),
        ({"settings": {"shuffle": 1}}, "grading.settings must be an object of strings"),
        ({"settings": {"shuffle": None}}, "grading.settings must be an object of strings"),
        ({"accepted": [{"text": None}]}, r"grading.accepted\[1\] has no text"),
        ({"accepted": [{"text": "3", "settings": {}}]}, r"grading.accepted\[1\] has no 'settings'"),
        ({"blanks": [{}, {"options": {}}]}, r"grading.blanks\[2\].options must be a list"),
        ({"points": True}, "grading.points must be a finite number"),
        ({"points": float("nan")}, "grading.points must be a finite number"),
        ({"hints": [None]}, r"grading.hints\[1\] must be a string"),
        (
            {"parts": [{"text": "a", "content": {"parts": [{"text": "b", "content": {"parts": [{"text": "c"}]}}]}}]},
            "more than 2 levels",
        ),
    ],
)
def test_what_is_no_content_is_refused_with_its_place(found, reason):
    with pytest.raises(ValueError, match=reason):
        content_of(found)


def test_null_means_absent():
    found = {"title": None, "points": None, "settings": None, "accepted": [{"text": "3", "tolerance": None}]}
    assert content_of(found) == QuestionContent(accepted=(AcceptedAnswer("3"),))
