"""What a teacher would strike out in a written problem, and what she would not."""

from __future__ import annotations

import pytest

from questionbank.problem_writing.editing import replaced
from questionbank.problem_writing.faults import fault, refers_back

FAULTY = (  # text, answer, part of the reason
    ("A book costs $43.995. How much are 2 books?", "87.99", "two decimals"),
    ("Tea costs £2.5 a bag. How much are 4 bags?", "10", "two decimals"),
    ("Rosa shares $10 among 3 friends. How much money does each get?", "10/3", "no amount of money"),
    ("Ben has 2/3 books and buys 4. How many books has Ben?", "14/3", "no whole number"),
    ("A box holds 4.5 pencils. How much do 2 boxes hold?", "9", "no whole number"),
    ("Ben has 7 apples for 2 friends. How many apples does each get?", "7/2", "no whole number"),
    ("Ana has 1 apples and buys 4. How many apples has Ana?", "5", "plural"),
    ("Omar works 20 hours a day for 3 days. How many hours is that?", "60", "larger than it can be"),
    ("Mei swims 9 days a week. How many days is that in 4 weeks?", "36", "larger than it can be"),
    ("A shirt is sold at 120% off. What is its price?", "4", "larger than it can be"),
    ("Ana ate a apple and 3 pears. How many fruits is that?", "4", "article"),
    ("Finn has an lemon tree with 8 lemons and picks 3. How many are left?", "5", "article"),
    ("Ana buys a 8-pound bag and 3 more. How many pounds is that?", "11", "article"),
    ("He had 5 pens. Ben bought 3 more. How many pens has Ben?", "8", "before the person"),
    ("How many pens does she have now? Ann has 7 pens. She buys 2 pens.", "9", "before the person"),
    ("Using $85.00 left, she bought cookies for $16.00. How much money was left?", "69", "before the person"),
    ("Ben has 12 pens. She buys 4 more. How many pens has Ben?", "16", "does not fit"),
    ("Rosa has 12 pens and loses 4 of his pens. How many are left?", "8", "does not fit"),
    ("When they arrived, 5 birds flew away and 3 stayed. How many birds were there?", "8", "in the middle"),
    ("The will park 57 bushes have. How many bushes are new if 37 are old?", "20", "broken"),
    ("Ben's brother gave 26 pieces of gum her. How many has Ben if he had 4?", "30", "broken"),
    ("Dave had 9 shirts. He not washed 4. How many did he wash?", "5", "broken"),
    ("Ben owes 5 coins and has 3. How many coins has Ben?", "-2", "negative"),
)
SOUND = (
    ("A book costs $43.95 and a pen $2. How much are both?", "45.95"),
    ("The town spent $1.5 million on 3 bridges. What did each bridge cost, in millions?", "0.5"),
    ("Ann walks 2.5 miles a day. How many miles does she walk in 3 days?", "7.5"),
    ("A recipe needs 1/2 cups of milk. How many cups do 3 need?", "3/2"),
    ("Omar has 1 cone and 3 shakes. How many things is that?", "4"),
    ("The baker sold 12 loaves before he closed. How many loaves are left of 20?", "8"),
    ("A mailman has 28 letters. He gives 4 to each house. How many houses are there?", "7"),
    ("Hana thinks of a number and adds 13. She gets 20. What is it?", "7"),
    ("Rosa has a brother. He has 5 pens and she has 3. How many have both?", "8"),
    ("It takes an hour to fill an 8-litre tank at an honest price of $1. What do 3 cost?", "3"),
    ("Ana works 8 hours a day, 5 days a week. How many hours is that?", "40"),
    ("There are 12 months in a year and Ana saves $3 a month. How much money does she save?", "36"),
)


@pytest.mark.parametrize(("text", "answer", "reason"), FAULTY)
def test_a_fault_is_named(text: str, answer: str, reason: str) -> None:
    assert reason in fault(text, answer)


@pytest.mark.parametrize(("text", "answer"), SOUND)
def test_a_sound_problem_has_none(text: str, answer: str) -> None:
    assert fault(text, answer) == ""


def test_a_question_that_leans_on_the_story_cannot_come_first() -> None:
    assert refers_back("If she bought 3 more, how many pens has Ann?")
    assert refers_back("How many apples are left?")
    assert not refers_back("How many pens do Ann and Ben have?")


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("an apple tree", "apple", "pear", "a pear tree"),
        ("A pear and a plum", "plum", "orange", "A pear and an orange"),
        ("a 12-pound bag", "12", "8", "an 8-pound bag"),
        ("An 11-hour day", "11", "9", "A 9-hour day"),
        ("the apple", "apple", "pear", "the pear"),
    ],
)
def test_articles_follow_what_is_replaced(text: str, old: str, new: str, expected: str) -> None:
    start = text.index(old)
    assert replaced(text, [(start, start + len(old), new)]) == expected
