"""Moodle XML: read, kept, written back, patched; hostile files refused."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import fields, replace

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import strategies as st

from analytics.question_content import AcceptedAnswer, Blank, Feedback, MatchingPair, Option, QuestionContent
from analytics.records import PredictedLabels, QuestionRecord
from questionbank.core.errors import LineWarning
from questionbank.formats import read
from questionbank.formats.kinds import derived_answer
from questionbank.formats.moodle.xml import moodle_losses, write_moodle_xml
from questionbank.formats.pictures import read_picture
from questionbank.formats.seam import ConceptRow, fields_digest
from tests.cases import each_case
from tests.questionbank.formats.files import saved
from tests.questionbank.formats.moodle_sample import GRAPH, LINE, SAMPLE


class Pictures:
    """Keeps pictures in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        read_picture(data)
        digest = hashlib.sha256(data).hexdigest()
        self.kept[digest] = data
        return digest

    def get(self, sha256: str) -> bytes | None:
        return self.kept.get(sha256)

    def has(self, sha256: str) -> bool:
        return sha256 in self.kept


def questions(path, pictures=None) -> list[QuestionRecord]:
    """The questions of a file, as the bank keeps them."""
    found = [entry for _line, entry in read(path, attachments=pictures) if isinstance(entry, QuestionRecord)]
    return [
        replace(record, original=replace(record.original, fields=fields_digest(record))) if record.original else record
        for record in found
    ]


@pytest.fixture
def sample(tmp_path, pictures) -> list[QuestionRecord]:
    path = saved(tmp_path, SAMPLE)
    return questions(path, pictures)


def elements(xml: str | bytes) -> list[object]:
    """What an XML document says, whatever its white space and the order of attributes."""

    def plain(element):
        inner = [plain(child) for child in element]
        return (
            element.tag,
            sorted(element.attrib.items()),
            (element.text or "").strip(),
            (element.tail or "").strip(),
            inner,
        )

    return plain(fromstring(xml))


def exported(records, pictures) -> bytes:
    return b"".join(write_moodle_xml(records, pictures))


# -- reading ------------------------------------------------------------------------------------------------------


def test_every_core_type_is_taken_apart_and_others_are_kept(sample, pictures):
    graph, several, true, pi, capital, match, why, about, gaps, line, other_line = sample
    assert graph.text == "Which *graph* is $y = x < 3$?\n\n![a line](my graph.png)"
    assert (graph.id, graph.answer, graph.solution) == ("alg-001", "A", "See **page** 3.")
    assert graph.options == (Option("A", "the first", feedback="Yes"), Option("B", "![](l.png)"))
    assert [pictures.get(picture.sha256) for picture in graph.content.pictures] == [GRAPH, LINE]
    assert graph.content.hints == ("Think.",)
    assert graph.content.tags == ("easy", "graphs, lines")
    assert graph.content.feedback == Feedback(right="Your answer is correct.", wrong="Try again.")
    assert (graph.content.points, graph.content.settings) == (2.0, {"numbering": "ABCD"})
    assert several.text == "Which are even?\nTwo lines."
    assert (several.answer, [option.weight for option in several.options]) == ("A, B, C", [1 / 3, 1 / 3, 1 / 3, -1.0])
    assert (true.kind, true.answer) == ("true_false", "True")
    assert pi.content.accepted[0] == AcceptedAnswer("3.14", tolerance=0.01, unit="cm")
    assert (capital.text, capital.answer) == ("2 < 3 & so on: what?", "x = 2; x=2")
    assert match.content.pairs[0] == MatchingPair("$1+1$", "2")
    assert match.content.pairs[2] == MatchingPair("", "three")
    assert (why.kind, why.text) == ("open", "Prove it.\n\n- one\n- two")
    assert (about.kind, about.text) == ("description", "| x | y |\n| 1 | 2 |")
    assert (gaps.text, gaps.answer) == ("2 + 2 = [[1]] and [[2]] is [[3]].", "4; four; even")
    assert (line.kind, line.text[:18]) == ("opaque", "Solve {@p@} = 0. [")
    assert line.content.original != other_line.content.original  # other numbers are drawn: another question
    assert [record.concepts for record in sample[:3]] == [(("Algebra", "Linear"),)] * 2 + [(("Algebra",),)]


def test_categories_are_concepts_whatever_their_order(tmp_path, sample):
    entries = [entry for _line, entry in read(tmp_path / "bank.xml") if isinstance(entry, ConceptRow)]
    assert [entry.path for entry in entries] == [("Algebra", "Linear"), ("Algebra",), ("Algebra", "Linear", "STACK")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "iso-8859-1", "utf-16"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_the_encoding_is_the_files(tmp_path, encoding, is_packed):
    declared = encoding.removesuffix("-sig")
    head = f'\n<?xml version="1.0" encoding="{declared}"?>\n'
    xml = f"{head}<quiz><question type='essay'><questiontext><text>Café</text></questiontext></question></quiz>"
    data = (xml.lstrip() if encoding == "utf-8-sig" else xml).encode(encoding)
    path = tmp_path / ("bank.xml.gz" if is_packed else "bank.xml")
    path.write_bytes(gzip.compress(data) if is_packed else data)
    assert questions(path)[0].text == "Café"


# -- writing ------------------------------------------------------------------------------------------------------


def test_a_foreign_file_goes_back_as_it_came(sample, pictures):
    assert elements(exported(sample, pictures)) == elements(SAMPLE)


@pytest.mark.parametrize(
    ("place", "change", "element"),
    [
        (0, {"text": "Which one? ![a line](my graph.png)"}, "questiontext"),
        (0, {"solution": "See page 4."}, "generalfeedback"),
        (3, {"title": "Circle"}, "name"),
        (3, {"points": 3.0}, "defaultgrade"),
        (9, {"text": "Solve it."}, "questiontext"),
        (6, {"answer": "By contradiction."}, "graderinfo"),
        (8, {"tags": ("new",)}, "tags"),
    ],
)
def test_after_one_change_exactly_that_element_differs(sample, pictures, place, change, element):
    record = sample[place]
    own = {name: value for name, value in change.items() if name in {f.name for f in fields(record)}}
    rest = {name: value for name, value in change.items() if name not in own}
    sample[place] = replace(record, **own, content=replace(record.content, **rest))
    before = [question for question in fromstring(SAMPLE) if question.get("type") != "category"]
    after = [question for question in fromstring(exported(sample, pictures)) if question.get("type") != "category"]
    changed = [
        {child.tag for child in [*old, *new] if _texts(old, child.tag) != _texts(new, child.tag)}
        for old, new in zip(before, after, strict=True)
    ]
    assert changed == [{element} if number == place else set() for number in range(len(sample))]


def _texts(question, tag):
    return [[(part.tag, (part.text or "").strip()) for part in child.iter()] for child in question.iterfind(tag)]


def test_one_changed_option_leaves_the_others_as_they_were(sample, pictures):
    graph = sample[0]
    sample[0] = replace(graph, options=(replace(graph.options[0], text="none"), graph.options[1]))
    question = fromstring(exported(sample, pictures))[1]
    assert [answer.findtext("text") for answer in question.iterfind("answer")] == [
        "<p>none</p>",
        '<p><img src="@@PLUGINFILE@@/l.png" alt=""></p>',
    ]


def test_another_category_is_stated_where_the_concept_has_changed(sample, pictures):
    sample[1] = replace(sample[1], concepts=(("Sets/1", "Even"),))
    paths = [
        question.findtext("category/text")
        for question in fromstring(exported(sample[1:], pictures))
        if question.get("type") == "category"
    ]
    assert paths[0] == "$course$/top/Sets//1/Even"


@pytest.mark.parametrize("name", ["x > 2", "a; b", "x < y", "and/or", "a, b", "$course$", "top"])
def test_an_edited_question_comes_back_under_its_concepts_whatever_signs_are_in_their_names(
    tmp_path, sample, pictures, name
):
    paths = (("Algebra", name), ("Topics", name))
    edited = replace(sample[1], text="Which is even?", concepts=paths)
    assert "the concepts" not in moodle_losses(edited, pictures)
    (again,) = questions(saved(tmp_path, exported([edited], pictures), "again.xml"), pictures)
    as_in_files = str.maketrans(">;", "＞；")  # what separates concepts in files
    assert again.text == edited.text
    assert again.concepts == tuple((top, below.translate(as_in_files)) for top, below in paths)


_CHARACTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\0\ufffe\uffff")
_WORDS = st.text(_CHARACTERS, min_size=1, max_size=30).map(lambda text: " ".join(text.split())).filter(bool)
_PIECES = st.sampled_from(
    ["$x < 3$", r"\(y\)", "**bold**", "*so*", "\n\n", "\n", "- one\n- two", "| a | b |\n| 1 | 2 |", "a<b & c", "]]>"]
)
_TEXTS = st.lists(_PIECES | _WORDS, min_size=1, max_size=5).map(" ".join).map(str.strip).filter(bool)
_WEIGHTS = st.sampled_from([1.0, 0.5, 1 / 3, 0.25, 0.0])


@st.composite
def records(draw):
    """Questions of every kind that Moodle has, with whatever our fields can hold there."""
    kinds = "choice several true_false number short matching ordering open description blanks"
    kind = draw(st.sampled_from(kinds.split()))
    options, answer, content = (), "", {}
    accepted = st.builds(AcceptedAnswer, _WORDS, _WEIGHTS, _WORDS)
    if kind in ("choice", "several", "ordering"):
        texts = draw(st.lists(_TEXTS, min_size=2, max_size=4))
        options = tuple(Option(label, text) for label, text in zip("ABCD", texts, strict=False))
        answer = "A"
    if kind == "several":
        kind, answer = "choice", ""
        options = tuple(replace(option, weight=draw(_WEIGHTS), feedback=draw(_WORDS)) for option in options)
        content["settings"] = {"single": "false"}
        if sum(option.weight > 0 for option in options) > 1:
            content = {}
    if kind == "true_false":
        answer = draw(st.sampled_from(["True", "False"]))
    if kind == "number":
        content["accepted"] = (
            AcceptedAnswer("3.5", tolerance=draw(st.sampled_from([None, 0.5]))),
            AcceptedAnswer("3", 0.5, draw(_WORDS)),
        )
    if kind == "short":
        content["accepted"] = tuple(draw(st.lists(accepted, min_size=2, max_size=3)))
    if kind == "matching":
        content["pairs"] = tuple(draw(st.lists(st.builds(MatchingPair, _TEXTS, _WORDS), min_size=2, max_size=3)))
    text = draw(_TEXTS)
    if kind == "blanks":
        text = f"Fill [[1]] and [[2]], {draw(_WORDS)}".replace("{", "(").strip()
        content["blanks"] = (
            Blank("number", (AcceptedAnswer("4", tolerance=0.1),), style="NUMERICAL"),
            Blank(
                "choice",
                (),
                (Option("A", draw(_WORDS), "", 1.0), Option("B", draw(_WORDS), "", 0.0)),
                2.0,
                "MULTICHOICE",
            ),
        )
    if kind == "open":
        answer = draw(st.just("") | st.just("12") | _TEXTS)
    difficulty = draw(st.sampled_from([None, 3.0]))
    content = QuestionContent(
        title=draw(st.just("") | _WORDS),
        points=draw(st.none() | st.just(2.5)),
        hints=tuple(draw(st.lists(_TEXTS, max_size=2))),
        tags=tuple(draw(st.lists(_WORDS, max_size=2, unique=True))),
        feedback=Feedback(right=draw(st.just("") | _TEXTS)),
        **content,
    )
    return QuestionRecord(
        id=draw(st.uuids().map(str)),
        text=text,
        language=draw(st.sampled_from(["en", "de", "zh"])),
        kind=kind,
        options=options,
        answer=derived_answer(kind=kind, options=options, answer=answer, content=content),
        solution=draw(st.just("") | _TEXTS),
        equation=draw(st.sampled_from(["", "(11-1)*2"])),
        concepts=tuple(draw(st.lists(st.tuples(_names(), _names()), max_size=2, unique=True))),
        difficulty=difficulty,
        difficulty_scale="0-4" if difficulty else "",
        grade=draw(st.sampled_from(["", "7"])),
        source="Book",
        content=content,
    )


def _names():
    return st.sampled_from(["Algebra", "Sums/differences", "Brüche", "x & y", "1"])


def test_what_is_lost_is_named(pictures):
    record = QuestionRecord(
        "1", "2 + 2?", kind="choice", answer="A", options=(Option("A", "4", "counts on"), Option("B", "5"))
    )
    general = replace(record, content=QuestionContent(feedback=Feedback(general="Well.")))
    assert moodle_losses(record, pictures) == ["why students choose wrong options"]
    assert moodle_losses(general, pictures) == ["why students choose wrong options", "feedback to students"]


# -- hostile and damaged files ------------------------------------------------------------------------------------


def _quiz(inner: str) -> str:
    return f'<?xml version="1.0"?><quiz>{inner}</quiz>'


@pytest.mark.parametrize(
    "piece", [r"\(", "<!--", "<!", "<a ", "<a href='", "<div>", "<ul><li>", "<sup>", "<math>", "![["]
)
def test_a_text_that_opens_without_end_is_read_soon(tmp_path, piece, no_hang):
    path = tmp_path / "bank.xml"
    text = piece * (20_000 // len(piece))
    inner = f"<questiontext><text><![CDATA[{text}]]></text></questiontext>"
    path.write_text(_quiz(f"<question type='essay'>{inner}</question>"))
    assert len(questions(path)) == 1


@each_case("moodle_xml", "a_broken_gap_is_told_of")
def test_a_broken_gap_is_told_of(tmp_path, text, message):
    inner = f"<questiontext format='html'><text>{text}</text></questiontext>"
    path = saved(tmp_path, _quiz(f"<question type='cloze'>{inner}</question>"))
    said = [entry.reason for _line, entry in read(path) if isinstance(entry, LineWarning)]
    assert [one for one in said if message in one] if message else said == []


@each_case("moodle_xml", "a_question_that_cannot_be_taken_apart_is_kept")
def test_a_question_that_cannot_be_taken_apart_is_kept(tmp_path, inner, kind, warning):
    path = tmp_path / "bank.xml"
    text = "<questiontext><text>&lt;script&gt;alert(1)&lt;/script&gt; 2 + 2?</text></questiontext>"
    path.write_text(_quiz(f"<question type='{kind}'>{text}{inner}</question>"))
    entries = [entry for _line, entry in read(path)]
    assert entries[-1].text == "2 + 2?"
    reasons = "; ".join(entry.reason for entry in entries if isinstance(entry, LineWarning))
    assert warning in reasons
    assert "a script was left out" in reasons


@pytest.mark.parametrize(("given", "points"), [("-2", None), ("1e9", None), ("0", 0.0), ("0.5", 0.5)])
def test_points_that_no_question_gives_are_left_out_and_told_of(tmp_path, given, points):
    inner = f"<questiontext><text>2 + 2?</text></questiontext><defaultgrade>{given}</defaultgrade>"
    path = saved(tmp_path, _quiz(f"<question type='essay'>{inner}</question>"))
    *said, record = (entry for _line, entry in read(path))
    assert record.content.points == points
    assert ["not between 0 and 10,000" in warning.reason for warning in said] == [True] * (points is None)


def test_a_picture_that_is_named_but_missing_is_told_of(tmp_path):
    path = tmp_path / "bank.xml"
    html = "&lt;img src='@@PLUGINFILE@@/a.png'&gt;&lt;img src='https://x.invalid/b.png'&gt;"
    path.write_text(_quiz(f"<question type='essay'><questiontext><text>{html}</text></questiontext></question>"))
    missing, elsewhere, record = (entry for _line, entry in read(path))
    assert "'a.png', which is not in the file" in missing.reason
    assert "https://x.invalid/b.png, which is not fetched" in elsewhere.reason
    assert record.text == "![](a.png)![](https://x.invalid/b.png)"


def test_a_picture_has_no_folders_in_its_name(tmp_path):
    path = tmp_path / "evil.xml"
    path.write_text(
        '<quiz><question type="essay"><name><text>Path</text></name><questiontext format="html">'
        '<text><![CDATA[<img src="@@PLUGINFILE@@/evil.png">Look.]]></text>'
        '<file name="../../tmp/evil.png" encoding="base64">AAAA</file></questiontext></question></quiz>'
    )
    [question] = [entry for _, entry in read(path) if isinstance(entry, QuestionRecord)]
    assert [picture.name for picture in question.content.pictures] == ["evil.png"]


_ESSAY = "<question type='essay'><questiontext format='html'><text>T</text></questiontext>"


@pytest.mark.parametrize(
    ("inner", "settings"),
    [
        ("<minwordlimit>10</minwordlimit><maxwordlimit>0</maxwordlimit>", {"fewest_words": "10"}),
        ("<responsetemplate format='html'><text>&lt;p&gt;Hm&lt;/p&gt;</text></responsetemplate>", {"template": "Hm"}),
    ],
)  # fmt: skip
def test_what_an_essay_demands_is_read_and_written(tmp_path, pictures, inner, settings):
    path = saved(tmp_path, _quiz(f"{_ESSAY}{inner}</question>"))
    [record] = questions(path)
    assert record.content.settings == settings
    path.write_bytes(exported([replace(record, original=None)], pictures))
    assert questions(path)[0].content.settings == settings


def test_units_keep_their_factors_also_after_an_edit(tmp_path, pictures):
    path = tmp_path / "bank.xml"
    units = "".join(
        f"<unit><multiplier>{factor}</multiplier><unit_name>{name}</unit_name></unit>"
        for factor, name in (("1", "m"), ("100", "cm"))
    )
    text = "<questiontext><text>How long?</text></questiontext><answer fraction='100'><text>3</text></answer>"
    path.write_text(_quiz(f"<question type='numerical'>{text}<units>{units}</units></question>"))
    [record] = questions(path)
    assert (record.answer, record.content.settings["units"]) == ("3 m", "1 m; 100 cm")
    path.write_bytes(exported([replace(record, original=None)], pictures))
    assert questions(path)[0].content == record.content
    old = replace(record, text="How wide?", content=replace(record.content, settings={}))  # read before units were
    assert units in exported([old], pictures).decode()


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ('<span lang="en" class="multilang">Sum</span><span lang="de" class="multilang">Summe</span>', "Sum"),
        ("{mlang en}Sum{mlang}{mlang de}Summe{mlang} 1", "Sum 1"),
    ],
)
def test_a_title_in_several_languages_is_read_in_the_first_and_said(tmp_path, source, title):
    path = tmp_path / "bank.xml"
    name = f"<name><text><![CDATA[{source}]]></text></name>"
    path.write_text(_quiz(_ESSAY.replace("<questiontext", f"{name}<questiontext") + "</question>"))
    warning, record = (entry for _line, entry in read(path))
    assert (record.content.title, warning.reason) == (title, "name: the text in another language was left out")


@pytest.mark.parametrize("tags", ["", "<tags></tags>", "<tags>\n <tag><text>sums</text></tag>\n</tags>\n"])
@pytest.mark.parametrize("type", ["stack", "shortanswer"])
def test_predictions_leave_a_question_and_its_original_the_same(tmp_path, pictures, type, tags):
    answer = '<answer fraction="100"><text>4</text></answer>'
    path = tmp_path / "bank.xml"
    path.write_text(
        _quiz(f'<question type="{type}"><questiontext><text>2+2</text></questiontext>{answer}{tags}</question>')
    )
    (plain,) = questions(path, pictures)
    predicted = PredictedLabels(((("Algebra", "Sums"), 0.8),), 40.0)
    for _time in range(2):
        path.write_bytes(exported([replace(plain, predicted=predicted)], pictures))
        assert path.read_bytes().count(b"Kindred predicts: ") == 2
        (again,) = questions(path, pictures)
        assert again == plain
        assert again.original.data == plain.original.data
