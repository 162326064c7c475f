"""Question text as HTML: safe whatever it holds, readable, and quick."""

from __future__ import annotations

import gzip
import json
import random
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import nh3
import pytest
from django.template import Context, Template
from django.utils.translation import override
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.formulas import segment_text
from questionbank import rendering
from questionbank.formulas import FORMULA_CLASSES, MATHML_ATTRIBUTES, FormulaRefused, draw_formula, formula_mathml
from questionbank.rendering import LONGEST_TEXT, render_inline, render_question
from tests.cases import each_case
from tests.questionbank.xss_corpus import XSS_CORPUS, XssAttempt

HTML_ATTRIBUTES = {
    "p": set(),
    "br": set(),
    "div": {"class", "role", "tabindex", "aria-label"},
    "span": {"class", "role", "tabindex", "aria-label"},
    "strong": set(),
    "em": set(),
    "u": set(),
    "s": set(),
    "sup": set(),
    "sub": set(),
    "code": {"class"},
    "pre": set(),
    "details": {"class"},
    "summary": set(),
    "table": {"class"},
    "tbody": set(),
    "tr": set(),
    "td": {"colspan"},
}
ALLOWED = {**HTML_ATTRIBUTES, **{tag: set(names) for tag, names in MATHML_ATTRIBUTES.items()}}


class MarkupReader(HTMLParser):
    """Collects what a browser's tokeniser would see: tags, attributes, and anything that is neither text nor tag."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.strange: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)
        allowed = ALLOWED.get(tag)
        if allowed is None:
            self.strange.append(f"<{tag}>")
            return
        for name, value in attrs:
            if name not in allowed:
                self.strange.append(f"<{tag} {name}={value!r}>")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.strange.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.strange.append(f"comment {data!r}")

    def handle_decl(self, decl: str) -> None:
        self.strange.append(f"declaration {decl!r}")

    def unknown_decl(self, data: str) -> None:
        self.strange.append(f"declaration {data!r}")

    def handle_pi(self, data: str) -> None:
        self.strange.append(f"instruction {data!r}")


def read(html: str) -> MarkupReader:
    reader = MarkupReader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("attempt", XSS_CORPUS, ids=lambda attempt: attempt.name)
def test_no_attempt_brings_markup_of_its_own_into_the_page(attempt: XssAttempt) -> None:
    for html in (render_question(attempt.text), render_inline(attempt.text), render_inline(attempt.text, 40)):
        assert read(html).strange == []


def test_the_reader_of_these_tests_sees_what_it_must() -> None:
    reader = MarkupReader()
    reader.feed("<p onclick=x><!-- c --><script>1</script><math href=j></math><b></i>")
    assert len(reader.strange) == 6


@given(st.text(alphabet="<>&\"'$\\{}[]()!`*_~ \nabtx=/:", max_size=120))
@settings(max_examples=300, deadline=None)
def test_any_text_renders_to_allowed_markup_alone(text: str) -> None:
    assert read(render_question.__wrapped__(text)).strange == []
    assert read(render_inline.__wrapped__(text, 30)).strange == []


LATEX_PIECES = (
    r"\frac \text{a<b} \sqrt { } ^ _ x 2 \left( \right) & \\ \begin{cases} \end{cases} \begin{array}{cc} \end{array} "
    r"\binom ' % \color <i> \textcolor{red} \hspace{1em} \overset \mathbb{R} \operatorname{<b>} \unicode"
).split()


@given(st.lists(st.sampled_from(LATEX_PIECES), max_size=25))
@settings(max_examples=300, deadline=None)
def test_any_formula_renders_to_allowed_markup_or_is_refused(pieces: list[str]) -> None:
    try:
        html = draw_formula(" ".join(pieces))
    except FormulaRefused:
        return
    assert read(html).strange == []


def test_the_last_gate_changes_nothing_that_we_wrote_ourselves() -> None:
    text = (
        "A $x<y$ \\textbf{b} ____ [image]\n\n$$\\begin{cases}a&b\\\\c&d\\end{cases}$$"
        "\n\n\\begin{tabular}{cc}1&2\\end{tabular}"
    )
    html = render_question(text)
    assert rendering._cleaner().clean(html) == html
    assert set(MATHML_ATTRIBUTES) <= set(ALLOWED)


def test_prose_is_escaped_and_its_macros_are_printed() -> None:
    html = render_question(r"Anna\textquotesingle s ``share'' is 20\% & 1 \textless{} 2 < 3, \$5 or \#1.")
    assert html == "<p>Anna's “share” is 20% &amp; 1 &lt; 2 &lt; 3, $5 or #1.</p>"


def test_paragraphs_and_line_breaks_are_kept() -> None:
    assert render_question("one\ntwo\n \n\nthree\\\\ four") == "<p>one<br>two</p><p>three<br>four</p>"
    assert render_question("") == ""
    assert render_question(" \n ") == ""


def test_styles_may_hold_formulas_and_stray_braces_stay() -> None:
    assert read(render_question(r"\textbf{bold $x$ text} {a} }")).text == "bold x text {a} }"
    assert render_question(r"$3$\textsuperscript{rd}").endswith("<sup>rd</sup></p>")
    assert render_question(r"\emph{open").startswith("<p><em>open</em>")


@pytest.mark.parametrize("blank", ["____", r"\_\_\_\_", r"~\uline{~~~~~}~", r"\underline{   }"])
def test_an_answer_blank_is_visible_and_named(blank: str) -> None:
    html = render_question(f"It is {blank}.")
    assert 'class="answer-blank" role="img" aria-label="answer blank">____</span>' in html


def test_a_blank_inside_a_formula_stays_in_the_formula() -> None:
    assert "<mtext>____</mtext>" in render_question("$3+4=____$")
    assert "<mtext>____</mtext>" in render_question(r"$3+4=\underline{\hspace{2cm}}$")


def test_a_missing_picture_is_named_with_its_description() -> None:
    assert '<span class="image-placeholder">[picture]</span>' in render_question("See [image].")
    html = render_question(r"![A circle of radius \( r=3 \)]()")
    assert read(html).text == "[picture] A circle of radius r=3"
    assert "<math" in html


def test_drawing_commands_are_folded_away() -> None:
    html = render_question('Find it. [asy]label("$A$", (0,0));[/asy] Now.')
    assert '<details class="diagram-source"><summary>Drawing instructions</summary><pre>[asy]label(' in html
    assert "<math" not in html


@pytest.mark.parametrize("name", ["tikzpicture", "asy", "picture"])
def test_drawing_environments_are_folded_away_and_are_no_formula(name: str) -> None:
    html = render_question(rf"See \begin{{{name}}}\draw (0,0) -- (1,$1$);\end{{{name}}} Now $x$.")
    assert html.count("<details") == 1
    assert html.count("<math") == 1
    assert read(render_inline(rf"See \begin{{{name}}}\draw;\end{{{name}}}")).text == "See [figure]"


def test_a_picture_file_is_named_as_a_picture() -> None:
    assert read(render_question(r"See \includegraphics[width=3cm]{a.png}.")).text == "See [picture]."


def test_double_dollars_are_display_alone_on_their_line_and_inline_in_a_sentence() -> None:
    alone = render_question("Solve\n$$x=1$$\nnow")
    assert '<div class="formula-display"><math display="block"' in alone
    inside = render_question("Solve $$x=1$$ now")
    assert "formula-display" not in inside
    assert '<math display="inline"' in inside


def test_the_source_of_a_formula_is_kept_for_copying() -> None:
    sources: list[str | None] = []

    class SourceReader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            sources.append(dict(attrs).get("data-latex"))

    source = r'x < \text{"y" \& z}'
    SourceReader().feed(render_question(f"${source}$"))
    assert source in sources


def test_a_formula_that_cannot_be_shown_stands_as_its_source() -> None:
    for source in (
        r"$\foo{x}$",
        r"$x^$",
        r"$\frac{1}$",
        r"$\newcommand{\a}{b$",
        r"$a & b$",
        "$" + "{" * 60 + "}" * 60 + "$",
    ):
        html = render_question(f"Find {source}")
        assert '<code class="formula-source">' in html
        assert read(html).text == f"Find {source}"


def test_latex_without_dollar_signs_is_drawn_in_answers_and_in_sentences() -> None:
    assert "<mfrac>" in render_question(r"\frac{3}{4}")
    html = render_question(r"It takes 3 \frac{1}{2} cups.")
    assert html.startswith("<p>It takes <math")
    assert html.endswith("</math> cups.</p>")
    assert "<msup>" in render_question(r"Find `\sin^2 x` now")
    assert "<code>x**2</code>" in render_question("Find `x**2` now")
    assert read(render_question("Find file_name")).text == "Find file_name"


def test_latex_without_dollar_signs_that_cannot_be_drawn_stays_as_it_was_written() -> None:
    html = render_question(r"2^3^4 is \frac{1} there")
    assert "<math" not in html
    assert "formula-source" not in html
    assert read(html).text == r"2^3^4 is \frac{1} there"


def test_dollars_around_words_and_spacing_commands_are_dropped() -> None:
    assert read(render_question("It is $$Wednesday$$.")).text == "It is Wednesday."
    assert read(render_question(r"$$$$None")).text == "None"
    assert read(render_question("\\hfill\\break Solve")).text == "Solve"


@each_case("rendering", "mathml")
def test_the_notation_of_schools_becomes_mathml(latex: str, tags: list[str]) -> None:
    reader = read(formula_mathml(latex))
    assert set(tags) <= set(reader.tags)
    assert reader.strange == []
    assert "\\" not in reader.text


def test_the_row_breaks_that_a_bank_lost_are_put_back() -> None:
    assert formula_mathml(r"\begin{cases}x=1    y=2\end{cases}").count("<mtr>") == 2


def test_alphabets_are_written_with_their_own_characters() -> None:
    assert "<mi>ℝ</mi>" in formula_mathml(r"\mathbb{R}")
    assert read(formula_mathml(r"\mathbf{ab1}")).text == "𝐚𝐛𝟏"
    assert "<mi>ℤ</mi>" in formula_mathml(r"\mathbb Z")


def test_colours_are_left_out_for_the_sake_of_contrast() -> None:
    assert "mathcolor" not in formula_mathml(r"\color{gold}{x}")


def test_a_table_of_text_is_a_table_with_formulas_in_its_cells() -> None:
    html = render_question(
        r"\begin{tabular}{|c|c|}\hline A \& B & $\begin{matrix}1&2\end{matrix}$ \\ \hline \multicolumn{2}{c}{all}"
        "\n\\hline 3 & 4 \\\\ \\hline\\end{tabular}"
    )
    assert read(html).tags.count("tr") == 3  # a row break that was lost before \hline counts
    assert '<td colspan="2">all</td>' in html
    assert "<td>A &amp; B</td>" in html
    assert "tabindex" not in html
    assert 'tabindex="0" role="group" aria-label="table"' in render_question(
        r"\begin{tabular}{cccccc}1&2&3&4&5&6\end{tabular}"
    )


def test_only_what_may_be_wider_than_a_screen_takes_the_keyboards_focus() -> None:
    long = "+".join(f"x_{{{n}}}" for n in range(30))
    assert '<div class="formula-display" tabindex="0" role="group" aria-label="formula">' in render_question(
        f"$${long}$$"
    )
    assert '<span class="formula-scroll" tabindex="0"' in render_question(f"Find ${long}$ now")
    assert "tabindex" not in render_question("$$x+1$$\n\nand $y$")
    assert '<span class="formula-scroll"><math' in render_question(f"Find ${long[:30]}$ now")
    assert "formula-scroll" not in render_question("Find $x+1$ now")


def test_an_excerpt_is_one_line_and_never_cuts_a_formula() -> None:
    text = "Anna has three apples.\n\n$$\\frac{a+b+c+d+e+f}{2}$$ and much more besides this"
    for limit in range(1, 60):
        html = render_inline(text, limit)
        reader = read(html)
        assert reader.strange == []
        assert not {"p", "div", "br"} & set(reader.tags)
        assert html.count("<math") == html.count("</math>")
        assert "\\" not in reader.text
    assert read(render_inline(text, 15)).text == "Anna has three…"
    assert read(render_inline("四" * 50, 10)).text == "四" * 10 + "…"
    assert "…" not in render_inline(text)


def test_an_excerpt_names_tables_and_drawings() -> None:
    assert read(render_inline(r"See \begin{tabular}{c}1\end{tabular} [asy]x[/asy]")).text == ("See [table] [figure]")


def test_long_and_deep_texts_are_shown_in_good_time() -> None:
    for text in (
        "x" * (LONGEST_TEXT + 1),
        "$" * LONGEST_TEXT,
        "![" * (LONGEST_TEXT // 2),
        "[asy]" * (LONGEST_TEXT // 5),
        "\\begin{picture}" * (LONGEST_TEXT // 15),
        "\\textbf{" * (LONGEST_TEXT // 8),
        " " * LONGEST_TEXT,
        "$" + "\\sqrt" * 900 + "$",
        "`" * LONGEST_TEXT,
        "{" * LONGEST_TEXT,
        "\\begin{tabular}{c}" * 3_000,
        ("\\begin{tabular}{c}&" * 1_500) + "\\end{tabular}" * 1_500,
        "x^{" * (LONGEST_TEXT // 3),
        "$$" + "x" * 100 + "$$$" * 15_000,
    ):
        assert read(render_question.__wrapped__(text)).strange == []


def test_the_filters_mark_safe_html_in_the_pages_language() -> None:
    template = Template("{% load mathematics %}{{ a|mathematics }}|{{ a|mathematics_inline:6 }}|{{ none|mathematics }}")
    with override("en"):
        html = template.render(Context({"a": "1 < $x$ and so on ____", "none": None}))
    assert html.startswith('<p>1 &lt; <math display="inline" data-latex="x"><mi>x</mi></math> and')
    assert "|1 &lt; <math" in html
    assert html.endswith("|")


def test_nh3_knows_the_tags_of_mathml() -> None:
    """What the gate lets through depends on nh3; this fails first should it change."""
    assert nh3.clean("<math><mi>x</mi></math>", tags={"math", "mi"}, attributes={}) == "<math><mi>x</mi></math>"


@cache
def public_texts(folder: Path) -> list[str]:
    """Return every question of the public data sets, in a fixed order."""
    texts = []
    for path in sorted(folder.glob("*/*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            texts += [json.loads(line).get("text") or "" for line in lines]
    return texts


@pytest.mark.shared_data
def test_nearly_all_real_formulas_become_mathml(shared_data: Path) -> None:
    texts = random.Random(7).sample(public_texts(shared_data), 20_000)
    segments = (segment for text in texts for segment in segment_text(text))
    formulas = [segment.body for segment in segments if segment.kind == "formula"]
    sample = random.Random(7).sample(formulas, 3_000)
    shown = 0
    for latex in sample:
        try:
            formula_mathml(latex)
        except FormulaRefused:
            continue
        shown += 1
    assert shown / len(sample) >= 0.995


@pytest.mark.shared_data
def test_real_questions_render_to_nothing_strange(shared_data: Path) -> None:
    for text in random.Random(3).sample(public_texts(shared_data), 1_500):
        assert read(render_question.__wrapped__(text)).strange == []


def test_punctuation_stays_on_the_line_of_the_formula_before_it():
    html = str(render_question("They enclose $90$. What is $x$, (or $y$)? It is $z$ cm."))
    assert re.findall(r'<span class="nowrap"><math.*?</math>([^<]*)</span>', html) == [".", ",", ")?"]
    assert html.count("<math") == 4
    hostile = str(render_question('$x$.<b onclick="x">'))
    assert "<b" not in hostile


def shown(text: str) -> str:
    """Return what a reader sees, a bar between paragraphs and a slash between lines."""
    html = render_question(text).replace("</p><p>", "|").replace("<br>", "/")
    return read(html).text.replace("\u00a0", " ")


@each_case("rendering", "other_tools")
def test_texts_of_other_tools_are_read_as_they_mean_it(text: str, seen: str) -> None:
    assert shown(text).strip() == seen


@each_case("rendering", "blanks")
def test_a_blank_of_any_kind_never_vanishes(blank: str) -> None:
    html = render_question(f"The answer is {blank}.")
    assert html.count("answer-blank") == 1
    assert "secret" not in html


def test_a_table_of_html_is_a_table() -> None:
    html = render_question(
        "<table><thead><tr><th>x</th><th>y</th></tr></thead><tr><td>1 &amp; 2<td>$\\frac12$"
        '<tr><td colspan="2">all</td></tr></table> after'
    )
    assert read(html).tags.count("tr") == 3
    assert '<td colspan="2">all</td>' in html
    assert "<td>1 &amp; 2</td>" in html
    assert html.count("<math") == 1
    assert html.endswith("<p>after</p>")


def test_definitions_never_reach_another_text() -> None:
    assert "<math" in render_question(r"\newcommand{\mine}{y} $\mine$")
    assert "formula-source" in render_question(r"$\mine$")


def test_a_numbered_equation_stands_in_a_block_of_its_own() -> None:
    assert "formula-display" in render_question(r"So $E=mc^2 \tag{3}$ holds")
    assert read(render_inline(r"So $E=mc^2 \tag{3}$ holds")).text == "So E=mc2(3) holds"


def test_the_style_sheet_draws_every_class() -> None:
    sheet = (Path(rendering.__file__).parents[2] / "static" / "css" / "formulas.css").read_text()
    assert [name for name in FORMULA_CLASSES if f".{name}" not in sheet] == []


@given(st.text(alphabet="<>/pbultrdi &;=\"'$\\{}x", max_size=120))
@settings(max_examples=200, deadline=None)
def test_any_html_renders_to_allowed_markup_alone(text: str) -> None:
    assert read(render_question.__wrapped__(text)).strange == []
