# ruff: noqa: E501 - items as other systems write them
"""Templates of other systems: their variables are marked alike, and how they compute the answer is kept."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from analytics.records import QuestionRecord
from questionbank.formats import write
from questionbank.formats.computed_answers import SETTING
from questionbank.formats.originals import fields_digest
from tests.questionbank.formats.test_moodle_xml import Pictures, questions

PG = r"""DOCUMENT();
loadMacros("PGstandard.pl");
$a = random(2,9,1);
$ans = 2*$a;
BEGIN_TEXT
Double \( $a \). \{ ans_rule(30) \}
END_TEXT
ANS(num_cmp($ans, tol => 0.1));
ENDDOCUMENT();
"""
PGML = r"""DOCUMENT();
loadMacros("PGML.pl");
$a = random(2,9,1);
$f = Formula("$a x");
BEGIN_PGML
Differentiate [`[$f]`]. [____]{$f->D('x')}
END_PGML
ENDDOCUMENT();
"""
RMD = """```{r}
a <- sample(2:9, 1)
sol <- a^2
```

Question
========
Square `r a`.

Meta-information
================
extype: num
exsolution: `r sol`
"""
RNW = r"""<<>>=
a <- sample(2:9, 1)
@
\begin{question}
Square \Sexpr{a}.
\end{question}
\extype{num}
\exsolution{\Sexpr{a * a}}
"""
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
        ("a.pg", PG, "Double ${@a@}$.", "$ans = 2*$a"),
        ("b.pg", PGML, "Differentiate ${@f@}$.", "$f->D('x')"),
        ("a.Rmd", RMD, "Square {@a@}.", "sol = a^2"),
        ("a.Rnw", RNW, "Square {@a@}.", "a * a"),
        ("stack.xml", STACK, "Solve ${@p@}=0$. [[input:ans1]]", "ta = solve(p, x)"),
        ("calculated.xml", CALCULATED, r"What is $\frac{{@a@}}{2}$ of {@={a}*3@} in {cm}?", "{a}*3/2"),
        ("formulas.xml", FORMULAS, "Double {@a@}.", "b = 2*a"),
        ("qti.xml", QTI, "Double {@A@}:", "S = product(A, 2)"),
    ],
)  # fmt: skip
def test_a_template_names_its_variables_and_how_it_computes_the_answer(
    tmp_path, name, content, text, computed
):
    record = _read(tmp_path, name, content)
    assert record.kind == "opaque"
    assert record.text.startswith(text)
    assert (record.answer, record.content.settings[SETTING]) == ("", computed)


def test_prairielearn_says_what_the_server_computes(tmp_path):
    path = tmp_path / "course.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("q/info.json", json.dumps({"uuid": "1", "title": "Sum", "topic": "Sums"}))
        html = '<pl-question-panel>{{params.a}} + 2?</pl-question-panel><pl-number-input answers-name="c"></pl-number-input>'
        archive.writestr("q/question.html", html)
        server = "def generate(data):\n    total = a + 2\n    data['correct_answers']['c'] = total\n"
        archive.writestr("q/server.py", server)
    (record,) = questions(path)
    assert (record.answer, record.content.settings[SETTING]) == ("", "c = a + 2")


def test_a_template_that_is_edited_gets_its_variables_back(tmp_path):
    record = _read(tmp_path, "calculated.xml", CALCULATED)
    original = record.original
    assert original is not None
    kept = original.__class__(original.format, original.data, original.preamble, fields_digest(record))
    edited = record.__class__(**{**_fields(record), "text": record.text + " Round it.", "original": kept})
    out = tmp_path / "out.xml"
    write([edited], out, "moodle-xml", Pictures())
    assert "of {={a}*3} in {cm}? Round it." in out.read_text()


def _fields(record: QuestionRecord) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def _read(folder: Path, name: str, content: str) -> QuestionRecord:
    path = folder / name
    path.write_text(content)
    (record,) = questions(path)
    return record
