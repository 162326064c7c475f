# ruff: noqa: E501 - items as other systems write them
"""QTI 2.1, 2.2 and 3.0: read, kept, written by the rules of their schemas, written anew; hostile ones refused."""

from __future__ import annotations

import io
import re
import zipfile
from base64 import b64encode
from dataclasses import fields, replace

import pytest
from defusedxml.ElementTree import fromstring

from analytics.question_content import (
    AcceptedAnswer,
    Blank,
    Feedback,
    MatchingPair,
    Option,
    Picture,
    QuestionContent,
    QuestionPart,
    Stimulus,
)
from analytics.records import QuestionRecord
from questionbank.core.errors import LineProblem, LineWarning
from questionbank.formats import FORMATS, read
from questionbank.formats.catalog import sniff
from questionbank.formats.pictures import hash_of
from questionbank.formats.qti.metadata import VERSIONS
from questionbank.formats.seam import WRITTEN_ANEW
from tests.cases import each_case
from tests.questionbank.formats.files import saved
from tests.questionbank.formats.qti_rules import package_faults
from tests.questionbank.formats.qti_sample import (
    COWS,
    ITEMS,
    LEGS,
    SIGN,
    TEST,
    archive,
    choices,
    declared,
    item,
    manifest,
    package,
    package_of_three,
)
from tests.questionbank.formats.test_lossless import HOLDINGS, PICTURE
from tests.questionbank.formats.test_moodle_xml import elements, questions


@pytest.fixture
def sample(tmp_path, pictures) -> dict[str, QuestionRecord]:
    path = saved(tmp_path, package(), "test.zip")
    return {record.id: record for record in questions(path, pictures)}


def exported(records, pictures, name="qti21") -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(b"".join(FORMATS[name].write(records, pictures))))


def changed(record: QuestionRecord, change: dict[str, object]) -> QuestionRecord:
    """The question after an edit of some of its fields, or of those of its content."""
    own = {name: value for name, value in change.items() if name in {field.name for field in fields(record)}}
    rest = {name: value for name, value in change.items() if name not in own}
    return replace(record, **own, content=replace(record.content, **rest))


def one(tmp_path, xml: str, **more: str | bytes) -> tuple[QuestionRecord, list[str]]:
    path = saved(tmp_path, package({"one": xml}, **more), "one.zip")
    entries = [entry for _line, entry in read(path)]
    reasons = [entry.reason for entry in entries if isinstance(entry, LineWarning)]
    return next(entry for entry in entries if isinstance(entry, QuestionRecord)), reasons


# -- reading ------------------------------------------------------------------------------------------------------

_READ = {
    "luggage": ("choice", "Look at the sign.\n\n![Never leave bags alone](the sign.png)\n\nWhat does it **say**?", "A"),
    "water": ("choice", "Water is wet.\n\nWhich elements form water?", "A, C"),
    "wahr": ("true_false", "Ist 9 prim?", "False"),
    "grandprix": ("ordering", "Sort by size.", "A, B, C"),
    "shakespeare": ("matching", "Who is in which play?", "1-c, 2-a"),
    "drag": ("matching", "drag", "1-a, 2-c"),
    "many": ("opaque", "Tick what holds.\n\n- 4\n- 9\n- square\n- even\n- odd", "4 – square; 4 – even; 9 – square"),
    "rivals": ("matching", "Who are rivals?", "1-b, 2-a"),
    "gaps": ("blanks", "Fill in.\n\nNow is the [[1]] of our discontent\nmade glorious [[2]].", "winter; summer"),
    "york": ("blanks", "Made glorious by this sun of [[1]];\nand so on.", "York"),
    "inline": ("blanks", "And the winner is [[1]] !", "York"),
    "pi": ("number", r"What is $\frac{\pi }{1}$?", "3.14"),
    "custom": ("choice", "**2 + 2** =", "B"),
    "essay": ("open", "Prove it.", "By contradiction."),
    "feedback": ("choice", "2 < 3?", "A"),
    "composite": ("parts", "A farm has 3 cows and 4 hens.", "(a) A; (b) 7"),
    "hotspot": ("opaque", "Click on Glasgow.\n\n![Map](the sign.png)", ""),
    "drawn": ("opaque", "What is {@A@} + 1?\n\n____", ""),
    "read": ("description", "Read this & think.", ""),
}


@pytest.mark.parametrize("name", ITEMS)
def test_every_interaction_is_taken_apart_or_kept(sample, name):
    record = sample[name]
    assert (record.kind, record.text, record.answer) == _READ[name]


def test_points_feedback_pictures_pairs_and_parts_are_read(sample, pictures):
    luggage, water = sample["luggage"], sample["water"]
    assert pictures.get(luggage.content.pictures[0].sha256) == SIGN
    assert (luggage.content.title, luggage.content.tags, luggage.language) == ("Bags", ("signs",), "en")
    assert (luggage.difficulty, luggage.difficulty_scale, luggage.concepts) == (2.0, "1-5", (("Signs ＞ 1",),))
    assert ([option.weight for option in water.options], water.content.points) == ([0.5, -0.5, 0.5, -1.0], 2.0)
    assert water.content.stimulus == Stimulus(text="Water is wet.")
    said = sample["feedback"]
    assert (said.options[0].feedback, said.solution) == ("Good.", "Count.")
    assert said.content.feedback == Feedback(right="Right!", wrong="Not so.")
    assert sample["drag"].content.pairs[2] == MatchingPair("", "three")
    assert sample["york"].content.blanks[0].accepted == (AcceptedAnswer("York"), AcceptedAnswer("york", 0.5))
    assert sample["pi"].content.accepted == (AcceptedAnswer("3.14", tolerance=0.01),)
    assert [(part.kind, part.text) for part in sample["composite"].content.parts] == [
        ("choice", "What are there more of?"), ("number", "How many animals?"), ("open", "Explain."),
    ]  # fmt: skip


def test_items_of_version_three_share_a_text(tmp_path, pictures):
    path = saved(tmp_path, package_of_three(), "farm.zip")
    cows, legs = questions(path, pictures)
    assert sniff(path).name == "qti3"
    assert cows.text == "A farm has **3** cows.\n\nHow many cows?"
    assert cows.content.stimulus == legs.content.stimulus == Stimulus("Farm", "A farm has **3** cows.")
    assert (cows.answer, cows.options[1].feedback, legs.answer) == ("A", "No", "A, B")
    archive = exported([cows, legs], pictures, "qti3")
    assert [elements(archive.read(f"items/{name}.xml")) for name in ("cows", "legs")] == [
        elements(COWS),
        elements(LEGS),
    ]
    assert b"A farm has <b>3</b> cows." in archive.read("stimuli/S1.xml")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda xml: xml.replace(' xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1"', ""), ""),
        (lambda xml: re.sub(r"<(/?)(?=[a-zA-Z])", r"<\1q:", xml).replace("xmlns=", "xmlns:q="), ""),
        (lambda xml: xml.replace("Hydrogen", "<![CDATA[Hydrogen]]>"), ""),
        (lambda xml: xml.replace("form water", "form&nbsp;water"), ""),
        (lambda xml: xml.replace("<prompt>", "<prompt>\n      ").replace("2p1", "2p2"), ""),
        (lambda xml: "\ufeff" + xml, ""),
    ],
)
def test_odd_ways_of_writing_say_the_same(tmp_path, change, text):
    record, _said = one(tmp_path, change(ITEMS["water"]))
    assert (record.text, record.answer, record.options[0].text) == ("Which elements form water?", "A, C", "Hydrogen")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_a_single_item_is_read_in_its_encoding(tmp_path, encoding):
    path = tmp_path / "item.xml"
    xml = ITEMS["water"].replace("Helium", "Hélium").replace("UTF-8", encoding)
    path.write_bytes(xml.encode(encoding))
    [record] = questions(path)
    assert (sniff(path).name, record.options[1].text) == ("qti21", "Hélium")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"items/a.xml": ITEMS["water"], "b.xml": ITEMS["york"]}, {"water", "york"}),  # no manifest
        ({"imsmanifest.xml": manifest({}), "a.xml": ITEMS["water"]}, {"water"}),  # one that names nothing
        ({"bank/imsmanifest.xml": manifest({"a": "a.xml"}), "bank/a.xml": ITEMS["water"]}, {"water"}),
    ],
)
def test_items_are_found_without_a_good_manifest(tmp_path, files, found):
    path = saved(tmp_path, archive(files), "a.zip")
    assert {record.id for record in questions(path)} == found


# -- writing ------------------------------------------------------------------------------------------------------


def test_a_foreign_package_goes_back_as_it_came(sample, pictures, tmp_path):
    packed = exported(sample.values(), pictures)
    for name, xml in ITEMS.items():
        xml = xml.replace("&nbsp;", "&#160;")
        assert elements(packed.read(f"Items/{name}.xml")) == elements(xml), name
    assert packed.read("Items/images/the sign.png") == SIGN
    assert b"<imsmd:keyword>" in packed.read("imsmanifest.xml")
    path = saved(tmp_path, b"".join(FORMATS["qti21"].write(sample.values(), pictures)), "again.zip")
    again = {record.id: record for record in questions(path, pictures)}
    assert again == sample


_CHANGES = [  # how an item leaves after a change, and what of the change other systems do not see
    ("luggage", {"solution": "See the sign."}, "anew", ["the section of its paper"]),
    ("luggage", {"text": "Look at the sign.\n\n![Never leave bags alone](the sign.png)\n\nWhat is said?"}, "anew",
     ["the section of its paper"]),
    ("luggage", {"answer": "B"}, "anew", ["the section of its paper"]),
    ("luggage", {"title": "Rules"}, "anew", ["the section of its paper"]),
    ("luggage", {"grade": "7", "tags": ("bags",)}, "as it came", ["the grade", "the tags"]),
    ("luggage", {"concepts": (("Travel",),)}, "as it came", []),
    ("essay", {"text": "Prove this."}, "anew", []),
    ("feedback", {"solution": "Count $3$."}, "anew", []),
    ("shakespeare", {"pairs": (MatchingPair("Prospero", "The Tempest"), MatchingPair("Lysander", "A Dream!"),
                               MatchingPair("", "Romeo"))}, "anew", []),
    ("drawn", {"title": "Sums"}, "as it came", ["the title"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "how", "unseen"), _CHANGES)
def test_a_changed_item_is_written_anew_where_it_says_what_was_changed(
    sample, pictures, tmp_path, name, change, how, unseen
):
    edited = changed(sample[name], change)
    data = b"".join(FORMATS["qti21"].write([edited], pictures))
    packed = zipfile.ZipFile(io.BytesIO(data))
    [again] = questions(saved(tmp_path, data, "again.zip"), pictures)
    assert replace(again, original=None) == replace(edited, original=None)
    is_kept = again.original.data == edited.original.data
    assert is_kept == (how == "as it came")
    assert package_faults(packed, "qti21", own=not is_kept) == []
    assert FORMATS["qti21"].losses(edited, pictures) == [*([] if is_kept else [WRITTEN_ANEW]), *unseen]


_PARTS = QuestionRecord(
    "p",
    "A farm.\n\nIt has $3$ cows.",
    kind="parts",
    answer="(a) A; (b) 12; (c) 1-b, 2-a; (d) A, B",
    content=QuestionContent(
        stimulus=Stimulus("Farm", "A farm."),
        points=4.0,
        parts=(
            QuestionPart("Which?", "choice", (Option("A", "cows"), Option("B", "hens")), "A"),
            QuestionPart("Legs?", "number", (), "12"),
            QuestionPart("Match.", "matching", (), "1-b, 2-a", content=QuestionContent(pairs=(MatchingPair("1", "one"), MatchingPair("2", "a")))),
            QuestionPart("Order.", "ordering", (Option("A", "x"), Option("B", "y")), "A, B"),
            QuestionPart("Say why.\n\nShow all.", "open"),
        ),
    ),
)  # fmt: skip
_FULL = QuestionRecord(
    "f",
    "Which of $x < 2$ & $$y$$ is it?",
    kind="choice",
    answer="A, B",
    options=(Option("A", r"\(2\)", "", 0.5, "Yes"), Option("B", "**b**\n\n- one\n- two", "slip", 0.5), Option("C", "c", "", -1.0)),
    solution="See above.",
    concepts=(("Algebra", "Sums"), ("Sets",)),
    content=QuestionContent(
        title='Say "x<2"', points=2.0, feedback=Feedback("All", "Good", "Nearly", "No"), hints=("Think.", "More."),
        tags=("a & b",), settings={"shuffle": "false"},
    ),
)  # fmt: skip
_NUMBERS = QuestionRecord(
    "n",
    "About how much?",
    kind="number",
    answer="10",
    content=QuestionContent(
        accepted=(AcceptedAnswer("10", tolerance=0.05, tolerance_kind="relative"), AcceptedAnswer("100", 0.5))
    ),
)
_CASES = QuestionRecord(
    "s", "Name it.", kind="short", answer="York",
    content=QuestionContent(accepted=(AcceptedAnswer("York"), AcceptedAnswer("york", 0.5)), settings={"case": "1"}),
)  # fmt: skip
_BLANKS = QuestionRecord(
    "b", "x = [[1]] and [[2]].", kind="blanks", answer="2; even",
    content=QuestionContent(blanks=(
        Blank("number", (AcceptedAnswer("2", tolerance=0.5),)),
        Blank("choice", (), (Option("A", "even", "", 1.0), Option("B", "odd", "", 0.0)), 2.0),
    )),
)  # fmt: skip
_OURS = [_PARTS, _FULL, _NUMBERS, _CASES, _BLANKS]
_ALL = [
    *_OURS,
    QuestionRecord("t", "True?", kind="true_false", answer="True"),
    QuestionRecord("o", "Prove.", kind="open", answer="It is so."),
    QuestionRecord("d", "Read.", kind="description"),
    QuestionRecord("u", "Hand it in.", kind="open", content=QuestionContent(settings={"type": "file_upload_question"})),
    QuestionRecord(
        "m", "Match.", kind="matching", answer="1-a", content=QuestionContent(pairs=(MatchingPair("1", "one"),))
    ),
    QuestionRecord("r", "Sort.", kind="ordering", answer="A, B", options=(Option("A", "x"), Option("B", "y"))),
]
ALL_KINDS = [
    *_ALL,
    QuestionRecord(
        "q", "Click it.", kind="opaque", content=QuestionContent(settings={"type": "hotspot"}, original="0" * 64)
    ),
]


@pytest.mark.parametrize("name", VERSIONS)
def test_a_package_obeys_the_schemas_and_declares_what_it_names(name, sample, pictures):
    """Our items of all kinds, two that share a text, and a stranger's package among them."""
    pictures.put(PICTURE)
    shared = [replace(_PARTS, id=f"s{place}") for place in range(2)]
    held = [replace(one, id=f"h{place}") for place, one in enumerate(HOLDINGS.values())]
    assert package_faults(exported([*_ALL, *shared, *held], pictures, name), name) == []
    mixed = exported([*_ALL, *sample.values()], pictures, name)
    assert package_faults(mixed, name, own=name != "qti21") == []


@pytest.mark.parametrize("name", VERSIONS)
def test_how_students_did_is_said_beside_the_question(name, pictures):
    record = QuestionRecord("f", "What is $1+1$?", answer="2", facility=0.725, responses=160)
    packed = zipfile.ZipFile(io.BytesIO(b"".join(FORMATS[name].write([record], pictures))))
    stated = packed.read("imsmanifest.xml").decode()
    assert "facility 0.725 of 160 responses" in stated
    assert "<value>easy</value>" in stated


_PICTURED = QuestionRecord(
    "g",
    "Which is ![it](a.png)?",
    kind="choice",
    answer="A",
    options=(Option("A", "![x](b.png)"), Option("B", "b")),
    content=QuestionContent(pictures=(Picture("a.png", "a" * 64), Picture("b.png", "b" * 64))),
)


def test_pictures_are_no_loss(pictures):
    assert [FORMATS[name].losses(_PICTURED, pictures) for name in VERSIONS] == [[], [], []]


_TYPED = (
    AcceptedAnswer("3.14", feedback="Well rounded", tolerance=0.01),
    AcceptedAnswer("3", 0.5, "Too rough", 0.2),
    AcceptedAnswer("3.1", 0.5, tolerance=0.05),
    AcceptedAnswer("22", 0.0, "You forgot to divide"),
    AcceptedAnswer("*", 0.0, "Measure again"),
)


@pytest.mark.parametrize("kind", ["number", "short"])
@pytest.mark.parametrize("name", VERSIONS)
def test_typed_answers_leave_with_their_weights_tolerances_and_feedback(tmp_path, pictures, name, kind):
    accepted = _TYPED if kind == "number" else tuple(replace(one, tolerance=None) for one in _TYPED)
    record = QuestionRecord(
        "t",
        "Round it.",
        kind=kind,
        answer="3.14",
        language="en",
        content=QuestionContent(points=2.0, accepted=accepted),
    )
    packed = exported([record], pictures, name)
    assert package_faults(packed, name) == []
    assert FORMATS[name].losses(record, pictures) == []
    assert b"&quot;accepted&quot;" not in packed.read("imsmanifest.xml")  # the item itself says it


@pytest.mark.parametrize("id", ["1", "_1", "", "a b", "Größe", "x.y-2"])
@pytest.mark.parametrize("name", VERSIONS)
def test_an_item_has_a_valid_identifier_and_its_question_keeps_its_own(tmp_path, pictures, name, id):
    packed = b"".join(FORMATS[name].write([QuestionRecord(id, "2 + 2?", answer="4")], pictures))
    assert package_faults(zipfile.ZipFile(io.BytesIO(packed)), name) == []
    assert [record.id for record in questions(saved(tmp_path, packed, "bank.zip"))] == [id]


_MATH = (
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><semantics><mrow><mn>3</mn><mo>(</mo><mi>y</mi>'
    '<mo>+</mo><mn>4</mn><mo>)</mo></mrow><annotation encoding="{}">{}</annotation></semantics></math>'
)


@each_case("qti", "the_source_of_a_formula_counts_where_it_can_be_drawn")
def test_the_source_of_a_formula_counts_where_it_can_be_drawn(tmp_path, encoding, annotation, text):
    record, _said = one(tmp_path, _PLAIN.replace("<p>x", f"<p>x</p>{_MATH.format(encoding, annotation)}<p>"))
    assert record.text == f"x\n\n{text}"


def test_pictures_in_addresses_are_kept_and_those_of_other_sites_are_said(tmp_path):
    inline = f'<img src="data:image/png;base64,{b64encode(PICTURE).decode()}" alt="a square"/>'
    record, said = one(tmp_path, _PLAIN.replace("<p>x", f'<p>{inline} <img src="https://x.org/a.png" alt="b"/>x'))
    assert record.text == "![a square](picture.png) ![b](https://x.org/a.png)x"
    assert [picture.sha256 for picture in record.content.pictures] == [hash_of(PICTURE)]
    assert [reason for reason in said if "https://x.org/a.png, which is not fetched" in reason]


def test_what_a_section_shares_brings_the_name_spaces_of_its_prefixes_along(tmp_path, pictures):
    space = 'xmlns:m="http://www.w3.org/1998/Math/MathML"'
    test = TEST.replace("<assessmentTest ", f"<assessmentTest {space} ").replace(
        "Water is wet.", "Water is <m:math><m:mn>2</m:mn></m:math>."
    )
    record = next(
        r for r in questions(saved(tmp_path, package(**{"test.xml": test}), "a.zip"), pictures) if r.id == "water"
    )
    assert record.text == "Water is $2$.\n\nWhich elements form water?"
    written = exported([record], pictures).read("test.xml")
    assert b"<m:math" in written
    fromstring(written)  # well-formed


# -- hostile and damaged files ------------------------------------------------------------------------------------

_BODY = '<p>x</p><choiceInteraction responseIdentifier="RESPONSE" shuffle="false" maxChoices="1">{}</choiceInteraction>'
_PLAIN = item("x", declared("C1"), _BODY.format(choices("a", "b")))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda xml: xml.replace("<p>x", '<p><img src="../../../etc/passwd" alt=""/>x'),
            "'passwd', which is not in the file",
        ),
        (lambda xml: xml.replace("<p>x", '<p><img src="a.svg" alt=""/>x'), "is an SVG picture"),
        (lambda xml: xml.replace("<p>x", "<p><svg><script>1</script></svg>x"), "a drawing (SVG) was left out"),
        (lambda xml: xml.replace("<p>x", "<p><script>alert(1)</script>x"), "a script was left out"),
        (lambda xml: xml.replace("<value>C1", "<value>C9"), "does not say which answer is right"),
        (lambda xml: xml.replace('adaptive="false"', 'adaptive="true"'), "changes with what students answer"),
    ],
)
def test_what_is_missing_or_left_out_is_said(tmp_path, change, reason):
    record, said = one(tmp_path, change(_PLAIN), **{"items/a.svg": "<svg/>"})
    assert record.text.endswith("x")
    assert [one for one in said if reason in one], said


def test_missing_damaged_and_repeated_items_are_named(tmp_path):
    path = tmp_path / "a.zip"
    paths = {"a": "a.xml", "b": "b.xml", "c": "c.xml", "d": "gone.xml"}
    files = {"a.xml": _PLAIN, "b.xml": _PLAIN.replace("<p>x", "<p>y"), "c.xml": _PLAIN.replace("</p>", "")}
    path.write_bytes(archive({"imsmanifest.xml": manifest(paths), **files}))
    entries = [entry for _line, entry in read(path)]
    reasons = [entry.reason for entry in entries if isinstance(entry, LineWarning | LineProblem)]
    assert "the package lacks the file 'gone.xml', which its manifest names" in reasons
    assert any("the item 'c.xml'" in reason and "not well-formed XML" in reason for reason in reasons)
    assert any("the identifier is already used" in reason for reason in reasons)
    assert [entry.id for entry in entries if isinstance(entry, QuestionRecord)] == ["x", ""]


def test_the_time_of_an_item_stays_and_other_rules_of_a_test_are_said(tmp_path, pictures):
    timed = TEST.replace(
        'href="items/luggage.xml"/>',
        'href="items/luggage.xml"><branchRule target="r2"/><timeLimits maxTime="60"/></assessmentItemRef>',
    ).replace('title="Section 2" visible="true">', 'title="Water" visible="true"><ordering shuffle="true"/>')
    path = saved(tmp_path, package(**{"test.xml": timed}), "test.zip")
    file = read(path, attachments=pictures)
    entries = [entry for _number, entry in file]
    assert any("section “Water” shuffles its questions" in note for note in file.notes)
    warned = [entry.reason for entry in entries if isinstance(entry, LineWarning) and entry.field == "test"]
    assert warned == [
        "in its test the question “Items/luggage.xml” jumps to other questions depending on the answers, which is not kept"
    ]
    records = [entry for entry in entries if isinstance(entry, QuestionRecord)]
    assert b'<timeLimits maxTime="60"/></assessmentItemRef>' in exported(records, pictures).read("test.xml")


def test_a_document_type_of_the_standard_is_passed_over(tmp_path):
    typed = _PLAIN.replace("<assessmentItem", '<!DOCTYPE a SYSTEM "qti.dtd"><assessmentItem', 1)
    assert [record.kind for record in questions(saved(tmp_path, typed))] == ["choice"]
