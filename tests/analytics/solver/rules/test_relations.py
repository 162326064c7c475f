"""Stories that state relations between unknown numbers: read in full and solved, or left alone."""

# ruff: noqa: E501 - a problem a line

from __future__ import annotations

import time

import pytest

from analytics.solver.rules.reading import Reading
from analytics.solver.rules.relations import related_numbers
from analytics.solver.rules.solver import contradicts_itself, rule_solution
from analytics.solver.solution import solution_steps

ANSWERED = [
    (
        "Half of Ida's money went on a comic and a quarter of it on sweets. She had $3 left. How much money did she begin with?",
        "12",
    ),
    ("Ed has collected 84 stamps, which is 4 times as many as Ina has collected. How many has Ina collected?", "21"),
    ("鸡兔同笼，从上面数有35个头，从下面数有94只脚。兔子有多少只？", "12"),
    ("Uma has read 60% of her book. She has read 150 pages. How many pages does the book have?", "250"),
    ("A mother is 35 and her son is 7. In how many years will she be three times as old as her son?", "7"),
    ("Opa is 64 and Tim is 10. How many years ago was Opa ten times as old as Tim?", "4"),
    ("Sam is 5 years older than Rita. Rita is half as old as Noah, who is 24. How old is Sam?", "17"),
    ("A melon weighs 2.4 kg. It weighs 900 g more than a pineapple. How many grams does the pineapple weigh?", "1500"),
    ("The sum of two numbers is 64. One number is three times the other. What is the smaller number?", "16"),
    ("Zoe has twice as many shells as Max. Together they have 42 shells. How many shells does Max have?", "14"),
    (
        "Jack is 4 cm taller than Ella and Ella is 7 cm taller than Finn. Finn is 131 cm tall. How tall is Jack in cm?",
        "142",
    ),
    ("A chair costs €35 less than a table. Together they cost €185. How much does the chair cost?", "75"),
    (
        "A father is 3 times as old as his daughter. In 12 years he will be twice as old as she will be. How old is the daughter now?",
        "12",
    ),
    ("Five years ago Lena was half as old as Paul. Paul is now 29. How old is Lena?", "17"),
    (
        "I am thinking of a number. I double it and then subtract 9. The answer is 31. What number am I thinking of?",
        "20",
    ),
    ("If you add 8 to a number and then divide the result by 3, you get 7. What is the number?", "13"),
    ("The sum of three consecutive even numbers is 54. What is the smallest of them?", "16"),
    (
        "Tim and Tom collected 63 shells altogether. Tim collected twice as many as Tom. How many shells did Tim collect?",
        "42",
    ),
    (
        "The ratio of cats to dogs in a shelter is 3 : 4. There are 6 more dogs than cats. How many animals are there?",
        "42",
    ),
    (
        "The ratio of red to blue marbles is 2:5 and there are 18 more blue marbles than red marbles. How many blue marbles are there?",
        "30",
    ),
    (
        "Anna spent a third of her savings on shoes and a quarter of the rest on a hat. She has $45 left. How much did she have at first?",
        "90",
    ),
    ("There are 18 more girls than boys in a school of 412 pupils. How many girls are there?", "215"),
    ("A farmer has ducks and goats. He counts 27 heads and 78 legs. How many goats does he have?", "12"),
    (
        "In a parking lot there are cars and motorcycles. Altogether there are 24 vehicles and 80 wheels. How many cars are there?",
        "16",
    ),
    ("Mia is 7 years younger than Leo. The sum of their ages is 31. How old is Mia?", "12"),
    (
        "A bottle and a cork cost £1.10 together. The bottle costs £1 more than the cork. How much does the cork cost in pence?",
        "5",
    ),
    (
        "Peter has 12 fewer stamps than Olga. Olga has 3 times as many stamps as Nina. Nina has 17 stamps. How many stamps does Peter have?",
        "39",
    ),
    (
        "The red rope is 3 times as long as the blue rope. The blue rope is 2 m shorter than the green rope. The green rope is 6 m long. How long is the red rope in metres?",
        "12",
    ),
    (
        "Two brothers have 54 euros together. The older one has 8 euros more than the younger one. How much does the younger one have?",
        "23",
    ),
    ("Nina has 15 stickers, 4 fewer than Oskar. How many stickers does Oskar have?", "19"),
    ("There are 32 pupils in a class. There are 4 more boys than girls. How many boys are there?", "18"),
    (
        "My mother is 28 years older than me. In 5 years she will be three times as old as I will be. How old am I now?",
        "9",
    ),
    ("Karl is twice as old as Eva. Eva is 6 years older than Ida. Their ages add up to 54. How old is Karl?", "30"),
    ("A number is 14 more than another number. Their sum is 50. What is the larger number?", "32"),
    (
        "Half of the 60 pupils walk to school, a third of the rest come by bike and the others come by bus. How many come by bus?",
        "20",
    ),
    (
        "On Monday Ali read 1/3 of a book with 180 pages. On Tuesday he read half of the remaining pages. How many pages are left?",
        "60",
    ),
    ("Emma has 3 times as many beads as Lily. Emma has 24 more beads than Lily. How many beads does Lily have?", "12"),
    ("Ann is 12. Bob is 3 years older than Ann. Cat is twice as old as Bob. How much older is Cat than Ann?", "18"),
    (
        "A blue box weighs 3 times as much as a red box. The two boxes weigh 24 kg together. How much does the red box weigh?",
        "6",
    ),
    (
        "The difference between two numbers is 15. The larger number is 4 times the smaller. What is the smaller number?",
        "5",
    ),
    (
        "A school has 540 pupils. The number of girls is 20 more than the number of boys. How many girls are there?",
        "280",
    ),
    ("小红比小丽大3岁，小丽比小军小5岁，小军今年14岁，小红多少岁？", "12"),
    ("一支钢笔比一支铅笔贵8元，两支笔一共12元，铅笔多少元？", "2"),
    ("甲、乙两人共有图书60本，甲的本数是乙的2倍，乙有多少本？", "20"),
    ("姐姐和妹妹今年的年龄和是26岁，姐姐比妹妹大4岁，妹妹今年多少岁？", "11"),
    ("五个连续自然数的和是100，其中最小的数是多少？", "18"),
    ("我想一个数，先乘4，再减去6，结果是22，这个数是多少？", "7"),
    ("停车场里有三轮车和小汽车共15辆，一共有52个轮子，小汽车有多少辆？", "7"),
    ("一根绳子，第一次用去全长的1/3，第二次用去余下的1/2，还剩8米，这根绳子原来长多少米？", "24"),
    ("学校有男生和女生共450人，男生比女生多30人，女生有多少人？", "210"),
    ("男生与女生的人数比是4:5，女生比男生多6人，男生有多少人？", "24"),
    ("今年爸爸的年龄是小明的4倍，3年后爸爸和小明的年龄和是56岁，小明今年多少岁？", "10"),
    ("妈妈比小华大26岁，今年妈妈的年龄正好是小华的3倍，小华今年几岁？", "13"),
    ("两数之和是72，两数之差是18，小数是多少？", "27"),
    ("红花有48朵，是黄花的3倍，黄花比蓝花少5朵，蓝花有多少朵？", "21"),
    ("某班男生人数是女生的1.5倍，女生比男生少10人，女生有多少人？", "20"),
    ("一本故事书比一本科技书便宜6元，科技书的价钱是故事书的2倍，故事书多少元？", "6"),
    ("Kate is 8 cm taller than Luke. Luke is 15 cm shorter than Ravi. Ravi is 160 cm tall. How tall is Kate?", "153"),
    (
        "A sofa costs four times as much as an armchair. The sofa and the armchair together cost $950. How much does the armchair cost?",
        "190",
    ),
    (
        "The total age of Hana and her grandmother is 81. Her grandmother is 57 years older than Hana. How old is Hana?",
        "12",
    ),
    ("When I multiply a number by 6 and then subtract 15, I get 45. What is the number?", "10"),
    ("Six more than three times a number is 42. Find the number.", "12"),
    ("A number is doubled and then 7 is added. The result is 25. What is the number?", "9"),
    ("The sum of two consecutive numbers is 91. What is the smaller number?", "45"),
    ("Marco has €18 more than Giulia. Together they have €74. How much money does Giulia have?", "28"),
    (
        "Two fifths of the pupils in a school walk. Half of the rest come by bus. The other 120 pupils cycle. How many pupils are there?",
        "400",
    ),
    (
        "Jake ate a third of the biscuits. Then his sister ate half of the remaining biscuits. There were 8 biscuits left. How many biscuits were there at first?",
        "24",
    ),
    (
        "A shopkeeper sold 3/8 of his 160 oranges in the morning and 2/5 of the remainder in the afternoon. How many oranges did he have left?",
        "60",
    ),
    (
        "Mrs Lee spent 40% of her salary on rent and half of the remainder on food. She had $900 left. How much was her salary?",
        "3000",
    ),
    ("There are 12 bicycles and tricycles in a shop. Together they have 29 wheels. How many tricycles are there?", "5"),
    (
        "A zoo has ostriches and giraffes. There are 30 heads and 88 legs altogether. How many giraffes are in the zoo?",
        "14",
    ),
    ("Ella is now three times as old as Tim. Four years ago the sum of their ages was 24. How old is Tim now?", "8"),
    ("Dad is 36 years old and Sofia is 8. In how many years will Dad be three times as old as Sofia?", "6"),
    ("Six years from now Paula will be 20. How old was she 3 years ago?", "11"),
    ("Lea's brother is 15. He is 4 years older than Lea. How old will Lea be in 10 years?", "21"),
    (
        "The number of boys in a club is twice the number of girls. There are 36 children in the club. How many girls are there?",
        "12",
    ),
    ("In a class of 30 pupils there are 6 more girls than boys. How many boys are there?", "12"),
    ("A class has 5 fewer boys than girls. There are 29 children in the class. How many girls are there?", "17"),
    (
        "A jug holds three times as much as a cup. Together they hold 1.2 litres. How many millilitres does the cup hold?",
        "300",
    ),
    ("The ratio of Ana's money to Ben's money is 3:5. Ben has $16 more than Ana. How much money does Ana have?", "24"),
    (
        "Anna and Ben share some sweets in the ratio 3:5. Ben gets 12 more sweets than Anna. How many sweets does Anna get?",
        "18",
    ),
    ("Wei has 24 marbles. That is 6 fewer than twice as many as Sara has. How many marbles does Sara have?", "15"),
    ("Amy is 5 years older than Ben and 3 years younger than Carl. Carl is 17. How old is Ben?", "9"),
    ("Tom has 5 marbles more than Jim. If they have 31 marbles in total, how many marbles does Jim have?", "13"),
    ("Tom and Jim have 31 marbles in all. If Tom has 5 more marbles than Jim, how many does Tom have?", "18"),
    ("小明和小华共有邮票120枚，小明的邮票数是小华的3倍，小华有多少枚？", "30"),
    ("哥哥比弟弟大6岁，4年后两人的年龄和是30岁，弟弟今年多少岁？", "8"),
    ("妈妈今年40岁，是女儿年龄的4倍，几年后妈妈的年龄是女儿的3倍？", "5"),
    ("一个数的3倍加上12等于48，这个数是多少？", "12"),
    ("甲、乙两数的差是24，甲数是乙数的4倍，乙数是多少？", "8"),
    ("小刚有一些零花钱，买书用去1/3，买文具用去余下的1/2，还剩20元，小刚原来有多少元？", "60"),
    ("一筐苹果，上午卖出总数的2/5，下午卖出余下的1/3，还剩24千克，这筐苹果原来有多少千克？", "60"),
    ("养殖场有鸡和鸭共360只，鸡比鸭多40只，鸡有多少只？", "200"),
    ("一件上衣比一条裤子贵30元，买一件上衣和一条裤子一共用了170元，一条裤子多少元？", "70"),
    ("今年小红7岁，奶奶的年龄比小红的8倍多4岁，奶奶今年多少岁？", "60"),
    ("三个连续偶数的和是48，最大的偶数是多少？", "18"),
    ("故事书有90本，科技书比故事书少1/3，科技书有多少本？", "60"),
    (
        "Marta baked 24 muffins on Friday, which was eight more than she baked on Thursday. How many muffins did she bake on Thursday?",
        "16",
    ),
    (
        "In March the shop sold 56 bikes. In April it sold twice as many bikes as in March. How many bikes did it sell in April?",
        "112",
    ),
    (
        "Nils read 18 pages on Monday. On Tuesday he read 7 pages more than on Monday. How many pages did he read altogether?",
        "43",
    ),
    (
        "A tower in the old town is 38 m high. It is 12.5 m higher than the church next to it. How high is the church?",
        "25.5",
    ),
    (
        "Class 5A planted three times as many trees as 5B. Together they planted 48 trees. How many trees did 5B plant?",
        "12",
    ),
    (
        "Three quarters of the singers in a choir are women. The other 15 are men. How many singers are in the choir?",
        "60",
    ),
    (
        "A baker sold one third of his loaves in the morning and then sold three quarters of the remaining loaves. He had 15 loaves left. How many loaves did he have to begin with?",
        "90",
    ),
    (
        "Three sisters, Ada, Bea and Cleo, share €180 between them in the ratio 2:3:4, in that order. How much does Cleo get?",
        "80",
    ),
    (
        "Lea is 8 years old and her father is 38. In how many years will her father be three times as old as she is?",
        "7",
    ),
    ("鸡和兔关在同一个笼子里,一共有30个头,84只脚。兔有多少只?", "12"),
    ("鹤和龟共40只，一共有112条腿，龟有多少只？", "16"),
    ("兔比鸡多3只，共有48条腿，鸡有多少只？", "6"),
    ("一桶油，第一次用去一半，第二次用去余下的一半，还剩5千克，这桶油原来重多少千克？", "20"),
]

LEFT = [
    "Molly swam 45 meters on Saturday. She swam 28 meters on Sunday. The pool is 25 meters long. How many meters did Molly swim in all?",
    "Ben sold 12 cards on Monday. Ada sold 5 more cards on Tuesday than on Monday. How many cards did Ada sell on Tuesday?",
    "Tom has 5 more apples than Ann. How many apples does Tom have?",
    "Tom has 8 apples. Ann has 3 more apples than Tom. Ann gives 2 apples to Ben. How many apples does Ann have?",
    "Each box holds 3 times as many pens as a bag. A bag holds 4 pens. How many pens do 5 boxes hold?",
    "Ben is 3 years older than Sam, who is 2 years older than Mia. Sam is 9. How old is Ben?",
    "Mary has 12 apples. Tom has 3 more apples than Mary has oranges. How many apples does Tom have?",
    "Ann has 20 beads. Half of them are red. A third of the red beads are large. How many red beads are small?",
    "Ann read 1/4 of a book on Monday and 1/3 of the book on Tuesday. How many pages are left?",
    "Lena has 14 euros more than Max. Max has 3 sisters. How many euros does Lena have?",
    "The ratio of boys to girls is 3:4. There are 28 pupils, of whom 5 are absent. How many boys are there?",
    "Paul is 3 years older than Ann. In 5 years Paul will be 20. How many years ago was Ann born?",
    "Ben had 12 marbles and won 5 more than Carl. Carl won 3. How many marbles does Ben have now?",
    "A shirt costs $12 more than a cap. Tom buys 2 shirts and 3 caps for $74. How much does a cap cost?",
    "Emma has 5 more pens than Lea and 3 fewer pencils than Lea. Lea has 8 pens. How many pencils does Emma have?",
    "Each shelf has 12 books and there are 4 shelves. How many books are there in total?",
    "There are 40 pupils. A tenth are absent, 3/4 of the pupils who are present sing. How many sing?",
    "Ella has 20 beads. She has twice as many as Ida. Half of Ida's beads are red. How many red beads has Ida?",
    "In 10 years Leo will be 4 times the age that Ann is now. Ann is 9. How old is Leo now?",
    "Tom and Ann are 30 years old together. The difference between Tom's age and Ann's age is 4. How old is Tom?",
    "一箱牛奶48元，超市上午卖出15箱，一共卖了多少元？",
    "牛奶有4种口味，点心有6种花色，一共有多少种不同的搭配？",
    "一本书100页，已经看了28页，还剩下百分之几没有看？",
    "一本科技书2元3角，比一本故事书便宜8角5分，一本故事书多少元？",
    "John buys plates and cups. The cups cost $20. The plates cost 50% as much as the cups. How much did he pay for everything?",
    "Joshua has 40 bottle caps. He buys 7 more. How many bottle caps does Joshua have in all?",
    "一个数加上40%等于28，求这个数。",
    "父亲比儿子大30岁，明年父亲的年龄是儿子的3倍，今年儿子多少岁？",
]


@pytest.mark.parametrize(("text", "answer"), ANSWERED)
def test_relations_are_solved(text: str, answer: str) -> None:
    solution = rule_solution(text)
    assert solution is not None
    assert solution.exact == answer


@pytest.mark.parametrize(
    ("text", "equation"),
    [
        ("一根绳子长24米，用去了1/3米，还剩多少米？", "24-1/3"),
        ("一根绳子长24米，用去了0.5米，还剩多少米？", "24-0.5"),
        ("一根绳子长24米，用去了它的1/3，还剩多少米？", "24*(1-1/3)"),
    ],
)
def test_a_part_of_a_metre_is_no_part_of_the_rope(text: str, equation: str) -> None:
    assert rule_solution(text).equation == equation


@pytest.mark.parametrize(
    "text",
    [
        "A farm has two kinds of fruit trees. They have 47 apple trees. They have 41 pear trees. How many fruit trees do they have in all?",
        "There are two types of birds in a zoo. There are 12 parrots and 15 owls. How many birds are there?",
    ],
)
def test_how_many_kinds_there_are_is_not_added(text: str) -> None:
    solution = rule_solution(text)
    assert solution is None or "2" not in solution.equation.split("+")


@pytest.mark.parametrize("text", LEFT)
def test_what_was_not_read_in_full_is_left_alone(text: str) -> None:
    assert related_numbers(Reading(text)) is None


def test_a_sentence_of_many_clauses_is_left_at_once() -> None:
    started = time.monotonic()
    assert related_numbers(Reading("Tom and " * 25 + "Ann have 5 apples?")) is None
    assert time.monotonic() - started < 5


def test_less_is_less_in_every_word() -> None:
    puzzles = ("Three times a number minus 7 is 20.", "Seven less than three times a number is 20.")
    assert [rule_solution(f"{each} What is the number?").exact for each in puzzles] == ["9", "9"]


def test_an_answer_that_cannot_be_is_none() -> None:
    text = "Ana and Bo have {} marbles together. Ana has 3 more than Bo. How many marbles does Bo have?"
    assert rule_solution(text.format(15)).exact == "6"
    for together in (16, 2):
        assert rule_solution(text.format(together)) is None
        assert contradicts_itself(text.format(together))


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (
            "Ben is 3 years younger than Carla. Carla is twice as old as Dev, and Dev is 8. How old is Ben?",
            ["8 * 2 = 16", "16 - 3 = 13"],
        ),
        (
            "A pen and a ruler together cost $2.10. The pen costs 90 cents more than the ruler. "
            "How many cents does the ruler cost?",
            ["2.1 * 100 = 210", "210 - 90 = 120", "120 / 2 = 60"],
        ),
        ("鸡和兔共有20只，共有56条腿，兔有多少只？", ["20 * 2 = 40", "56 - 40 = 16", "16 / 2 = 8"]),
    ],
)
def test_the_steps_are_those_of_a_pupil(text: str, steps: list[str]) -> None:
    assert [str(step) for step in solution_steps(rule_solution(text))] == steps
