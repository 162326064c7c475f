"""Each rule answers the problems that it is for, over the problem's numbers, and leaves others alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from analytics.inference.subject import NOT_MATHEMATICS
from analytics.records import ProblemRecord
from analytics.solver.rules.catalog import RULES
from analytics.solver.rules.reading import Reading
from analytics.solver.rules.solver import (
    CONTRADICTION_REASON,
    RuleSolver,
    contradicts_itself,
    may_be_solved,
    rule_solution,
)
from analytics.solver.solution import Solution, solution_steps
from tests.questionbank.scripted_solver import ScriptedSolver

ANSWERED = {
    "changes by per cents": [
        ("After a 20% increase, the rent is $960 a month. What was the rent before?", "800"),
        ("A meal costs £84 including 20 % VAT. How much is it before VAT?", "70"),
        ("In a sale, prices are reduced by 30%. Liam pays £35 for shoes. How much did they cost before?", "50"),
        ("This year 330 pupils attend, 10% more than last year. How many attended last year?", "300"),
        ("Over 6 years a village grew from 1250 to 1400 people. What was the percentage increase?", "12"),
        ("Last year a gym had 240 members. Now it has 300. By what percentage did it grow?", "25"),
    ],
    "missing from a mean": [
        ("The mean of five scores is 72. Four of them are 68, 75, 80 and 61. What is the fifth?", "76"),
        (
            "Ella scored 14, 17 and 12 in her first three tests. What must she score in the fourth for a mean of 15?",
            "17",
        ),
        ("After three games Kwame has an average of 14. What must he score in the fourth for an average of 16?", "22"),
        (
            "The average age of three cousins is 11. When Sofia is included, the average becomes 12. How old is Sofia?",
            "15",
        ),
        ("四个数的平均数是25,再加上一个数后,五个数的平均数是27。加上的这个数是多少?", "35"),
    ],
    "scales": [
        ("A map has a scale of 1 : 25 000. Two farms are 6 cm apart on it. How many kilometres apart are they?", "1.5"),
        ("On a map 1 cm stands for 5 km. Two towns are 7.5 cm apart. How far apart are they in reality?", "37.5"),
        ("A model car has a scale of 1:24. The real car is 4.32 m long. How long is the model in cm?", "18"),
        ("在比例尺是1:200000的地图上,量得两个村子之间的距离是6.5厘米。两村的实际距离是多少千米?", "13"),
    ],
    "enough for all": [
        ("142 pupils and 9 teachers are going on a trip. Each bus has 48 seats. How many buses are needed?", "4"),
        ("3位老师带着48名学生去划船,每条船最多坐6人,至少要租多少条船?", "9"),
        ("Eggs are packed in boxes of 6. How many boxes are needed for 94 eggs?", "16"),
    ],
    "several units": [
        ("A ribbon is 3.2 m long. Zoe cuts off 85 cm. How many centimetres are left?", "235"),
        ("A roll is 3 m long. Zara cuts off 5 pieces, each 45 cm long. How many centimetres are left?", "75"),
        ("A ribbon is 3 m 20 cm long. It is cut into 8 equal pieces. How many centimetres long is each piece?", "40"),
        ("How many 150 ml cups can be filled completely from a 2 litre bottle?", "13"),
        ("A plank is 5 m long and is cut into pieces of 60 cm. How many whole pieces are there?", "8"),
        ("A parcel weighs 2 kg 350 g and another weighs 875 g. What is their total weight in grams?", "3225"),
        ("一瓶果汁有1.25升,倒满5个同样的杯子后还剩250毫升。每个杯子能装多少毫升?", "200"),
    ],
    "instructions": [
        ("Write the ratio 15 : 25 in its simplest form.", "3:5"),
        ("What remainder do you get when you divide 53 by 6?", "5"),
        ("What is the largest number that divides both 24 and 36 exactly?", "12"),
        ("15占60的百分之几？", "25"),
        ("比50多20%的数是多少？", "60"),
        ("Increase 64 by 25 %.", "80"),
        ("Decrease 350 by 12%", "308"),
        ("Work out three eighths of 56.", "21"),
        ("Express 18 as a percentage of 48.", "37.5"),
        ("Write 3/8 as a decimal.", "0.375"),
        ("Calculate the square root of 289.", "17"),
        ("Take 47 away from 203.", "156"),
        ("Divide 91 by 8 and give the remainder only.", "3"),
        ("Round 4,768 to the nearest hundred.", "4800"),
        ("Find the highest common factor of 36 and 84.", "12"),
        ("Double 37, then subtract 19.", "55"),
        ("What is the lowest common multiple of 8 and 12?", "24"),
        ("What is the LCM of 6, 8 and 15?", "120"),
        ("Find the HCF of 18, 24 and 30", "6"),
        ("What is the greatest common divisor (GCD) of 48 and 180?", "12"),
        ("What is the remainder when 100 is divided by 7?", "2"),
        ("Round 3.14159 to two decimal places.", "3.14"),
        ("Round 0.004567 to 2 significant figures.", "0.0046"),
        ("Write 45 678 correct to 3 significant figures.", "45700"),
        ("Round 67.45 to 1 d.p.", "67.5"),
        ("Round 3.7 to the nearest whole number.", "4"),
        ("Round 12.96 to the nearest tenth", "13.0"),
        ("Evaluate 3 + 4 × 2.", "11"),
        ("Work out (5 - 2)^3 + 10 ÷ 5", "29"),
        ("Calculate $\\frac{1}{2} + \\frac{1}{3}$.", "5/6 ≈ 0.833333"),
        ("What is 3 + 4?", "7"),
        ("Work out -3 + 5 - 8", "-6"),
        ("What is 7² + √81?", "58"),
        ("2/3 × 9/4 =", "1.5"),
        ("Write 0.35 as a percentage.", "35"),
        ("Write 40% as a fraction in its simplest form.", "2/5"),
        ("Write 0.375 as a fraction.", "3/8"),
        ("Simplify 18/24.", "3/4"),
        ("Write 18/24 in its simplest form.", "3/4"),
        ("Simplify the ratio 12 : 18.", "2:3"),
        ("Write the ratio 40 cm : 2 m in its simplest form.", "1:5"),
        ("Express 45 minutes as a percentage of 2 hours.", "37.5"),
        ("Find the sum of 34, 56 and 12.", "102"),
        ("Find the difference between 12 and 45.", "33"),
        ("What is the product of 12 and 15?", "180"),
        ("What is 12 squared?", "144"),
        ("Find the cube of 5.", "125"),
        ("What is the cube root of 64?", "4"),
        ("Find the square of the sum of 3 and 4.", "49"),
        ("Subtract 3.4 from 10.", "6.6"),
        ("Multiply 23 by 14.", "322"),
        ("What is 15% of 80?", "12"),
        ("Find 15% of 80.", "12"),
        ("Find 2/3 of 27", "18"),
        ("Calculate the square root of 50, correct to 2 decimal places.", "7.07"),
        ("Work out 17 ÷ 6, giving your answer correct to 2 decimal places.", "2.83"),
        ("Write 9/4 as a mixed number.", "2 1/4"),
        ("Write 7/8 as a percentage", "87.5"),
        ("What is 5 more than 3 times 4?", "17"),
        ("What is the quotient when 84 is divided by 7?", "12"),
        ("What are the quotient and remainder when 47 is divided by 5?", "9 remainder 2"),
        ("Add 5 to 8 and multiply the result by 3.", "39"),
        ("Express 25 as a percentage of 60, correct to 1 decimal place.", "41.7"),
        ("What is 2 to the power of 5?", "32"),
        ("求36和84的最大公因数。", "12"),
        ("8和12的最小公倍数是多少？", "24"),
        ("91除以8的余数是多少？", "3"),
        ("把3.456精确到十分位。", "3.5"),
        ("把2768四舍五入到百位是多少？", "2800"),
        ("3.14159保留两位小数约是多少？", "3.14"),
        ("18是48的百分之几？", "37.5"),
        ("计算：3.5×4-2", "12"),
        ("289的算术平方根是多少？", "17"),
        ("把3/8化成小数。", "0.375"),
        ("0.35化成百分数是多少", "35"),
        ("把18/24化成最简分数", "3/4"),
        ("化简比12:18", "2:3"),
        ("36与84的和是多少", "120"),
        ("80的25%是多少？", "20"),
        ("把64增加25%是多少", "80"),
        ("What is 12 1/2% of 80?", "10"),
        ("40的25%是多少？", "10"),
        ("What percent of 80 is 20?", "25"),
        ("18 is what percent of 72?", "25"),
        ("0.0289的平方根是多少？", "±0.17"),
    ],
    "lists": [
        ("Find the mean of 7, 12, 15, 8 and 13.", "11"),
        ("Find the median of 9, 4, 17, 11, 6.", "9"),
        ("Find the median of 3, 14, 9 and 20.", "11.5"),
        ("Find the range of these temperatures: -4, 3, -9, 6, 0 (all in °C).", "15"),
        ("What is the mode of 2, 3, 3, 5, 7?", "3"),
        ("Work out the range of 12, 7, 19, 3", "16"),
        ("In five games a player scored 12, 18, 9, 21 and 15 points. What was her average score per game?", "15"),
        ("The heights of four plants are 12 cm, 15 cm, 9 cm and 20 cm. What is the median height?", "13.5"),
        ("求数据3，5，7，9的中位数。", "6"),
        ("一组数据：2，3，3，5的众数是多少？", "3"),
        ("数据12、7、19、3的极差是多少？", "16"),
        ("求5、7、9的平均数", "7"),
        ("What is the mean of 4, 8 and 9?", "7"),
    ],
    "clock times": [
        ("A car leaves at 9:40 and drives 150 km at 60 km/h. When does it arrive?", "12:10"),
        (
            "甲、乙两地相距420千米。一辆汽车上午8:30从甲地出发,平均每小时行70千米,到达乙地是什么时刻?(用24时计时法)",
            "14:30",
        ),
        (
            "A play starts at 6:45 pm. Each half lasts 40 minutes with a 20-minute interval. When does it end?",
            "8:25 pm",
        ),
        (
            "It takes 40 minutes per kg plus 25 minutes, weighs 4.5 kg and must be ready at 13:00. When must it go in?",
            "9:35",
        ),
        ("学校上午8:00开始上课，连续上4节课，每节课40分钟，课间休息10分钟，最后一节课什么时候下课？", "11:10"),
        ("A film starts at 6:45 pm and ends at 8:30 pm. How many minutes does it last?", "105"),
        ("School starts at 8:15 a.m. and lasts 6 hours. At what time does it end?", "2:15 pm"),
        ("A lesson begins at 10:35 and lasts 45 minutes. When does it end?", "11:20"),
        ("A train departs at 22:40 and arrives at 6:10. How long does the journey take?", "7 hours 30 minutes"),
        ("The museum opens at 9:30 a.m. and closes at 5 p.m. How many hours is it open?", "7.5"),
        ("It takes 20 minutes to bake. If Jo wants to eat at 6:30, what time should she put it in?", "6:10"),
        ("A movie that lasts 110 minutes ends at 9:30 pm. When did it start?", "7:40 pm"),
        ("小红上午8:15到校，11:45放学，她在校多少分钟？", "210"),
    ],
    "dates": [
        (
            "Zoe's holiday starts on 24 June and ends on 9 July, and both of these days count. How many days is that?",
            "16",
        ),
        ("The book was borrowed on May 3 and is due on May 17. How many days may it be kept?", "14"),
        ("Dan left on 28 June and came back on 9 July. How many days was he away?", "11"),
        ("A camp runs from July 8 to July 21. How many nights do the children stay?", "13"),
    ],
    "units": [
        ("Tim is 5 feet 4 inches tall. How many inches tall is he?", "64"),
        ("How many seconds are there in 3 hours?", "10800"),
        ("Convert 4.5 kg to grams.", "4500"),
        ("A rope is 3 m 40 cm long. How many centimetres is that?", "340"),
        ("一根绳子长3米20厘米，合多少厘米？", "320"),
    ],
    "rates": [
        ("Joe saves 4 dollars a day. How much does he save in a week?", "28"),
        ("Joe saves 4 dollars a day. How much does he save in 3 weeks?", "84"),
        ("Light travels 3×10^5 km per second. How far does it travel in 20 seconds?", "6000000"),
        ("A snail crawls 6 cm in a minute. How many metres does it crawl in 2 hours?", "7.2"),
        ("A car goes at 90 km per hour. How far does it go in 40 minutes?", "60"),
    ],
    "percentages": [
        ("18 of the 24 pupils in a class have a pet. What percentage of the pupils have a pet?", "75"),
        ("In a class of 32 pupils, 12 come by bus. What percentage of the class comes by bus?", "37.5"),
        ("A town of 5000 people grows by 8%. How many people live there afterwards?", "5400"),
        ("A shirt costs $40. It is on sale for 20% off. What is the sale price?", "32"),
    ],
    "discounts": [
        ("一本书原价80元，打8折出售，现价多少元？", "64"),
        ("一件衣服原价200元，打七五折出售，比原来便宜多少元？", "50"),
        ("一件商品打九折后卖180元，原价多少元？", "200"),
        ("一本书打八五折便宜了9元钱，这本书原价是多少元？", "60"),
    ],
    "ratios": [
        ("The ratio of boys to girls is 7:1. There are 42 boys. How many children are there in total?", "48"),
        ("Ines and Jack share £84 in the ratio 3 : 4. How much more does Jack get than Ines?", "12"),
        ("The ratio of boys to girls is 5:6. There are 4 more girls than boys. How many children are there?", "44"),
        (
            "It is mixed from cement, sand and gravel in the ratio 1:2:4. How many kilograms does 18 kg of sand make?",
            "63",
        ),
        (
            "It is made from syrup and water in the ratio 1 : 7. Ann needs 2 litres. How many ml of water is that?",
            "1750",
        ),
        ("Divide 35 sweets between Ann and Bo in the ratio 3 : 4. How many sweets does Bo get?", "20"),
        ("The ratio of boys to girls in a class is 4 to 5. There are 27 pupils. How many girls are there?", "15"),
        ("Red and white roses are in the ratio 5:2. There are 35 red roses. How many white roses are there?", "14"),
        ("Paint is mixed from blue and red in the ratio 3:7. How much red goes with 12 litres of blue?", "28"),
        ("甲、乙两数的比是3：5，它们的和是64，乙数是多少？", "40"),
        ("学校买来60本书，按2：3分给甲、乙两班，乙班分得多少本？", "36"),
    ],
    "remainders": [
        ("29 cookies are shared equally among 4 children. How many cookies are left over?", "1"),
        ("50 pencils are packed in boxes of 8. How many pencils are left over?", "2"),
        ("A ribbon of 75 cm is cut into pieces of 9 cm. How many centimetres remain?", "3"),
    ],
    "negative numbers": [
        ("今天北京的气温是零下6℃,哈尔滨的气温比北京低13℃。哈尔滨的气温是多少摄氏度?", "-19"),
        ("It was 3 degrees in Winnipeg. The temperature dropped by 15 degrees. What was the temperature then?", "-12"),
        (
            "At 6 am it was -7 °C. It rose by 12 degrees by noon and dropped 9 by 9 pm. What was the temperature then?",
            "-4",
        ),
        ("The temperature fell from 4 °C to −7 °C. By how many degrees did it fall?", "11"),
        ("The temperature was −3 °C and rose by 9 degrees. What was the temperature at noon?", "6"),
    ],
    "relations": [
        ("Ana is 3 years older than Bo. The sum of their ages is 25. How old is Bo?", "11"),
        ("Two numbers have a sum of 50 and a difference of 8. What is the larger number?", "29"),
        ("Rosa is 5 years younger than Luis. Together they are 41 years old. How old is Luis?", "23"),
        ("Kim has 4 times as many cards as Joe. Together they have 60 cards. How many cards does Kim have?", "48"),
    ],
    "squares": [
        ("A square has a side of 7 cm. What is its area?", "49"),
        ("The perimeter of a square is 36 cm. How long is one side?", "9"),
        ("正方形的边长是6厘米，周长是多少厘米？", "24"),
        ("A square has an area of 144 cm². What is its perimeter in cm?", "48"),
        ("The perimeter of a square is 28 cm. What is its area?", "49"),
    ],
    "two kinds": [
        ("Concert tickets cost $12 for adults and $7 for children. 60 people paid $595. How many adults came?", "35"),
        ("成人票每张9元，儿童票每张5元，一共卖出40张票，共收入280元。成人票卖了多少张？", "20"),
        ("A yard has 9 cars and some motorbikes. There are 50 wheels. How many motorbikes are there?", "7"),
        ("A stool has 3 legs and a chair has 4 legs. 20 seats have 74 legs. How many chairs are there?", "14"),
        ("Mo has 21 coins, all nickels and quarters, worth $2.85. How many quarters does he have?", "9"),
        ("A jar has 17 coins, only 20p and 50p coins, worth £5.80. How many 50p coins are in the jar?", "8"),
        ("小红有1角和5角的硬币共12枚，一共4元。5角硬币有多少枚？", "7"),
        (
            "A correct answer gives 4 points and a wrong answer loses 1 point. Bo answered 15 questions and has 40"
            " points. How many answers were correct?",
            "11",
        ),
    ],
    "fees and interest": [
        ("£1200 is saved at 3.5% simple interest per year. How much interest is earned in 4 years?", "168")
    ],
    "journeys": [
        ("A van drives at a steady 80 km/h. How many minutes does it need for 60 km?", "45"),
        ("A coach covers 210 km in 3 hours 30 minutes. Find its average speed in km/h.", "60"),
        ("Ken walked at 6 km/h for 40 minutes. How many kilometres did he walk?", "4"),
        ("Two trains 420 km apart go towards each other at 80 km/h and 60 km/h. In how many hours do they meet?", "3"),
        ("Two boats leave in opposite directions at 12 km/h and 9 km/h. How far apart are they after 2 hours?", "42"),
        (
            "Two cars 250 km apart drive towards each other and meet after 2 hours. One drives at 70 km/h. How fast is"
            " the other in km/h?",
            "55",
        ),
        ("Mia walks to town at 4 km/h and back by the same road at 6 km/h. What is her average speed?", "4.8"),
        ("Lee drove for 2 hours at 70 km/h and then for 1 hour at 40 km/h. What was his average speed in km/h?", "60"),
        ("甲乙两地相距450千米，两车同时从两地相对开出，客车每小时行85千米，货车每小时行65千米，几小时后相遇？", "3"),
    ],
    "working together": [
        ("Ina digs a ditch in 6 hours and Max digs it in 3 hours. How many hours do they need together?", "2"),
        (
            "Two presses print a book together in 4 hours. The first press alone needs 6 hours. How many hours does the"
            " second press need alone?",
            "12",
        ),
        (
            "A hose fills a pool in 8 hours and a drain empties it in 12 hours. How many hours does it take to fill the"
            " pool with both open?",
            "24",
        ),
        ("一项工程，甲队单独做12天完成，乙队单独做6天完成。两队合作，几天可以完成？", "4"),
    ],
    "posts and gaps": [
        (
            "A path is 60 m long. Posts stand every 3 m along it, with a post at each end. How many posts are there?",
            "21",
        ),
        ("Trees stand 6 m apart round the edge of a circular pond of 150 m. How many trees are there?", "25"),
        ("There are 13 lamp posts in a row, 25 m apart. How far is it from the first to the last?", "300"),
        ("一条小路长240米，在路的一侧每隔8米种一棵树，两端都种，一共要种多少棵树？", "31"),
    ],
    "everybody with everybody": [
        ("Nine people at a party shake hands with each other once. How many handshakes are there?", "36"),
        ("Ten chess players each play every other player twice. How many games are there?", "90"),
        ("Five friends each write a card to every other friend. How many cards do they write?", "20"),
        ("57 players enter a knockout tournament. How many matches are played until one has won?", "56"),
    ],
    "partly full": [
        (
            "A tank is 1/4 full. After 30 litres are added it is 5/8 full. How many litres does the full tank hold?",
            "80",
        ),
        ("A barrel that is half full holds 45 litres. How many litres does the full barrel hold?", "90"),
    ],
    "prices": [
        (
            "Ada buys 3 pads at £1.35 each and a pen for 80p. She pays with a £10 note. How much change does she get?",
            "5.15",
        ),
        (
            "Ben buys a loaf for $2.85 and a jar for $6.40. He pays with a $20 note. How much change does he get, in"
            " dollars?",
            "10.75",
        ),
        (
            "Lina bought five pens at $1.20 each and a ruler. She paid $7.50 in total. How much did the ruler cost?",
            "1.5",
        ),
        ("Four mugs and a bowl cost $41. Each mug costs $4. How much does the bowl cost?", "25"),
        (
            "Ed buys two pads at $2.45 each and a pen for $1.30. He pays with a $20 note. How much change is there?",
            "13.8",
        ),
        ("Mr Li bought 3 chairs and a table. The table cost $95 and each chair cost $40. How much did he pay?", "215"),
    ],
    "rectangles": [
        ("A rectangular garden is 12 m long and 7 m wide. What is its perimeter?", "38"),
        ("The area of a rectangle is 40 square metres. It is 8 m long. How wide is it?", "5"),
        ("一个长方形长8厘米，宽5厘米，它的面积是多少平方厘米？", "40"),
    ],
    "proportion": [
        ("Four workers need 6 days. How many days do 8 workers need?", "3"),
        ("Hay lasts 6 cows for 10 days. How many days would it last 4 cows?", "15"),
        ("A recipe for 6 people needs 450 g of pasta. How many grams are needed for 10 people?", "750"),
        (
            "To bake 12 biscuits you need 90 g of butter. Rosa has 300 g of butter. How many biscuits can she bake?",
            "40",
        ),
        ("Jill needs 10 bottles of soda for 8 guests. How many bottles does she need for 12 guests?", "15"),
        ("A box of 12 eggs costs £3. How much do 30 eggs cost?", "7.5"),
        ("Six notebooks cost $9. How much do 10 notebooks cost at the same price?", "15"),
        ("A machine makes 150 bottles in 5 minutes. How many bottles does it make in 12 minutes?", "360"),
    ],
}


@pytest.mark.parametrize(
    ("rule", "text", "answer"), [(rule, *case) for rule, cases in ANSWERED.items() for case in cases]
)
def test_a_rule_answers_what_it_is_for(rule: str, text: str, answer: str) -> None:
    solution = rule_solution(text)
    assert solution is not None
    assert (solution.rule, solution.answer) == (rule, answer)
    assert 0.5 < solution.probability < 1
    assert solution_steps(solution)
    assert may_be_solved(text)


def test_a_notice_with_numbers_is_not_solved() -> None:
    text = "Lost on Monday: one bag with 2 books and 3 pens. Please bring it to room 12."
    assert not may_be_solved(text)
    assert RuleSolver(ScriptedSolver({})).unsolvable_reason(ProblemRecord("", text)) == NOT_MATHEMATICS


@pytest.mark.parametrize(
    "text",
    [
        "A farmer counts 11 heads and 27 legs among her hens and goats. How many goats does she have?",
        "A barn has chickens and rabbits with 12 heads and 60 legs in all. How many rabbits are there?",
        "Lea has 20 coins, all 5-cent and 10-cent coins, worth $3 altogether. How many 10-cent coins has she?",
        "Julia is four times as old as Marc. She is 20 years older than Marc, and Marc is 8. How old is Julia?",
        "鸡和兔共有10只，一共有25条腿，鸡有多少只？",
    ],
)
def test_a_story_that_contradicts_itself_has_no_answer(text: str) -> None:
    solver = RuleSolver(NoSolver())
    assert rule_solution(text) is None
    assert solver.unsolvable_reason(ProblemRecord("1", text, "en")) == CONTRADICTION_REASON


@pytest.mark.parametrize(
    "text",
    [
        "Ben had 12 marbles and won 5 more than Carl. Carl won 3. How many marbles does Ben have now?",
        "Tom has 5 apples and some pears. He has 12 fruits in all. How many pears does he have?",
        "40 boys and some girls are there, 117 children altogether. How many more girls than boys are there?",
        "A box has 9 pens and some pencils. It has 20 things in all. How many fewer pens than pencils are there?",
    ],
)
def test_a_number_that_changes_or_counts_more_contradicts_nothing(text: str) -> None:
    assert not contradicts_itself(text)


class NoSolver:
    """Tries every problem, and finds nothing."""

    name = "none"

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        return [[] for _problem in problems]

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        return ""


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in RULES} == ANSWERED.keys()


@pytest.mark.parametrize(
    "text",
    [
        "Ethan rowed from 10:50 to 11:15. Frank rowed twice as long. How long did they row altogether?",
        "It takes 45 minutes to clean a house for 4 dogs. In how many minutes can 15 dogs clean it?",
        "Kayla picked 1/4 of the apples that Kylie picked. They picked 200 apples. How many did Kayla pick?",
        "In a jar the number of ants doubles each hour. There are 50 ants. How many are there in 5 hours?",
        "A jacket costs $80. In the sale it is reduced to 25%. What is the new price?",
        "Jan works 8 hours a day, 5 days a week. How many hours does she work in 3 weeks?",
        "Violet has 3 more than twice as many nails as Tess. If Violet has 27 nails, how many do both have?",
        "The area of a square photo is 25 square inches. The sides are doubled. What is the new area?",
        "一个长方形的长是10分米，宽比长少4分米，这个长方形的面积是多少平方分米？",
        "一本书打八折，用优惠卡买12枝笔的钱可以买多少枝？",
        "After removing the highest of 9.5, 9.0 and 8.5, what is the average score?",
        "Ann has 30 sweets and eats 4 of them. She packs the rest in bags of 5. How many are left over?",
        "Tom has 12 pens. How many pens has Tom?",
        "Find the median of 3, 5, 7 and x.",
        "Find the mode of 2, 2, 3 and 3.",
        "The mean of 3, 5 and 7 is increased by 2. What is the new mean?",
        "Find the median of 3, 5 and 7, and the range of 2, 4 and 9.",
        "Find the mean proportional between 4 and 16.",
        "Round 4768.",
        "Estimate 37 × 52.",
        "成人平均体重大约是65千克，15名成人的体重大约是多少千克。",
        "Find the highest common factor of 1.5 and 3.",
        "Round 3.7 kg to the nearest metre.",
        "Divide 9.5 by 2 and give the remainder only.",
        "计算 $3\\sqrt{45} / 2\\sqrt{5}$",
        "Find the standard deviation of 3, 5 and 10.",
        "A kite and a ball cost $3.20 together. The kite costs 80 cents more than the ball. How much is the ball?",
        "Ana is 30 years older than Bo. Together they are 25 years old. How old is Bo?",
        "Haircuts are 50% dearer at weekends. Mario paid $18 on Monday. How much was it the day before?",
        "The average of 15 numbers is 40. If 14 is added to each number, what is the new mean?",
        "A coat costs $500. By what percent is it reduced if the price is reduced by $400?",
        "Cards cost $2 and pens cost $3. Tim spent $21 on 8 of them. How many rulers did he buy?",
        "Tim bought 3 pens at $2 each and some glue. He paid with $20. How much change did he get?",
        "A square has an area of 50 cm². What is its perimeter in cm?",
        "Crowns have 7 feathers each. How many feathers are needed for 934 crowns?",
    ],
)
def test_no_rule_answers_what_it_does_not_understand(text: str) -> None:
    assert rule_solution(text) is None


def test_an_equation_is_written_over_the_problems_own_numbers() -> None:
    solution = rule_solution("Divide 35 sweets between Ann and Bo in the ratio 3 : 4. How many does Bo get?")
    assert (solution.prototype, solution.equation) == ("N0/(N1+N2)*N2", "35/(3+4)*4")
    remainder = rule_solution("29 cookies are shared equally among 4 children. How many are left over?")
    assert (remainder.equation, remainder.rounding, remainder.quotient) == ("29/4", "remainder", 7.25)
    assert [str(step) for step in solution_steps(remainder)] == ["29 / 4 = 7.25", "remainder of 29 ÷ 4 = 1"]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (
            "A bus leaves at 10:20 and takes 45 minutes. When does it arrive?",
            ["10 * 60 = 600", "600 + 20 = 620", "620 + 45 = 665", "665 minutes as a time of day = 11:05"],
        ),
        (
            "A train departs at 8:40 and arrives at 10:10. How long does the journey take?",
            [
                "10 - 8 = 2",
                "2 * 60 = 120",
                "120 + 10 = 130",
                "130 - 40 = 90",
                "90 minutes in hours and minutes = 1 hour 30 minutes",
            ],
        ),
    ],
)
def test_the_last_step_is_the_answer_as_people_write_it(text: str, steps: list[str]) -> None:
    assert [str(step) for step in solution_steps(rule_solution(text))] == steps


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (
            "Find the median of 20, 3, 14 and 9.",
            ["In order: 3, 9, 14, 20. The two in the middle are 9 and 14.", "9 + 14 = 23", "23 / 2 = 11.5"],
        ),
        ("Round 4,768 to the nearest hundred.", ["4768 rounded to the nearest hundred = 4800"]),
        (
            "Find the highest common factor of 36 and 84.",
            ["36 = 2 × 2 × 3 × 3; 84 = 2 × 2 × 3 × 7. What they have in common: 2 × 2 × 3.", "2 * 2 = 4", "4 * 3 = 12"],
        ),
        ("Divide 91 by 8 and give the remainder only.", ["91 / 8 = 11.375", "remainder of 91 ÷ 8 = 3"]),
        ("Simplify 18/24.", ["18 and 24 are both divided by 6."]),
    ],
)
def test_steps_say_in_words_what_no_equation_says(text: str, steps: list[str]) -> None:
    assert [str(step) for step in solution_steps(rule_solution(text))] == steps


@pytest.mark.parametrize(
    "text", ["", "?", "9" * 20_000, "of 1:2 " * 1_000, "每" * 9_000, "A: 3/0 ratio 1:0 of them?", "Divide 3 by 0."]
)
def test_a_strange_text_ends_without_an_answer(text: str, no_hang: None) -> None:
    assert rule_solution(text) is None
    for rule in RULES:
        rule.answer(Reading(text[:10_000]))
