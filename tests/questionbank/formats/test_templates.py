# ruff: noqa: E501 - items as other systems write them
"""Templates of other systems: their variables are marked alike, and how they compute the answer is kept."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from analytics.records import QuestionRecord
from analytics.text.wholeness import draws_numbers
from questionbank.formats import write
from questionbank.formats.kinds import COMPUTED
from questionbank.formats.moodle.xml import moodle_losses
from tests.questionbank.formats.files import named
from tests.questionbank.formats.test_moodle_xml import Pictures, questions

STACK = r"""<quiz><question type="stack"><name><text>s</text></name>
<questiontext format="html"><text><![CDATA[<p>Solve \({@p@}=0\). [[input:ans1]] [[validation:ans1]]</p>]]></text></questiontext>
<questionvariables><text>p: x-a; ta: solve(p, x);</text></questionvariables>
<input><name>ans1</name><type>algebraic</type><tans>ta</tans></input></question></quiz>"""
CALCULATED = r"""<quiz><question type="calculatedsimple"><name><text>c</text></name>
<questiontext format="html"><text><![CDATA[<p>What is \(\frac{{a}}{2}\) of {={a}*3} in {cm}?</p>]]></text></questiontext>
<answer fraction="100"><text>{a}*3/2</text><tolerance>0.1</tolerance></answer>
<dataset_definitions><dataset_definition><name><text>a</text></name></dataset_definition></dataset_definitions>
</question></quiz>"""
FORMULAS = r"""<quiz><question type="formulas"><name><text>f</text></name>
<questiontext format="html"><text>Double {a}.</text></questiontext>
<varsrandom><text>a = {2:9};</text></varsrandom><varsglobal><text>b = 2*a;</text></varsglobal>
<answers><answer><text>b</text></answer></answers></question></quiz>"""
QTI = """<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="t" title="t" adaptive="false"
timeDependent="false"><responseDeclaration identifier="RESPONSE" cardinality="single" baseType="integer"/>
<templateDeclaration identifier="A" cardinality="single" baseType="integer"/>
<templateDeclaration identifier="S" cardinality="single" baseType="integer"/>
<templateProcessing><setTemplateValue identifier="A"><randomInteger min="1" max="9"/></setTemplateValue>
<setTemplateValue identifier="S"><product><variable identifier="A"/><baseValue baseType="integer">2</baseValue></product>
</setTemplateValue><setCorrectResponse identifier="RESPONSE"><variable identifier="S"/></setCorrectResponse>
</templateProcessing><itemBody><p>Double <printedVariable identifier="A"/>: <textEntryInteraction
responseIdentifier="RESPONSE"/></p></itemBody></assessmentItem>"""


@pytest.mark.parametrize(
    ("name", "content", "text", "computed"),
    [
        ("stack.xml", STACK, "Solve ${@p@}=0$. [[input:ans1]]", "ta = solve(p, x)"),
        ("calculated.xml", CALCULATED, r"What is $\frac{{@a@}}{2}$ of {@={a}*3@} in {cm}?", "{a}*3/2"),
        ("formulas.xml", FORMULAS, "Double {@a@}.", "b = 2*a"),
        ("qti.xml", QTI, "Double {@A@}:", "S = product(A, 2)"),
    ],
)  # fmt: skip
def test_a_template_names_its_variables_and_how_it_computes_the_answer(tmp_path, name, content, text, computed):
    record = _read(tmp_path, name, content)
    assert record.kind == "opaque"
    assert record.text.startswith(text)
    assert (record.answer, record.content.settings[COMPUTED]) == ("", computed)


def test_a_template_that_is_edited_gets_its_variables_back(tmp_path):
    record = _read(tmp_path, "calculated.xml", CALCULATED)
    edited = replace(record, text=record.text + " Round it.")
    out = tmp_path / "out.xml"
    write([edited], out, "moodle-xml", Pictures())
    assert "of {={a}*3} in {cm}? Round it." in out.read_text()


_ROOTS = '[[1,false],[2,true,"two"],[3,false]]'
_EVEN = '[[2,true],["x < 4",true],[3,false,"three; really"]]'
_TWO = "L: [[input:a]] [[validation:a]] S: [[input:b]]"


@pytest.mark.parametrize(
    ("code", "inputs", "asked", "kind", "text", "answer", "options"),
    [
        ("t1:5;\nt2:-1;", {"a": ("numerical", "t1"), "b": ("numerical", "t2")}, _TWO, "blanks", "L: [[1]] S: [[2]]", "5; -1", []),
        ("/* ta:4; */ ta: -3/4;", {"a": ("algebraic", "ta")}, "Is [[input:a]]", "short", "Is ____", "-3/4", []),
        ("", {"a": ("numerical", "2.5")}, "Is [[input:a]]", "number", "Is ____", "2.5", []),
        ('ta:"a;b"$', {"a": ("string", "ta")}, "Is [[input:a]]", "short", "Is ____", "a;b", []),
        (f"ta:{_ROOTS};", {"a": ("radio", "ta")}, "How many? [[input:a]]", "choice", "How many?", "B", ["1", "two", "3"]),
        (f"ta:{_EVEN};", {"a": ("checkbox", "ta")}, "Which? [[input:a]]", "choice", "Which?", "A, B", ["2", "x < 4", "three; really"]),
    ],
)  # fmt: skip
def test_a_stack_question_that_draws_nothing_is_no_template(tmp_path, code, inputs, asked, kind, text, answer, options):
    record = _read(tmp_path, "fixed.xml", _stack(code, inputs, asked))
    assert (record.kind, record.text, record.answer) == (kind, text, answer)
    assert [option.text for option in record.options] == options
    assert COMPUTED not in record.content.settings
    assert not draws_numbers(record.text)
    for edited, is_kept in (
        (record, True),
        (replace(record, solution="So."), True),
        (replace(record, text=f"{text} Now?"), False),
    ):
        out = tmp_path / "out.xml"
        write([edited], out, "moodle-xml", Pictures())
        assert ("<questionvariables>" in out.read_text()) == is_kept
        assert bool(moodle_losses(edited, Pictures())) != is_kept


@pytest.mark.parametrize(
    ("code", "inputs", "asked"),
    [
        ("ta:5; n:rand(3);", {"a": ("numerical", "ta")}, "Is [[input:a]]"),
        ("ta:5;", {"a": ("numerical", "ta")}, "Is {@ta@} [[input:a]]"),
        ("ta:5; if x then ta:6;", {"a": ("numerical", "ta")}, "Is [[input:a]]"),
        ("ta:diff(x,x);", {"a": ("algebraic", "ta")}, "Is [[input:a]]"),
        ("n:2; ta:[[n,true],[3,false]];", {"a": ("radio", "ta")}, "Is [[input:a]]"),
        ("ta:5;", {"a": ("numerical", "ta"), "b": ("matrix", "m")}, "Is [[input:a]] [[input:b]]"),
        ("ta:[[1,false],[2,false]];", {"a": ("radio", "ta")}, "Is [[input:a]]"),
    ],
)  # fmt: skip
def test_a_stack_question_whose_answer_is_computed_is_kept(tmp_path, code, inputs, asked):
    record = _read(tmp_path, "kept.xml", _stack(code, inputs, asked))
    assert (record.kind, record.answer, bool(record.content.settings[COMPUTED])) == ("opaque", "", True)


def test_a_stack_question_that_the_bank_has_as_another_type_still_goes_back_edited(tmp_path):
    record = _read(tmp_path, "a.xml", _stack("", {"a": ("numerical", "2")}, "Is [[input:a]]"))
    content = replace(record.content, original="0" * 64)
    earlier = replace(record, kind="opaque", answer="", text="Was [[input:a]]", solution="New.", content=content)
    out = tmp_path / "out.xml"
    write([earlier], out, "moodle-xml", Pictures())
    assert all(part in out.read_text() for part in ("<tans>2</tans>", "Was [[input:a]]", "New."))


def _stack(code: str, inputs: dict[str, tuple[str, str]], asked: str) -> str:
    given = "".join(
        f"<input><name>{name}</name><type>{type}</type><tans>{escape(value)}</tans></input>"
        for name, (type, value) in inputs.items()
    )
    return (
        f"<quiz><question type='stack'><name><text>s</text></name><questiontext format='html'><text>{asked}</text>"
        f"</questiontext><questionvariables><text>{escape(code)}</text></questionvariables>{given}</question></quiz>"
    )


def _read(folder: Path, name: str, content: str) -> QuestionRecord:
    (record,) = questions(named(folder, name, content))
    return record
