"""Questions that no number answers are refused with a sentence; those that only look so are not."""

from __future__ import annotations

import pytest

from analytics.solver.solution import story_reason
from analytics.solver.unanswerable import unanswerable_reason


@pytest.mark.parametrize(
    "text",
    [
        "Kate is 8 years old. What colour is Kate's hair?",
        "Paul is 9 and has a red bike. What is the name of his dog?",
        "Anna has 3 cats and 2 dogs. Why does she like them?",
        "Tess has 4 apples and gets 5 more. A pie takes 10 apples. Does she have enough to make a pie?",
        "Bryan has 50 sweets. Ben has 20. Who has more sweets?",
        "Leo walks 3 km to the park. Where is the park?",
        "小红有3个苹果，她的书包是什么颜色？",
    ],
)
def test_a_question_that_asks_for_no_number_gets_no_answer(text: str) -> None:
    assert story_reason(text) == "The question does not ask for a number."


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("There are 26 sheep and 10 goats on a ship. How old is the captain?", "an age"),
        ("Sam has 4 boxes of 6 pens. How tall is Sam?", "a length"),
        ("A farmer has 12 cows and 5 pigs. How much does the farmer weigh?", "a weight"),
        ("船上有26只羊和10头牛，船长多少岁？", "an age"),
        ("小华今年9岁,身高138厘米,他的体重是多少千克?", "a weight"),
        ("Hugo bought 5 tickets for the concert. How much did he pay?", "a price"),
        ("学校买了5本书和3个球，一共用了多少元？", "a price"),
    ],
)
def test_numbers_that_cannot_measure_what_is_asked_give_no_answer(text: str, name: str) -> None:
    assert unanswerable_reason(text) == f"The question asks for {name}, and no number of the text is one."


@pytest.mark.parametrize(
    "text",
    [
        "Tom has 5 red pens and some blue pens. How many pens does he have in all?",
        "Sam has some marbles and buys 12 more. How many marbles does he have now?",
        "A shop had several bikes and sold 4. How many are left?",
        "A shop sold 45 loaves on Saturday and some more on Sunday. How many did it sell on both days together?",
        "A bus had 23 passengers. At the stop some got off and 8 got on. How many passengers are on it now?",
    ],
)
def test_a_missing_number_is_named(text: str) -> None:
    assert unanswerable_reason(text).startswith("A number is missing: the text says “s")


@pytest.mark.parametrize(
    "text",
    [
        "Sam had some marbles. He bought 12 and now has 30. How many did he have before?",
        "Ana is 3 years older than Bo. The sum of their ages is 25. How old is Bo?",
        "A tree grows 20 cm a year. How tall is it after 6 years?",
        "Some children share 24 sweets equally, 4 each. How many children are there now?",
        "A square name tag has sides of 9 cm. What is the name tag's perimeter?",
        "What colour is drawn with the greater probability if 3 of 8 balls are red?",
        "A few minutes later he added 8 buckets to 1 bucket. How many buckets are there now?",
        "爷爷今年63岁，小明今年7岁，爷爷的年龄是小明的多少倍？",
    ],
)
def test_what_has_an_answer_is_not_refused(text: str) -> None:
    assert unanswerable_reason(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "A train travels at 90 km per hour from Easton to Milbury. How long does the journey take?",
        "A train leaves Milan at 8:15 and travels to Rome without stopping. What time does it arrive?",
        "Pavel bought 4 packets of biscuits and paid with a 20 euro note. How much change did he get?",
        "Our rectangular garden is 15 m long. What is its area in square metres?",
        "Lucy is 3 years older than her brother. How old is Lucy?",
        "Will has 14 conkers. Harry has more conkers than Will. How many more conkers does Harry have?",
        "There are 28 children in a class. Some of them wear glasses. How many children don't wear glasses?",
        "There are 28 pupils in class 5C. Some of them wear glasses. How many of them do not?",
        "Mia bought some pears at $0.40 each and paid with a $10 note. How much change did she get?",
        "A bus drives to the lake at an average speed of 70 km/h. How many hours does the trip take?",
        "小明买了一支钢笔和一个本子,钢笔的价格是18元。他一共花了多少元?",
        "水果店运来苹果120千克，运来的梨比苹果多，运来梨多少千克？",
        "王老师买了一些铅笔奖励学生,每支1.2元。她一共花了多少元?",
    ],
)
def test_a_text_that_lacks_what_is_computed_with_gets_no_answer(text: str) -> None:
    assert unanswerable_reason(text)


@pytest.mark.parametrize(
    "text",
    [
        "Adi bought a pencil for 35 cents. He paid with a one-dollar bill. How much change will he get?",
        "把一些花摆成实心正方形，每条边都有8盆花，一共有多少盆花．",
        "The length of a rectangle is twice its width, which is 4 m. What is its area?",
        "The trip by train takes 90 minutes each way. How many hours does the whole trip take?",
        "小明买了一支钢笔和一个本子，钢笔18元，本子6元。他一共花了多少元？",
        "The train left at 9:45 and arrived at 10:00. How long did it take?",
        "Kaleb bought 6 tickets. If each ticket cost 9 dollars, how much money did Kaleb spend?",
        "梨每千克3.65元，妈妈买了13千克梨要付多少元？",
    ],
)
def test_a_text_that_tells_it_in_other_words_keeps_its_answer(text: str) -> None:
    assert not unanswerable_reason(text)


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("A train leaves Bern at 60 km/h, another Zurich towards it at 90 km/h. When do they meet?", "how far apart"),
        ("Ada paints a room in 4 hours. How long does it take if Bob helps her?", "how fast the other one works"),
        ("A jacket is reduced by 20%. What does it cost now?", "what it cost before"),
    ],
)
def test_what_a_story_lacks_is_said(text: str, lacks: str) -> None:
    assert lacks in unanswerable_reason(text)
