from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.errors import DataError
from analytics.expression.parser import MAX_DEPTH, MAX_LENGTH, MAX_OPERATIONS, parse_expression
from analytics.expression.tree import ExpressionTree


def flat(tree: ExpressionTree) -> str:
    """Prefix notation, to see the structure."""
    return tree.label if tree.is_number else f"({tree.label} {' '.join(map(flat, tree.children))})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(11-1)*2", "(* (- 11 1) 2)"),
        ("1-2-3", "(- (- 1 2) 3)"),
        ("1+2*3", "(+ 1 (* 2 3))"),
        ("2^3^2", "(^ 2 (^ 3 2))"),
        ("-2^2", "(neg (^ 2 2))"),
        ("3*-4", "(* 3 (neg 4))"),
        ("x=60%/(1-60%)", "(/ 60% (- 1 60%))"),
        ("(1+2)%*5", "(* (% (+ 1 2)) 5)"),
        ("5(1/2)+1", "(+ 5(1/2) 1)"),
        ("5((1)/(2))", "5((1)/(2))"),
        ("6 1/6 - 2 2/3", "(- 6(1/6) 2(2/3))"),
        ("6÷2 1/2", "(/ 6 2(1/2))"),
        ("6 / 10 1/2 * 4", "(* (/ 6 10(1/2)) 4)"),
        ("1,000-2", "(- 1000 2)"),
        ("12,345,678.5*5%", "(* 12345678.5 5%)"),
        ("2(3+4)", "(* 2 (+ 3 4))"),
        ("(1+2)(3+4)", "(* (+ 1 2) (+ 3 4))"),
        ("8/2(3+1)", "(* (/ 8 2) (+ 3 1))"),
        ("1/[(1-6/8)/(9-6)]", "(/ 1 (/ (- 1 (/ 6 8)) (- 9 6)))"),
        ("2:5 × 3 ÷ .5", "(/ (* (/ 2 5) 3) .5)"),
    ],
)
def test_precedence_brackets_and_published_spellings(text: str, expected: str) -> None:
    assert flat(parse_expression(text)) == expected


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("1+", 3),
        ("(1+2", 5),
        ("(1+2]", 5),
        ("1+a", 3),
        ("1)", 2),
        ("12 500+3", 4),
        ("5 7/2", 3),
        ("1/2 3/4", 5),
        ("5 1/2/3", 3),
        ("12,50-2", 3),
        ("1,0000", 2),
        ("0,500", 2),
        ("", 1),
        ("*3", 1),
        ("__import__('os')", 1),
    ],
)
def test_what_is_no_arithmetic_is_refused_with_its_place(text: str, position: int) -> None:
    with pytest.raises(DataError, match=f"character {position}"):
        parse_expression(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(11-1)*2+", "The equation ends at character 10, where a number is missing."),
        ("*3", "The equation has '*' at character 1, where a number is missing."),
        ("(1+2", "The equation ends at character 5, where ')' must close the bracket at character 1."),
        ("1 +  a", "The equation has 'a' at character 6, which is not arithmetic."),
        ("1,000 500", "The equation has '500' at character 7, directly after another number."),
        ("x = 2+", "The equation ends at character 7, where a number is missing."),
        ("1)", "The equation has ')' at character 2, where it is out of place."),
    ],
)
def test_a_refusal_says_what_is_wrong_and_where(text: str, message: str) -> None:
    with pytest.raises(DataError) as refusal:
        parse_expression(text)
    assert str(refusal.value) == message


def test_size_and_depth_are_bounded() -> None:
    with pytest.raises(DataError, match="longer"):
        parse_expression("1+" * MAX_LENGTH + "1")
    with pytest.raises(DataError, match="deeper"):
        parse_expression("(" * (MAX_DEPTH + 5) + "1" + ")" * (MAX_DEPTH + 5))
    with pytest.raises(DataError, match="deeper"):
        parse_expression("-" * (MAX_DEPTH + 5) + "1")


@pytest.mark.parametrize("operation", ["+1", "*1", "%", "(1)"])
def test_a_chain_too_deep_to_walk_is_refused(operation: str) -> None:
    parse_expression("1" + operation * MAX_OPERATIONS)
    with pytest.raises(DataError, match="more than 300 operations"):
        parse_expression("1" + operation * (MAX_OPERATIONS + 2))


@given(st.text(alphabet="0123456789.+-*/^()[]%:=x ", max_size=40))
def test_any_text_is_parsed_or_refused_in_words(text: str) -> None:
    try:
        said = parse_expression(text).label
    except DataError as error:
        said = str(error)
    assert said


@pytest.mark.shared_data
def test_published_equations_parse(shared_data) -> None:
    failed = total = 0
    for name in ("math23k/dev", "ape210k/valid", "mawps/cv", "unbiased_mwp/test", "intermwp/valid"):
        with gzip.open(shared_data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                equation = json.loads(line).get("equation")
                if equation:
                    total += 1
                    try:
                        parse_expression(equation)
                    except DataError:
                        failed += 1
    assert total > 8000
    assert failed / total < 0.002


def test_the_bracket_behind_a_mixed_number_closes_what_stands_before_it() -> None:
    assert parse_expression("(3+5(1/2))*2").label == "*"
