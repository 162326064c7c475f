"""A Moodle XML file as Moodle writes it, made here: every core type, pictures, categories, tags, and a foreign type."""

from __future__ import annotations

from base64 import b64encode

from tests.pictures import png

GRAPH, LINE = png(40, 3, 2), png(80, 4, 2)


def _file(name: str, data: bytes) -> str:
    return f'<file name="{name}" path="/" encoding="base64">{b64encode(data).decode()}</file>'


_FEEDBACK = """
    <correctfeedback format="html"><text>Your answer is correct.</text></correctfeedback>
    <partiallycorrectfeedback format="html"><text></text></partiallycorrectfeedback>
    <incorrectfeedback format="html"><text>Try again.</text></incorrectfeedback>"""


def _category(path: str, info: str = "") -> str:
    return f"""
<!-- question: 0  -->
  <question type="category">
    <category><text>{path}</text></category>
    <info format="html"><text>{info}</text></info>
    <idnumber>cat-1</idnumber>
  </question>
"""


SAMPLE = f"""<?xml version="1.0" encoding="UTF-8"?>
<quiz>{_category("$course$/top/Algebra/Linear", "About &lt;b&gt;lines&lt;/b&gt;")}
<!-- question: 11  -->
  <question type="multichoice">
    <name><text>A graph</text></name>
    <questiontext format="html">
      <text><![CDATA[<p dir="ltr">Which <em>graph</em> is&nbsp;\\(y = x &lt; 3\\)?</p><p><img src="@@PLUGINFILE@@/my%20graph.png" alt="a line" width="30" style="color:red"></p>]]></text>
{_file("my graph.png", GRAPH)}    </questiontext>
    <generalfeedback format="html"><text><![CDATA[<p>See <b>page</b> 3.</p>]]></text></generalfeedback>
    <defaultgrade>2.0000000</defaultgrade>
    <penalty>0.3333333</penalty>
    <hidden>0</hidden>
    <idnumber>alg-001</idnumber>
    <single>true</single>
    <shuffleanswers>true</shuffleanswers>
    <answernumbering>ABCD</answernumbering>
    <showstandardinstruction>0</showstandardinstruction>{_FEEDBACK}
    <answer fraction="100" format="html"><text><![CDATA[<p>the first</p>]]></text><feedback format="html"><text>Yes</text></feedback></answer>
    <answer fraction="0" format="html"><text><![CDATA[<p><img src="@@PLUGINFILE@@/l.png" alt=""></p>]]></text>{_file("l.png", LINE)}<feedback format="html"><text></text></feedback></answer>
    <hint format="html"><text>Think.</text><shownumcorrect/></hint>
    <tags><tag><text>easy</text></tag><tag><text>graphs, lines</text></tag></tags>
  </question>

<!-- question: 12  -->
  <question type="multichoice">
    <name><text>Several</text></name>
    <questiontext format="moodle_auto_format"><text>Which are even?
Two lines.</text></questiontext>
    <generalfeedback format="html"><text></text></generalfeedback>
    <defaultgrade>1</defaultgrade><penalty>0.1</penalty><hidden>1</hidden><idnumber></idnumber>
    <single>false</single><shuffleanswers>0</shuffleanswers><answernumbering>abc</answernumbering>
    <answer fraction="33.33333"><text>2</text><feedback><text></text></feedback></answer>
    <answer fraction="33.33333"><text>4</text><feedback><text></text></feedback></answer>
    <answer fraction="33.33333"><text>6</text><feedback><text></text></feedback></answer>
    <answer fraction="-100"><text>7</text><feedback><text>Odd</text></feedback></answer>
  </question>
{_category("$course$/top/Algebra")}
  <question type="truefalse">
    <name><text>True</text></name>
    <questiontext format="markdown"><text>Is *2* even?</text></questiontext>
    <generalfeedback format="html"><text></text></generalfeedback>
    <answer fraction="100" format="moodle_auto_format"><text>true</text><feedback format="html"><text>Right.</text></feedback></answer>
    <answer fraction="0" format="moodle_auto_format"><text>false</text><feedback format="html"><text>No.</text></feedback></answer>
  </question>
  <question type="numerical">
    <name><text>Pi</text></name>
    <questiontext format="html"><text><![CDATA[<p>What is \\(\\pi\\)?</p>]]></text></questiontext>
    <answer fraction="100" format="moodle_auto_format"><text>3.14</text><feedback format="html"><text></text></feedback><tolerance>0.01</tolerance></answer>
    <answer fraction="50"><text>3</text><feedback format="html"><text>Rough</text></feedback><tolerance>0</tolerance></answer>
    <units><unit><multiplier>1</multiplier><unit_name>cm</unit_name></unit></units>
    <unitgradingtype>0</unitgradingtype>
  </question>
  <question type="shortanswer">
    <name><text>Capital</text></name>
    <questiontext format="plain_text"><text>2 &lt; 3 &amp; so on: what?</text></questiontext>
    <usecase>1</usecase>
    <answer fraction="100"><text>x = 2</text><feedback><text></text></feedback></answer>
    <answer fraction="100"><text>x=2</text><feedback><text></text></feedback></answer>
  </question>
  <question type="matching">
    <name><text>Match</text></name>
    <questiontext format="html"><text>Match.</text></questiontext>
    <shuffleanswers>true</shuffleanswers>
    <subquestion format="html"><text><![CDATA[<p>\\(1+1\\)</p>]]></text><answer><text>2</text></answer></subquestion>
    <subquestion format="html"><text>1</text><answer><text>one</text></answer></subquestion>
    <subquestion format="html"><text></text><answer><text>three</text></answer></subquestion>
  </question>
  <question type="essay">
    <name><text>Why</text></name>
    <questiontext format="html"><text><![CDATA[<p>Prove it.</p><ul><li>one</li><li>two</li></ul>]]></text></questiontext>
    <responseformat>editorfilepicker</responseformat><responsefieldlines>20</responsefieldlines>
    <graderinfo format="html"><text>By induction.</text></graderinfo>
  </question>
  <question type="description">
    <name><text>About</text></name>
    <questiontext format="html"><text><![CDATA[<table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table>]]></text></questiontext>
  </question>
  <question type="cloze">
    <name><text>Gaps</text></name>
    <questiontext format="html"><text><![CDATA[<p>2 + 2 = {{1:NUMERICAL:=4:0.1~%50%5#Nearly}} and {{2:SHORTANSWER:=four~=vier#Ja}} is {{:MULTICHOICE:odd#No~=even}}.</p>]]></text></questiontext>
    <generalfeedback format="html"><text></text></generalfeedback>
  </question>
{_category("$course$/top/Algebra/Linear/STACK")}
  <question type="stack">
    <name><text>Random line</text></name>
    <questiontext format="html"><text><![CDATA[<p>Solve {{@p@}} = 0. [[input:ans1]] [[validation:ans1]]</p>]]></text></questiontext>
    <questionvariables><text>p: rand(5)*x + 1;</text></questionvariables>
    <input><name>ans1</name><type>algebraic</type></input>
  </question>
  <question type="stack">
    <name><text>Random line</text></name>
    <questiontext format="html"><text><![CDATA[<p>Solve {{@p@}} = 0. [[input:ans1]] [[validation:ans1]]</p>]]></text></questiontext>
    <questionvariables><text>p: rand(7)*x + 1;</text></questionvariables>
    <input><name>ans1</name><type>algebraic</type></input>
  </question>
</quiz>
"""  # noqa: E501 - as Moodle writes it
