"""Texts that lack a figure, a table or the numbers of a template, and whole ones that look as if they did."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from analytics.text.wholeness import FIGURE, PLACEHOLDERS, draws_numbers, needs_figure

LACK_A_FIGURE = r"""
The graph shown below is of a quadratic function. What are its zeros?
Use the diagram to find the value of $x$.
What is the area of the triangle in the figure above?
How many cats were sold? [image]
The graph of $f$ is shown above. For which $x$ is $f(x) > 0$?
如图，在三角形ABC中，AB=AC，求角A的度数。
Find $x$. [Insert picture]
As shown in the figure, $ABCD$ is a square.
Point $E$ lies on $AB$, as shown. What is the area of $CDE$?
The bar chart shows how pupils travel to school. How many walk?
What fraction of the shape below is shaded? See the diagram.
The perimeter of the hexagon shown is 36 cm. Find its area.
Refer to Figure 3. What is the reading on the scale?
根据下图，计算阴影部分的面积。
下列图中，哪个是轴对称图形？
Which of the following graphs represents a proportional relationship?
The line graph on the right gives the temperature at noon.
<p>Find the missing angle.</p><img src="angle.png">
![A clock](clock.png) What time is it?
The parabola is graphed below. Write down its vertex.
Use the table below to find how many pupils chose football.
According to the table, on which day was it warmest?
下表是小明一周的零花钱，平均每天多少元？
\begin{tikzpicture}\draw (0,0) -- (1,1);\end{tikzpicture} Find the slope.
In this diagram, both polygons are regular. Find the angle at $A$.
The triangle below is isosceles. Find the angle at its top.
""".strip().splitlines()

HAVE_ALL_FIGURES = r"""
Draw a diagram to show that $\frac{1}{2}$ equals $\frac{2}{4}$.
Sketch the graph of $y=x^2$.
The graph of $y=x^2$ is translated by 3 units to the right. Give its equation.
Where does the graph of $y = 2x + 1$ cross the $x$-axis?
How many points lie on the graph of $f$ above the line $y = 3$?
The table shows the cost. \begin{tabular}{c|c} 1 & 2 \\ 3 & 4 \end{tabular} What is the rule?
Sam put 12 cups on the table and 3 below the table. How many are there?
Round 3.14159 to three significant figures.
Lena drew a picture. It took 20 minutes longer than the picture her brother drew.
The number is shown by the sum of 3 tens and 4 ones.
Find the area of the region bounded by $y=x^2$ and the $x$-axis.
A plane flies 300 m above the sea, and a submarine is 200 m below it.
画出函数$y=x$的图象。
计算以下表达式的值：29+72。
从数轴上表示-2的点A开始移动3个单位，到达什么数？
He paid the figure below his budget of $300, a five-figure sum.
A card is drawn from a pack. What is the probability that it is red?
Complete the table below. | x | 1 | 2 | | y | 3 | ? |
What is the image of $(1, 2)$ under a reflection in the line $y = x$?
The frequency table: size 1: 4, size 2: 7, size 3: 9, size 4: 2. In the table, which size is commonest?
The map has a scale of 1 : 50 000. Two towns are 4 cm apart. How far is that?
In a drawing to scale, 1 cm stands for 2 m. How long is a room of 4 cm?
""".strip().splitlines()

DRAW_NUMBERS = r"""
Simplify $(5myvar1)^2$.
Find the distance between $pt1$ and $pt2$.
name1 and name2 went picking strawberries. How many did name2 pick?
Add these fractions: $frac1 + frac2 + frac3$
Solve $a x + $b = 0.
Compute [$a] + [$b].
What is {@a@} times {@b@}? [[input:ans1]] [[validation:ans1]]
Find {a} + {b}.
A car drives {d} km in {t} hours. What is its speed?
Solve {{params.a}} x = {{params.b}}.
A box holds {{n}} eggs. How many are in 3 boxes?
What is {=a*b}?
A rectangle is \(\var{a}\) cm wide. Find its area.
The mean of the sample is \Sexpr{round(m, 2)}. Is it significant?
Solve \( {a} x + {b} = {c} \).
A painting costs $newPriceC$. What is its price after a discount of 10 %?
A tank holds ${size} litres. How long does it take to empty it?
Given $f(x)=func$, find $f'(x)$.
Solve $left=right$ by factoring.
Find the sum: {% for x in numbers %} {{ x }} {% endfor %}
Evaluate $poly1$ at $x=2$.
How many items does <%= name %> have?
Let $\sin(t)=sin$. Find the value of $\cos(t)$.
Express the matrix $S_{strx,stry,strz}$ and the number num_terms in words.
""".strip().splitlines()

ARE_WHOLE = r"""
Solve $\frac{a}{b} = \sqrt{c}$ for $a$.
Let $a$ and $b$ be numbers with $a + b = 5$. Find $a^2 + 2ab + b^2$.
A pen costs $5 and a book costs $7. How much are both?
Find {1, 2, 3} ∪ {3, 4}.
How many subsets has the set {a, b, c}?
已知数列{an}的前n项和为Sn，求{bn}的通项公式。
The sequence {a_n} converges to 2.
Simplify $\sin2x + \log10 - \cos 3x$.
The points $A1$, $A2$ and $B1$ lie on a line; $x1 = 3$ and $y2 = 4$.
Sam bought an iPhone and a PlayStation on eBay for $300 in total.
${{a}_{1}}{{x}^{2}}+{{b}_{1}}x=0$ has two roots.
If $A = \{x \mid x > 0\}$, is $0 \in A$?
Write $3x + 2y = 7$ as $y = mx + b$.
The area is 20 cm2 and the volume is 30 cm3. Question 5: what is the height? See step2.
How much is US$20 in euros if 1 euro is $1.10?
A four-digit number $\overline{abcd}$ has digits with the sum 12. If $abcd + dcba = 9999$, find it.
\begin{tabular}{ccc} 1 & 2 & 3 \end{tabular} What comes next?
In the $xy$-plane, the $x$-intercept is $3$ and the $y$-intercept is $4$.
The name of the shape with five sides is ____. Her name is Ann.
$f(x) = \left\{ \begin{array}{ll} x & x<0 \\ 1 & x \geq 0 \end{array} \right.$
If $P(A and B) = 0.2$ and $P(A) = 0.5$, find $P(B|A)$.
$$I$$ $$love$$ $$Mathematics$$
[asy] draw(circle(origin, rad1)); pair pic1 = (0,0); [/asy] Find the radius.
The greatest integer not above $x$ is written [x]. Solve [x] = 3.
Find the side marked h. ![the triangle of figure2](image1.png)
""".strip().splitlines()


@pytest.mark.parametrize("text", LACK_A_FIGURE)
def test_a_text_that_points_at_a_missing_figure_needs_one(text: str) -> None:
    assert needs_figure(text)


@pytest.mark.parametrize("text", HAVE_ALL_FIGURES)
def test_a_text_that_only_mentions_a_figure_needs_none(text: str) -> None:
    assert not needs_figure(text)


@pytest.mark.parametrize("text", DRAW_NUMBERS)
def test_a_variable_that_nobody_replaced_is_found(text: str) -> None:
    assert draws_numbers(text)


@pytest.mark.parametrize("text", ARE_WHOLE)
def test_ordinary_mathematics_holds_no_placeholder(text: str) -> None:
    assert not draws_numbers(text)


def test_rules_stay_in_the_language_that_python_and_postgresql_share() -> None:
    patterns = [rule.pattern for rule in PLACEHOLDERS] + [rule.hint for rule in PLACEHOLDERS]
    patterns += [FIGURE.hint, *FIGURE.marks, *FIGURE.figures, *FIGURE.layouts, *FIGURE.tables, *FIGURE.data]
    foreign = re.compile(r"(?<!\\)(?:\\\\)*\\(?:[bBdDwWsSAZ]|[1-9])|[*+?}]\?|\(\?P")
    assert [pattern for pattern in patterns if foreign.search(pattern)] == []


@pytest.mark.shared_data
def test_hardly_a_whole_question_of_the_public_sets_is_taken_for_a_template(shared_data: Path) -> None:
    names = ("math/test", "gsm8k/test", "tal_scq_en/train", "asdiv/all")
    assert sum(draws_numbers(row["text"]) for name in names for row in _rows(shared_data / f"{name}.jsonl.gz")) <= 2
    templates = _rows(shared_data / "opl/all.jsonl.gz")
    unresolved = [row for row in templates if row.get("unresolved")]
    assert sum(draws_numbers(row["text"]) for row in unresolved) >= 1_150
    assert sum(draws_numbers(row["text"]) for row in templates if not row.get("unresolved")) <= 5


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
