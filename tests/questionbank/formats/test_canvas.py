"""Canvas's packages: read, kept, written back or anew; hostile ones refused."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace

import pytest

from analytics.question_content import AcceptedAnswer, Blank, MatchingPair, Option
from analytics.records import QuestionRecord
from questionbank.core.errors import LineProblem, LineWarning
from questionbank.formats import read
from questionbank.formats.canvas.package import canvas_losses, qti_items, write_canvas
from questionbank.formats.canvas.words import digits_bounds
from questionbank.formats.seam import WRITTEN_ANEW, not_held
from tests.questionbank.formats.canvas_sample import BANK, GRAPH, MANIFEST, QUIZ, blackboard_package, package
from tests.questionbank.formats.files import saved
from tests.questionbank.formats.test_moodle_xml import elements, questions
from tests.questionbank.formats.test_qti import changed


@pytest.fixture
def sample(tmp_path, pictures) -> list[QuestionRecord]:
    path = saved(tmp_path, package(), "quiz.zip")
    return questions(path, pictures)


def exported(records, pictures) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(b"".join(write_canvas(records, pictures))))


def items_of(archive: zipfile.ZipFile) -> list[bytes]:
    names = [name for name in archive.namelist() if re.fullmatch(r"(\w+)/\1\.xml", name)]
    return [item.data for name in names for item in qti_items(archive.read(name))]


# -- reading ------------------------------------------------------------------------------------------------------


def test_every_type_of_canvas_is_taken_apart_and_calculated_ones_are_kept(sample, pictures):
    half, odd, even, ten, pi, four, roses, drop, match, prove, about, upload, drawn = sample
    assert half.text == r"Which is $\frac{1}{2}$? ![a graph](my graph.png)"
    assert (half.answer, half.options, half.solution) == (
        "A", (Option("A", "one half", feedback="Yes"), Option("B", "two")), "Divide.",
    )  # fmt: skip
    assert pictures.get(half.content.pictures[0].sha256) == GRAPH
    assert (half.id, half.content.points, half.concepts) == ("g1", 2.0, (("Sums ＞ 1",),))
    assert (odd.kind, odd.answer, even.answer, ten.answer) == ("true_false", "True", "A, C", "ten; Ten")
    assert pi.content.accepted == (
        AcceptedAnswer("3.14", tolerance=0.01),
        AcceptedAnswer("7", tolerance=1.0),
        AcceptedAnswer("13.4", tolerance=3.0, tolerance_kind="digits"),
    )
    assert (four.kind, four.answer) == ("number", "4")
    assert (roses.text, roses.answer) == ("Roses are [[1]], violets are [[2]].", "red; blue")
    assert roses.content.blanks[0] == Blank("short", (AcceptedAnswer("red"), AcceptedAnswer("Red")), style="color1")
    assert (drop.text, drop.answer) == ("2 + 2 is [[1]].", "4")
    assert match.content.pairs == (
        MatchingPair("1 + 1", "two"), MatchingPair("2 + 2", "four"), MatchingPair("", "six"),
    )  # fmt: skip
    assert [record.kind for record in (prove, about, upload)] == ["open", "description", "open"]
    assert (drawn.kind, drawn.text, drawn.concepts) == ("opaque", "What is {@x@} + 1?", (("Drawn",),))
    assert drawn.content.settings["computed_answer"] == "x + 1"


def test_a_pool_of_blackboard_is_taken_apart(tmp_path, pictures):
    path = saved(tmp_path, blackboard_package(), "pool.zip")
    found = questions(path, pictures)
    assert [(record.kind, record.text, record.answer) for record in found] == [
        ("choice", "2 + 2?", "B"),
        ("choice", "Even?", "A, C"),
        ("true_false", "9 is prime.", "False"),
        ("number", "Pi?", "3.14"),
        ("short", "Capital?", "York; york"),
        ("blanks", "Roses are [[1]], violets [[2]].", "red; blue"),
        ("matching", "Match.", "1-c, 2-a"),
        ("ordering", "Sort.", "A, B"),
        ("open", "Prove it.", ""),
        ("opaque", "Click.", ""),
    ]
    assert found[3].content.accepted == (AcceptedAnswer("3.14", tolerance=0.01),)
    assert found[6].content.pairs == (MatchingPair("1+1", "two"), MatchingPair("2+2", "four"), MatchingPair("", "six"))
    assert (found[0].content.points, found[0].content.feedback.right) == (5.0, "Well done")
    assert ({record.concepts for record in found}, found[0].id) == ({(("Pool 1",),)}, "_15_1")
    assert {record.original.format for record in found} == {"blackboard"}  # Canvas would not know its types
    assert len(items_of(exported(found, pictures))) == 9


@pytest.mark.parametrize(
    ("condition", "accepted"),
    [
        ('<varequal respident="response1" margintype="percent" margin="5">8.0</varequal>', ("8", 0.05, "relative")),
        ('<varequal respident="response1" margintype="absolute" margin="1">6</varequal>', ("6", 1.0, "absolute")),
        ('<varequal precisiontype="significantDigits" precision="2">8.1</varequal>', ("8.1", 2.0, "digits")),
        (
            '<vargte respident="response1">0.00002</vargte><varlte respident="response1">0.00003</varlte>',
            ("0.000025", 0.000005, "absolute"),
        ),
    ],
)
def test_margins_of_new_quizzes_are_read(tmp_path, condition, accepted):
    path = tmp_path / "a.zip"
    path.write_bytes(package([QUIZ[5].replace('<varequal respident="response1">4.0</varequal>', condition)]))
    [answer] = questions(path)[0].content.accepted
    assert (answer.text, answer.tolerance, answer.tolerance_kind) == accepted


@pytest.mark.parametrize("digits", [1, 4, 5, 16])
def test_zero_to_some_significant_digits_has_bounds(digits):
    least, most = digits_bounds(0.0, digits)
    assert (least, most) == (-most, pytest.approx(5 * 10.0**-digits))


def test_of_a_cartridge_with_every_quiz_twice_the_one_with_canvas_types_is_read(tmp_path):
    path = tmp_path / "a.imscc"
    bank = zipfile.ZipFile(io.BytesIO(package())).read("q1/q1.xml")
    path.write_bytes(package(**{"non_cc_assessments/q1.xml.qti": bank}))
    assert len(questions(path)) == 13


def test_an_unpacked_file_and_an_equation_without_its_source_are_read(tmp_path):
    path = tmp_path / "quiz.xml"
    archive = zipfile.ZipFile(io.BytesIO(package()))
    text = archive.read("q1/q1.xml").decode().replace('data-equation-content="\\frac{1}{2}"', "")
    path.write_text(text)
    entries = [entry for _line, entry in read(path)]
    first = next(entry for entry in entries if isinstance(entry, QuestionRecord))
    assert first.text == r"Which is $\frac{1}{2}$? ![a graph](my graph.png)"
    assert "'my graph.png', which is not in the file" in next(
        entry.reason for entry in entries if isinstance(entry, LineWarning)
    )


# -- writing ------------------------------------------------------------------------------------------------------


def test_a_foreign_package_goes_back_as_it_came(sample, pictures):
    archive = exported(sample, pictures)
    assert [elements(item) for item in items_of(archive)] == [elements(item) for item in (*QUIZ, *BANK)]
    assert archive.read("Uploaded Media/my graph.png") == GRAPH
    manifest = archive.read("imsmanifest.xml").decode()
    named = re.findall(r'<file href="([^"]*)"', manifest)
    assert {name.replace("%20", " ") for name in named} == {*archive.namelist()} - {"imsmanifest.xml"}


@pytest.mark.parametrize(
    ("place", "change", "how", "lost"),
    [
        (0, {"text": "Which one? ![a graph](my graph.png)"}, "anew", []),
        (0, {"solution": "Halve it."}, "anew", []),
        (0, {"options": (Option("A", "a half", feedback="Yes"), Option("B", "two"))}, "anew", []),
        (0, {"answer": "B"}, "anew", []),
        (2, {"title": "Even"}, "anew", []),
        (6, {"text": "Roses: [[1]], [[2]]."}, "anew", []),
        (8, {"pairs": (MatchingPair("1+1", "two"), MatchingPair("2 + 2", "four"), MatchingPair("", "six"))},
         "anew", []),
        (2, {"points": 3.0}, "as it came", []),
        (9, {"grade": "7", "tags": ("x",)}, "as it came", ["the grade", "the tags"]),
        (9, {"concepts": (("Sums", "Two"),)}, "as it came", ["the concepts"]),
        (12, {"title": "Sums", "points": 3.0}, "as it came", ["the title"]),
    ],
)  # fmt: skip
def test_a_changed_item_is_written_anew_where_it_says_what_was_changed(
    sample, pictures, tmp_path, place, change, how, lost
):
    was = sample[place]
    edited = sample[place] = changed(was, change)
    written = [elements(item) for item in items_of(exported(sample, pictures))]
    assert sum(elements(item) not in written for item in (*QUIZ, *BANK)) == (how == "anew")
    [again] = questions(saved(tmp_path, b"".join(write_canvas([edited], pictures)), "again.zip"), pictures)
    assert again.content.points == edited.content.points
    assert not_held(edited, replace(again, content=replace(again.content, original=was.content.original))) == lost
    assert canvas_losses(edited, pictures) == [*([WRITTEN_ANEW] if how == "anew" else []), *lost]


def test_the_points_of_a_group_go_back_around_an_item_that_goes_back_as_it_came(tmp_path, pictures):
    gives = "<selection_extension><points_per_item>5.0</points_per_item></selection_extension>"
    group = f'<section ident="g" title=""><selection_ordering><selection>{gives}</selection></selection_ordering>'
    items = f"{group}{QUIZ[0]}{QUIZ[2]}</section>"
    source = f"<questestinterop><assessment title='Q'>{items}</assessment></questestinterop>"
    records = questions(saved(tmp_path, source, "group.xml"), pictures)
    packed = b"".join(write_canvas(records, pictures))
    again = questions(saved(tmp_path, packed, "again.zip"), pictures)
    assert [(one.content.points, one.original.data) for one in again] == [(5.0, one.original.data) for one in records]


# -- hostile and damaged packages ---------------------------------------------------------------------------------


def test_what_is_missing_or_wrong_names_its_item(tmp_path):
    path = tmp_path / "quiz.zip"
    manifest = MANIFEST.replace("</resources>", '<resource><file href="gone.xml"/></resource></resources>')
    broken = QUIZ[3].replace("<varequal", "<!-- varequal").replace("</varequal>", "-->")
    path.write_bytes(package([broken, QUIZ[8].replace(">1</varequal>", ">7</varequal>")], manifest))
    reasons = [entry.reason for _line, entry in read(path) if isinstance(entry, LineWarning)]
    assert "lacks the file 'gone.xml'" in reasons[0]
    assert "the question accepts no answer" in reasons
    assert "a pair has no right choice" in reasons
    assert not [entry for _line, entry in read(path) if isinstance(entry, LineProblem)]
