"""HTML in texts becomes our notation, and nothing else is taken for HTML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questionbank.formats.html_reading import html_to_our_text
from questionbank.formats.html_text import html_to_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (r"<p>Solve <b>for</b> \(x\):&nbsp; \(x+1 &lt; 5\)</p>", r"Solve for \(x\): \(x+1 < 5\)"),
        ("<p>Area of a 3&nbsp;&times;&nbsp;4 rectangle in cm<sup>2</sup></p>", "Area of a 3 × 4 rectangle in cm²"),
        ("x &lt; 4", "x < 4"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<p>One</p>\r\n<p dir=\"ltr\" style='color:red'>Two</p>", "One\n\nTwo"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
        ("<table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table>", "x | y\n1 | 2"),
        ("a<sub>n+1</sub> and H<sub>2</sub>O, x<sup>n</sup>, 1<sup>st</sup>", "$a_{n+1}$ and H₂O, xⁿ, 1st"),
        ("x<sup>a+b</sup>", "$x^{a+b}$"),
        ("The answer is <u>&nbsp;&nbsp;&nbsp;</u>.", "The answer is ____."),
        ('<span class="MathJax"><strong>2</strong>&#8722;1</span>', "2−1"),
        ("Tom &amp; Ann&#39;s &quot;sum&quot; &euro;5", 'Tom & Ann\'s "sum" €5'),
        ('<math><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math>', "$x^2$"),
        ("<math><msup><mi>x</mi><mn>2</mn></msup></math> &lt; 4", "$x^{2}$ < 4"),
        ("<!-- from Moodle --><div>Find <i>x</i></div>", "Find x"),
        ("&lt;b&gt; is a tag", "<b> is a tag"),
        (
            r"<p>If $a &lt b$ and $\begin{matrix}a &amp; b<c\end{matrix}$</p>",
            r"If $a &lt b$ and $\begin{matrix}a & b<c\end{matrix}$",
        ),
    ],
)
def test_html_becomes_text(html, text):
    assert html_to_text(html) == (text, [])


@pytest.mark.parametrize(
    "text",
    [
        "If a<b and c>d, is $x<y>z$?",
        "0<x<5",
        "$a<b$ and $b>c$",
        "x<p and q>r",
        "2 < i > 1",
        "a <b",
        "<b",
        "R&D, AT&T",
        "a & b \\\\ c & d",
        "AB<CD>EF",
        "x<y<br",
        "if i<u then s>q",
        "<x> stands for a vector",
        "1<sub",
        "&foo; &x",
    ],
)
def test_comparisons_and_ampersands_stay(text):
    assert html_to_text(text) == (text, [])


@pytest.mark.parametrize(
    ("html", "text", "said"),
    [
        ('See <img src="a.png" alt="graph of x">', "See [image] (graph of x)", "an image was left out"),
        ("See <svg></svg> here", "See [image] here", "an image was left out"),
        ("<script>alert(1)</script><p>x</p>", "x", "a script or style sheet was left out"),
        ('<video controls src="v.mp4"></video> Watch', "[video] Watch", "a video was left out"),
        (
            "<p>Is</p><math><maction>x</maction></math>",
            "Is\n\n<math><maction>x</maction></math>",
            "a formula in MathML stays as its source",
        ),
    ],
)
def test_what_cannot_be_text_is_said(html, text, said):
    cleaned, reasons = html_to_text(html)
    assert cleaned == text
    assert said in reasons[0]


@given(st.text('ab<>&;/ ="$bpu12', max_size=60))
def test_no_text_makes_it_fail_and_a_cleaned_text_keeps_its_letters(text):
    cleaned, _ = html_to_text(text)
    if "<" not in text and "&" not in text:
        assert cleaned == text


def test_blank_lines_of_the_source_do_not_split_a_table():
    rows = "<tr>\n<td>a</td>\n\n<td>b</td></tr>\n\n \n<tr><td>1</td><td>2</td></tr>"
    for breaks_lines in (False, True):
        text, _went = html_to_our_text(f"<table>\n\n<tbody>{rows}</tbody>\n</table>", breaks_lines=breaks_lines)
        assert text == "| a | b |\n| 1 | 2 |"
