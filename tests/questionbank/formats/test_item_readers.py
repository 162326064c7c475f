"""PG, PrairieLearn, R/exams, H5P, Aiken and cloze text: read as their systems write them; hostile ones are refused."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile

import pytest

from analytics.question_content import AcceptedAnswer, MatchingPair
from analytics.records import QuestionRecord
from analytics.text.wholeness import draws_numbers
from questionbank.errors import LineProblem
from questionbank.formats import read, write
from questionbank.formats.catalog import WRITTEN, sniff
from questionbank.formats.seam import CannotHold
from tests.pictures import png
from tests.questionbank.formats.files import named
from tests.questionbank.formats.test_moodle_xml import Pictures, questions

DRAWN_PG = r"""## DBsubject('Calculus - single variable')
## DBchapter('Differentiation')
## DBsection('Derivatives of polynomials')
## KEYWORDS('derivatives', 'power rule')
## Level(2)
DOCUMENT();        # first
loadMacros("PGstandard.pl", "PGcourse.pl");
$a = random(2,9,1);
$deriv = 2*$a;
BEGIN_TEXT
Let \( f(x) = $a x^{2} \).
$PAR
\( f'(x) = \) \{ ans_rule(30) \} $BR
\{ image("graph.png", width=>200) \}
END_TEXT
ANS(fun_cmp("$deriv x"));
SOLUTION(EV3(<<'END_SOLUTION'));
$PAR SOLUTION $PAR It is \( $deriv x \).
END_SOLUTION
ENDDOCUMENT();
"""
FIXED_PG = r"""## DBsubject(ZZZ-Inserted Text)
DOCUMENT();
loadMacros('PGML.pl');
$ans = Compute("(x+2)(x+3)");
$n = 5;
BEGIN_PGML
Factor [`x^2 + [$n]x + 6`] _completely_.  [% not read %]
[____]{$ans}
END_PGML
BEGIN_PGML_HINT
Their *sum* is [$n].
END_PGML_HINT
ENDDOCUMENT();
"""
CHOICE_PG = r"""DOCUMENT();
$mc = RadioButtons(["Paris", "London \(x^2\)"], "Paris", labels => "ABC");
BEGIN_TEXT
What is the capital? $BR \{ $mc->buttons() \}
END_TEXT
ANS($mc->cmp);
"""
BLANKS_PG = r"""DOCUMENT();
BEGIN_TEXT
Evaluate $BBOLD both$EBOLD: \(3+4=\) \{ans_rule(5)\} and \(2^3=\)
\{ans_rule(5)\} for $DOLLAR 5 &amp; more
END_TEXT
ANS(num_cmp(7));
ANS(num_cmp(8, tol=>0.1));
"""


MATCH_PG = r"""DOCUMENT();
$ml = new_match_list();
$ml->qa('\( x^2 \)', "parabola",
        '\( x \)', "line");
$ml->extra("circle");
BEGIN_TEXT
Match: $BR \{ $ml->print_q \} $PAR \{ $ml->print_a \} \{ AnswerFormatHelp("formulas") \}
END_TEXT
"""


def _zip(files) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def _tar(files, type=tarfile.REGTYPE) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            content = content.encode() if isinstance(content, str) else content
            member.size, member.type, member.linkname = len(content), type, "/etc/passwd"
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


@pytest.mark.parametrize("pack", [_zip, _tar])
def test_a_library_of_pg_is_read_and_leaves_as_it_came(tmp_path, pack):
    files = {
        "L/a.pg": DRAWN_PG,
        "L/b.pg": FIXED_PG,
        "L/c.pg": CHOICE_PG,
        "L/d.pg": BLANKS_PG,
        "L/graph.png": png(),
    }
    path, pictures = named(tmp_path, "library.bin", pack(files)), Pictures()
    assert sniff(path).name == "webwork"
    drawn, fixed, choice, blanks = records = questions(path, pictures)
    assert (drawn.id, drawn.kind, drawn.difficulty) == ("L/a.pg", "opaque", 2.0)
    assert drawn.text == "Let $f(x) = {@a@} x^{2}$.\n\n$f'(x) =$ ____\n![](graph.png)"
    assert draws_numbers(drawn.text)
    assert drawn.concepts == (
        ("Calculus - single variable", "Differentiation", "Derivatives of polynomials"),
    )
    assert (drawn.content.tags, drawn.solution) == (("derivatives", "power rule"), "It is ${@deriv@} x$.")
    assert (fixed.kind, fixed.answer, fixed.concepts) == ("short", "(x+2)(x+3)", ())
    assert fixed.text == "Factor $x^2 + 5x + 6$ *completely*.\n____"
    assert fixed.content.hints == ("Their **sum** is 5.",)
    assert (choice.text, choice.answer, [one.text for one in choice.options]) == (
        "What is the capital?", "A", ["Paris", "London $x^2$"],
    )  # fmt: skip
    assert (blanks.text, blanks.answer) == (
        r"Evaluate **both**: $3+4=$ [[1]] and $2^3=$ [[2]] for \$ 5 & more",
        "7; 8",
    )
    write(records, tmp_path / "out.zip", "webwork", pictures)
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            name: content.encode() if isinstance(content, str) else content for name, content in files.items()
        }
    with pytest.raises(CannotHold, match="did not come from WeBWorK PG"):
        WRITTEN["webwork"].losses(QuestionRecord("1", "1 + 1"), pictures)
    with pytest.raises(CannotHold, match="only leave in the format"):
        WRITTEN["exam"].losses(drawn, pictures)


def test_lists_to_match_of_pg_are_pairs_unless_some_are_drawn(tmp_path):
    (fixed,) = questions(named(tmp_path, "a.pg", MATCH_PG))
    pairs = (MatchingPair("$x^2$", "parabola"), MatchingPair("$x$", "line"), MatchingPair("", "circle"))
    assert (fixed.text, fixed.content.pairs) == ("Match:", pairs)
    (drawn,) = questions(
        named(tmp_path, "b.pg", MATCH_PG.replace("$ml->extra", "$ml->choose(1);\n$ml->extra"))
    )
    assert (drawn.kind, drawn.text) == ("opaque", "Match:\n\n- $x^2$\n- $x$")


def _prairielearn(**questions_html):
    info = '{"uuid": "%s", "title": "Title", "topic": "Algebra", "tags": ["easy"], "type": "v3"}'
    files = {}
    for name, html in questions_html.items():
        files |= {f"questions/{name}/info.json": info % name, f"questions/{name}/question.html": html}
    return files


def test_a_course_of_prairielearn_is_read(tmp_path):
    files = _prairielearn(
        drawn="<pl-question-panel><p>If $a = {{params.a}}$, what is $2a$?</p></pl-question-panel>"
        '<p><pl-integer-input answers-name="c" label="$2a=$"></pl-integer-input></p>'
        "<pl-answer-panel>Twice {{params.a}}</pl-answer-panel>"
        "<pl-submission-panel>{{feedback.c}}</pl-submission-panel>",
        one="<p>Which?</p><pl-multiple-choice answers-name='x' none-of-the-above='true'>"
        "<pl-answer correct='false'>$x<2$</pl-answer><pl-answer correct='true' feedback='Yes'>"
        "<b>2</b></pl-answer></pl-multiple-choice>",
        several="<markdown>\nCompute **both**:\n</markdown>"
        " $3+4$ is <pl-number-input answers-name='x' correct-answer='7' rtol='0.1' />,"
        " <pl-symbolic-input answers-name='y' correct-answer='x + 1' /> <pl-dropdown answers-name='d'>"
        "<pl-answer correct='true'>up</pl-answer><pl-answer>down</pl-answer></pl-dropdown>",
        match="Match<pl-matching answers-name='m'><pl-statement match='u'>Utah</pl-statement>"
        "<pl-option name='u'>USA</pl-option>"
        "<pl-option name='j'>Japan</pl-option></pl-matching>",
        order="Order<pl-order-blocks answers-name='o' grading-method='ranking'><pl-answer ranking='2'>B</pl-answer>"
        "<pl-answer ranking='1'>A</pl-answer></pl-order-blocks>",
        check="All?<pl-checkbox answers-name='k'><pl-answer correct='true'>1</pl-answer>"
        "<pl-answer correct='true'>2</pl-answer>"
        "<pl-answer>3</pl-answer></pl-checkbox>",
        coded="What is it?<pl-number-input answers-name='v'/>",
    )
    files["questions/coded/server.py"] = 'def generate(data):\n    data["correct_answers"]["v"] = 4.5\n'
    path = named(tmp_path, "course.zip", _zip(files))
    assert sniff(path).name == "prairielearn"
    drawn, one, several, match, order, check, coded = questions(path)
    assert (drawn.id, drawn.kind, drawn.text) == (
        "drawn",
        "opaque",
        "If $a = {@a@}$, what is $2a$?\n\n$2a=$ ____",
    )
    assert (drawn.solution, drawn.concepts, drawn.content.tags) == ("Twice {@a@}", (("Algebra",),), ("easy",))
    assert draws_numbers(drawn.text)
    assert (one.answer, [option.text for option in one.options]) == (
        "B",
        ["$x<2$", "**2**", "None of the above"],
    )
    assert one.options[1].feedback == "Yes"
    assert several.text == "Compute **both**:\n\n$3+4$ is [[1]] , [[2]] [[3]]"
    assert several.content.blanks[0].accepted == (
        AcceptedAnswer("7", tolerance=0.1, tolerance_kind="relative"),
    )
    assert several.answer == "7; x + 1; up"
    assert match.content.pairs == (MatchingPair("Utah", "USA"), MatchingPair("", "Japan"))
    assert [option.text for option in order.options] == ["A", "B"]
    assert (check.answer, coded.answer) == ("A, B", "4.5")
    write([drawn, coded], tmp_path / "out.zip", "prairielearn")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == {
            name: text for name, text in files.items() if "/drawn/" in name or "/coded/" in name
        }


RMD = """Question
========
What is the seat of
the government of *Switzerland*? {ask}

![](map.png)

Answerlist
----------
* Basel
* Bern{option}

Solution
========
It is Bern.

Answerlist
----------
* False.
* True. Bern it is.

Meta-information
================
exname: seat
extype: schoice
exsolution: 01
exsection: Geography/Europe
"""
CLOZE_RMD = """Question
========
Fill in.

Answerlist
----------
* What is $1+1$?
* Name it.
* yes
* no

Meta-information
================
extype: cloze
exclozetype: num|string|schoice
exsolution: 2|lm|10
extol: 0.1|0|0
"""
RNW = r"""<<echo=FALSE, results=hide>>=
p <- c(2, 3)
@
\begin{question}
How far is $p = (2, 3)$ from $q$, 5\% off? % quietly
\end{question}
\begin{solution}
It is $3.6$.
\end{solution}
%% \extype{mchoice}
\extype{num}
\exsolution{3.606}
\exname{distance}
\extol{0.01}
"""


def test_exercises_of_rexams_are_read(tmp_path):
    drawn = "```{r}\na <- sample(9, 1)\n```\n" + RMD.format(ask="`r a`", option=" `r b`")
    files = {
        "a.Rmd": RMD.format(ask="", option=""),
        "b.Rmd": drawn,
        "c.Rmd": CLOZE_RMD,
        "d.Rnw": RNW,
        "map.png": png(),
    }
    path, pictures = named(tmp_path, "exercises.zip", _zip(files)), Pictures()
    assert sniff(path).name == "rexams"
    fixed, drawn, cloze, number = questions(path, pictures)
    assert fixed.text == "What is the seat of the government of *Switzerland*?\n\n![](map.png)"
    assert (fixed.id, fixed.answer, fixed.solution) == ("seat", "B", "It is Bern.")
    assert fixed.concepts == (("Geography", "Europe"),)
    assert [option.feedback for option in fixed.options] == ["", "Bern it is."]
    assert pictures.has(fixed.content.pictures[0].sha256)
    assert (drawn.kind, [option.text for option in drawn.options]) == ("opaque", ["Basel", "Bern {@b@}"])
    assert draws_numbers(drawn.text)
    assert (cloze.kind, cloze.answer) == ("blanks", "2; lm; yes")
    assert cloze.text == "Fill in.\n\n1. What is $1+1$? [[1]]\n2. Name it. [[2]]\n3. [[3]]"
    assert (number.kind, number.content.accepted) == ("number", (AcceptedAnswer("3.606", tolerance=0.01),))
    assert number.text == "How far is $p = (2, 3)$ from $q$, 5% off?"


def test_parts_of_an_h5p_package_are_read_however_they_are_nested(tmp_path):
    def part(library, **params):
        return {"library": f"{library} 1.0", "params": params, "metadata": {"title": "Untitled"}}

    media = {"type": part("H5P.Image", file={"path": "images/a.png", "mime": "image/png"}, alt="Graph")}
    several = [
        part("H5P.TrueFalse", question="<p>Is 3 even?</p>", correct="false"),
        part("H5P.Blanks", text="<p>Fill</p>", questions=["<p>It is *Oslo/oslo:With O*, 2**3 = *6*</p>"]),
        part(
            "H5P.DragText",
            taskDescription="Drag",
            textField="A *cat:tip\\+Yes* and a *dog*",
            distractors="*cow*",
        ),
        part(
            "H5P.SingleChoiceSet",
            choices=[{"question": "Q1", "answers": ["r", "w"]}, {"question": "Q2", "answers": ["s", "v"]}],
        ),
        part(
            "H5P.DragQuestion",
            question={"settings": {"questionTitle": "Put"}, "task": [part("H5P.AdvancedText", text="apple")]},
        ),
        part("H5P.Essay", taskDescription="Explain", solution={"sample": "So."}),
    ]
    choice = part("H5P.MultiChoice", media=media, question="<p>What is \\(2+2\\)?</p>", answers=[
        {"text": "<div>4</div>", "correct": True, "tipsAndFeedback": {"chosenFeedback": "Yes"}},
        {"text": "5", "correct": False},
    ])  # fmt: skip
    content = {"content": [{"content": choice}, {"content": part("H5P.QuestionSet", questions=several)}]}
    manifest = {"title": "Quiz", "language": "und", "mainLibrary": "H5P.Column"}
    package = {
        "h5p.json": json.dumps(manifest),
        "content/content.json": json.dumps(content),
        "content/images/a.png": png(),
    }
    path, pictures = named(tmp_path, "quiz.zip", _zip(package)), Pictures()
    assert sniff(path).name == "h5p"
    found = questions(path, pictures)
    assert [(one.kind, one.text, one.answer) for one in found] == [
        ("choice", "![Graph](a.png)\n\nWhat is $2+2$?", "A"),
        ("true_false", "Is 3 even?", "False"),
        ("blanks", "Fill\n\nIt is [[1]], 2*3 = [[2]]", "Oslo; 6"),
        ("blanks", "Drag\n\nA [[1]] and a [[2]]", "cat; dog"),
        ("choice", "Q1", "A"),
        ("choice", "Q2", "A"),
        ("opaque", "Put\n\napple", ""),
        ("open", "Explain", ""),
    ]
    assert [option.text for option in found[3].content.blanks[0].options] == ["cat", "dog", "cow"]
    assert pictures.has(found[0].content.pictures[0].sha256)


def test_aiken_is_read(tmp_path):
    text = (
        "What is\n$2+2$?\nA. 3\nB) 4\nANSWER: B\n\nNo answer?\nA. 1\nB. 2\n\n"
        "Wrong?\nA. 1\nB. 2\nANSWER: D\nLast?\nA. x\nB. y\nANSWER: A\n"
    )
    path = named(tmp_path, "bank.txt", text)
    assert sniff(path).name == "aiken"
    assert [(one.text, one.answer) for one in questions(path)] == [("What is\n$2+2$?", "B"), ("Last?", "A")]
    assert [(entry.line, entry.reason) for _line, entry in read(path) if isinstance(entry, LineProblem)] == [
        (7, "the question has no line ANSWER: with the letter of an option"),
        (11, "the answer D is not the letter of an option"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "One?\nA. 1\nB. 2\nanswer: b\n",
        "No answer?\nA. 1\nB. 2\n\nTwo?\nA. 1\nB. 2\nANSWER: A\n",
    ],
)
def test_aiken_is_recognised_by_any_question_and_in_any_case(tmp_path, text):
    assert sniff(named(tmp_path, "quiz.txt", text)).name == "aiken"


def test_a_cloze_text_is_one_question(tmp_path):
    path = named(tmp_path, "cloze.txt", "The <b>sum</b> is {1:NUMERICAL:=4:0.1}.\n\nIt is {2:MC:=even~odd}.")
    assert sniff(path).name == "cloze"
    (question,) = questions(path)
    assert (question.text, question.answer) == ("The **sum** is [[1]].\n\nIt is [[2]].", "4; even")


PG = "DOCUMENT();\n"
EXAM = "\\documentclass{exam}\\begin{document}\\begin{questions}"


@pytest.mark.parametrize(
    "content",
    [
        PG + "BEGIN_TEXT\n" + "\\{" * 20_000,
        PG + "BEGIN_PGML\n" + "[@ " * 20_000 + "[`" * 20_000 + "[__]{" * 20_000,
        EXAM + "\\question " + "{" * 10**5 + "\\textbf{" * 10**4,
        EXAM + "\\question " + "\\begin{parts}\\part " * 10**4,
        "\\def\\a{\\a\\a}\\newcommand{\\b}{\\b\\b}" + EXAM + "\\question \\b" + "\\a" * 5_000,
        EXAM + "\\question x" + "\\begin{verbatim}" * 10**4,
        "\\usepackage{automultiplechoice}" + "\\element{a}{" * 10**4 + "\\begin{question}{x}",
        "<pl-question-panel>" * 20_000 + "{{{" * 10_000,
        "Question\n========\n" + "![a](" * 10_000 + "`r " * 10_000,
    ],
)
def test_a_deep_file_takes_time_linear_in_its_size(tmp_path, content):
    entries = [entry for _line, entry in read(named(tmp_path, "file.txt", content))]
    assert len(entries) < 10


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("bank.csv", 'text,answer\n"\\begin{questions}\\question DOCUMENT();",1\n', "csv"),
        ("bank.jsonl", '{"text": "\\\\begin{questions} {1:SA:=4}"}\n', "jsonl"),
        ("bank.xml", EXAM + "\\question x", "exam"),
        ("bank.csv", PG + "BEGIN_TEXT\nx\nEND_TEXT\n", "webwork"),
        ("bank", RMD, "rexams"),
        ("bank.tex", RNW, "rexams"),
        ("bank.xml", "<p>x</p><pl-number-input/>", "prairielearn"),
    ],
)
def test_a_file_is_taken_for_what_it_holds(tmp_path, name, content, format):
    assert sniff(named(tmp_path, name, content)).name == format
