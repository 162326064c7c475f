"""GIFT: read as teachers write it, kept, written back."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest

from analytics.question_content import AcceptedAnswer, Blank, MatchingPair, Option, QuestionContent, Stimulus
from analytics.records import QuestionRecord
from questionbank.core.errors import LineProblem
from questionbank.formats import read, write
from questionbank.formats.catalog import WRITTEN, sniff
from questionbank.formats.moodle.gift import gift_losses, write_gift
from tests.questionbank.formats.files import saved
from tests.questionbank.formats.test_moodle_xml import Pictures, questions

SAMPLE = r"""// A bank of ours
$CATEGORY: $course$/top/Algebra/Sums

// question: 7  name: Sum
// [id:s-1] [tag:easy] [tag:two words]
::A sum::[html]<p>What is \(\frac\{1\}\{2\}\) of 4\: really?</p>{
	=[html]<p>2</p>#Right
	~3#No, that is <b>3</b>
	~%50%1
####<p>Because.</p>
}

Which are even? {~%50%2 ~%50%4 ~%-100%7#Odd}

$CATEGORY: top/Algebra

::TF::Two is even.{T#Think again#Yes}

Is 3 even?{FALSE}

When was it?{#1822:5}

Between?{#1..5}

Several numbers {#
 =3.14:0.01#good
 =%50%3:0.5
}

Two plus {=two =2 =%50%about two} is four.

Match.{
 =one -> 1
 =two -> 2
}

Just text \{in braces\} \= this.

Explain.{}
"""


@pytest.fixture
def sample(tmp_path):
    path = saved(tmp_path, SAMPLE, "bank.gift")
    return questions(path)


def test_every_kind_is_read(sample):
    total, even, true, false, year, between, several, blank, match, text, why = sample
    assert (total.id, total.content.title, total.content.tags) == ("s-1", "A sum", ("easy", "two words"))
    assert total.text == r"What is $\frac{1}{2}$ of 4: really?"
    assert total.options == (
        Option("A", "2", "", 1.0, "Right"),
        Option("B", "3", "", 0.0, "No, that is **3**"),
        Option("C", "1", "", 0.5),
    )
    assert (total.answer, total.solution) == ("A", "Because.")
    assert (even.answer, [option.weight for option in even.options]) == ("A, B", [0.5, 0.5, -1.0])
    assert true.content.accepted == (AcceptedAnswer("True", 1.0, "Yes"), AcceptedAnswer("False", 0.0, "Think again"))
    assert (false.kind, false.answer) == ("true_false", "False")
    assert year.content.accepted == (AcceptedAnswer("1822", tolerance=5.0),)
    assert between.content.accepted == (AcceptedAnswer("3", tolerance=2.0),)
    assert several.content.accepted[1] == AcceptedAnswer("3", 0.5, tolerance=0.5)
    assert (blank.text, blank.answer) == ("Two plus ____ is four.", "two; 2")
    assert match.content.pairs == (MatchingPair("one", "1"), MatchingPair("two", "2"))
    assert (text.kind, text.text) == ("description", "Just text {in braces} = this.")
    assert (why.kind, why.text) == ("open", "Explain.")
    assert [record.concepts for record in (total, true)] == [(("Algebra", "Sums"),), (("Algebra",),)]


def test_a_file_goes_back_as_it_came(sample):
    assert b"".join(write_gift(sample, Pictures())).decode() == SAMPLE


def test_files_that_begin_without_an_empty_line_stay_apart_when_they_leave_together(tmp_path):
    files = [
        "::a:: One plus one is {=2 ~3}\n",
        "// a comment\n::b:: Two plus two is {=4 ~5}\n",
        "$CATEGORY: $course$/Sums\n\n::c:: Three plus three is {=6 ~7}\n",
        "$CATEGORY: $course$/Sums\n::d:: Four plus four is {=8 ~9}\n",
    ]
    bank = [question for text in files for question in questions(saved(tmp_path, text, "one.gift"))]
    written = b"".join(write_gift(bank, Pictures())).decode()
    again = questions(saved(tmp_path, written, "all.gift"))
    assert [replace(record, original=None) for record in again] == [replace(record, original=None) for record in bank]
    for before, line in itertools.pairwise(written.split("\n")):
        begins = line.startswith(("::", "//", "$CATEGORY:")) and not before.startswith("//")
        assert not (begins and before), f"no empty line before {line!r}"


def test_a_changed_question_is_written_anew_and_the_others_stay(sample, tmp_path):
    sample[0] = replace(sample[0], solution="Since.")
    path = tmp_path / "out.gift"
    write(sample, path, "gift")
    again = questions(path)
    bare = [replace(record, original=None) for record in again]
    assert bare == [replace(record, original=None) for record in sample]
    assert SAMPLE[SAMPLE.index("$CATEGORY: top") :] in path.read_text()


@pytest.mark.parametrize("name", ["a.gift", "a.gift.txt", "a.txt"])
def test_the_format_is_recognised(tmp_path, name):
    path = tmp_path / name
    path.write_bytes("::Q::Größe: Müssen Würfel für ähnliche Körper größer sein? {=ja ~nein}\n".encode("windows-1252"))
    assert sniff(path).name == "gift"
    assert questions(path)[0].text.startswith("Größe: Müssen")


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("What? {=4", "never closed"),
        ("What? {4}", "neither with = nor with ~"),
        ("What? {" + "~x" * 30 + "}", "has 30 items"),
    ],
)
def test_a_wrong_question_is_a_problem_of_its_line(tmp_path, item, reason):
    path = saved(tmp_path, f"Fine.{{}}\n\n{item}\n\nGood.{{}}\n", "a.gift")
    problems = [entry for _line, entry in read(path) if isinstance(entry, LineProblem)]
    assert [(problem.line, reason in problem.reason) for problem in problems] == [(3, True)]


def test_a_comment_on_any_other_number_is_no_right_answer(tmp_path):
    path = saved(tmp_path, "Compute g.{#\n =9.81:0.005#Good\n ~#Try again\n}\n", "catch.gift")
    [(_, question)] = [(line, entry) for line, entry in read(path) if isinstance(entry, QuestionRecord)]
    assert question.answer == "9.81"
    assert [(one.text, one.weight, one.feedback) for one in question.content.accepted] == [
        ("9.81", 1.0, "Good"), ("*", 0.0, "Try again"),
    ]  # fmt: skip
    again = tmp_path / "again.gift"
    again.write_bytes(b"".join(write_gift([replace(question, original=None)], Pictures())))
    [written] = [entry for _, entry in read(again) if isinstance(entry, QuestionRecord)]
    assert written.content.accepted == question.content.accepted


@pytest.mark.parametrize(
    ("braces", "kind", "answers"),
    [
        ("{#3:2~#outside}", "number", [("3", 1.0, "", 2.0), ("*", 0.0, "outside", None)]),
        ("{#1..5~#outside}", "number", [("3", 1.0, "", 2.0), ("*", 0.0, "outside", None)]),
        ("{#0.00002..0.00003}", "number", [("0.000025", 1.0, "", 5e-06)]),
        ("{two =2#In figures}", "short", [("two", 1.0, "", None), ("2", 1.0, "In figures", None)]),
    ],
)
def test_an_answer_before_the_first_sign_is_an_answer(tmp_path, braces, kind, answers):
    [question] = questions(saved(tmp_path, f"From 1 to 5? {braces}\n", "bare.gift"))
    assert question.kind == kind
    assert [(one.text, one.weight, one.feedback, one.tolerance) for one in question.content.accepted] == answers


def test_an_option_before_the_first_sign_is_a_wrong_option(tmp_path):
    [question] = questions(saved(tmp_path, "Half of 18? {8 =9 ~10}\n", "bare.gift"))
    assert ([option.text for option in question.options], question.answer) == (["8", "9", "10"], "B")


def test_another_encoding_is_said(tmp_path):
    path = saved(tmp_path, "::Größe::Wie groß? {=5}".encode("windows-1252"), "bank.gift")
    file = read(path)
    assert [entry.content.title for _line, entry in file] == ["Größe"]
    assert file.notes == ["Read as Windows-1252."]


@pytest.mark.parametrize("typed", ["5:inf", "5:nan", "5:about 1"])
def test_a_tolerance_that_is_no_number_stays_as_it_came(tmp_path, typed):
    path = saved(tmp_path, f"Five?{{#{typed}}}\n", "a.gift")
    (record,) = [entry for _line, entry in read(path) if isinstance(entry, QuestionRecord)]
    assert (record.kind, record.answer, record.content.accepted) == ("number", typed, ())


_TYPED = Blank("short", (AcceptedAnswer("four"), AcceptedAnswer("4", 0.5)))
_MEASURED = Blank("number", (AcceptedAnswer("4", tolerance=0.5),))
_CHOSEN = Blank("choice", (), (Option("A", "4", "", 1.0), Option("B", "5", "", 0.0, "Count again")))


@pytest.mark.parametrize(
    ("text", "blanks", "answer", "written", "lost"),
    [
        ("2 + 2 is [[1]], I say.", (_TYPED,), "four", "2 + 2 is {\n\t=four\n\t=%50%4\n}, I say.", []),
        ("2 + 2 is [[1]], I say.", (_CHOSEN,), "4", "2 + 2 is {\n\t=4\n\t~5#", []),
        ("2 + 2 is [[1]], I say.", (_MEASURED,), "4", "is {#\n\t=4\\:0.5", []),
        ("2 + 2 is ____, I say.", (), "four", "2 + 2 is {\n\t=four\n}, I say.", []),
        ("[[1]] and [[2]]", (_TYPED, _CHOSEN), "four; 4", "____ and ____{}", ["the gaps with their answers"]),
    ],
)  # fmt: skip
def test_a_gap_is_a_missing_word_and_several_are_a_loss_that_is_said(tmp_path, text, blanks, answer, written, lost):
    record = QuestionRecord("1", text, kind="blanks", answer=answer, content=QuestionContent(blanks=blanks))
    source = b"".join(write_gift([record], Pictures())).decode()
    assert written.replace("\\:", ":") in source.replace("[html]", "").replace("<p>", "").replace("</p>", "")
    assert [what.partition(":")[0] for what in gift_losses(record, Pictures())] == lost
    path = saved(tmp_path, source, "gap.gift")
    assert questions(path) == [record]
    as_others_see_it = tmp_path / "theirs.gift"
    as_others_see_it.write_text(re.sub(r"// kindred.*\n", "", source))
    assert "[[" not in questions(as_others_see_it)[0].text


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("A train leaves at 9.\n\nWhen is it there?", "the link between questions that share a text"),
        ("When is it there?", "the text shared with other questions"),
    ],
)
def test_of_a_shared_text_only_what_is_not_in_the_file_is_a_loss(text, lost):
    content = QuestionContent(stimulus=Stimulus("", "A train leaves at 9."))
    record = QuestionRecord("1", text, answer="10", kind="short", content=content)
    assert [what.partition(" (")[0] for what in gift_losses(record, Pictures())] == [lost]
    assert ("A train" in b"".join(write_gift([record], Pictures())).decode().split("::")[-1]) == ("link" in lost)


def test_a_weight_that_moodle_does_not_know_leaves_as_the_nearest_and_is_told_of(tmp_path):
    source = "::p:: Half of 18 is {\n~%-15%8\n~%-15%10\n=%100%9\n~%33.33333%36}\n"
    [record] = questions(saved(tmp_path, source, "penal.gift"))
    written = b"".join(WRITTEN["moodle-xml"].write([record], Pictures()))
    assert re.findall(rb'fraction="([^"]*)"', written) == [b"-14.28571", b"-14.28571", b"100", b"33.33333"]
    lost = WRITTEN["moodle-xml"].losses(record, Pictures())
    assert lost == ["weights that Moodle does not know: -14.28571 % for -15 %"]
