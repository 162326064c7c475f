"""The import command: every kind of bad input is one clear sentence, exit code 1, and nothing written."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from questionbank.core.locations import state_folder
from questionbank.management.commands import import_questions
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question, QuestionTag, Run, School

REPOSITORY = Path(__file__).resolve().parents[4]
GOOD = {"id": "good", "text": "1 + 1", "concepts": [["Sums"]]}


def lines(*rows: object) -> bytes:
    return b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in (GOOD, *rows))


def run(path: Path | str, *options: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("import_questions", str(path), "--no-embed", *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def bank() -> list[int]:
    return [model.objects.count() for model in (Question, QuestionTag, KnowledgeConcept, KnowledgeHierarchy, Run)]


@pytest.mark.django_db
def test_an_option_says_who_sees_the_questions(tmp_path):
    School.objects.create(name="Vale School", slug="vale")
    path = tmp_path / "q.jsonl"
    for number, visible_to in enumerate(("all", "vale", "private")):
        path.write_bytes(lines({"text": f"{number}?"}))
        run(path, "--visible-to", visible_to, "--source", visible_to)
        shown = Question.objects.values_list("visibility", "school__slug").get(text=f"{number}?")
        assert shown == {"vale": ("school", "vale")}.get(visible_to, (visible_to, None))
    with pytest.raises(CommandError, match="no school with the short name 'hill'"):
        run(path, "--visible-to", "hill")


BAD_FILES = {
    "empty": ("q.jsonl", b"", "q.jsonl is empty"),
    "blank": ("q.jsonl", b"\n \n", "contains no questions"),
    "corrupt gzip": ("q.jsonl.gz", b"\x1f\x8b\x08\0" + b"garbage" * 50, "gzip data of q.jsonl.gz is damaged"),
    "truncated gzip": ("q.jsonl.gz", gzip.compress(lines() * 99)[:70], "gzip data of q.jsonl.gz is cut off"),
    "not gzip": ("q.jsonl.gz", lines(), "not gzip-compressed"),
    "invalid UTF-8": ("q.jsonl", lines(b'{"text": "\xff"}'), "line 2: invalid UTF-8 at byte 11"),
    "NUL": ("q.jsonl", lines(b'{"text": "a\0b"}'), "line 2: a NUL character"),
    "escaped NUL": ("q.jsonl", lines({"text": "a\0b"}), "line 2: text holds a NUL character"),
    "surrogate": ("q.jsonl", lines(b'{"text": "\\ud83d"}'), "line 2: text holds half of a surrogate pair"),
    "not JSON": ("q.jsonl", lines(b"text"), "line 2: not JSON"),
    "not an object": ("q.jsonl", lines([1]), "line 2: the line holds a list, not a JSON object"),
    "NaN": ("q.jsonl", lines(b'{"text": "a", "difficulty": NaN}'), "line 2: not JSON: NaN"),
    "wrong type": ("q.jsonl", lines({"text": 7}), "line 2: text must be a string, not a number"),
    "wrong type of concepts": ("q.jsonl", lines({"text": "a", "concepts": 3}), "line 2: concepts must be a list"),
    "no text": ("q.jsonl", lines({"id": "x"}), "line 2: text is missing"),
    "long text": ("q.jsonl", lines({"text": "x" * 50_001}), "line 2: text has 50,001 characters"),
    "long line": ("q.jsonl", lines(b'{"text": "' + b"x" * 50_000_000 + b'"}'), "line 2: the line is longer than"),
    "scale": ("q.jsonl", lines({"text": "a", "difficulty_scale": "stars"}), "line 2: difficulty_scale 'stars'"),
    "language": ("q.jsonl", lines({"text": "a", "language": "?"}), "line 2: language '?'"),
    "options": ("q.jsonl", lines({"text": "a", "options": [["b"], None]}), "line 2: options must be objects"),
    "repeated id": ("q.jsonl", lines({**GOOD, "text": "2"}), "line 2: the id 'good' is already used in line 1"),
    "path cycle": ("q.jsonl", lines({"text": "a", "concepts": [list("ABA")]}), "line 2: concepts contain a cycle"),
    "parent cycle": ("q.jsonl", lines({"id": 1, "name": "A", "parent": 1}), "The concepts form a cycle: A > A"),
    "unknown format": ("q.doc", b"Dear colleague", "The format of q.doc is not known"),
    "QTI": ("q.xml", b"<assessmentTest/>", "q.xml is a test of QTI without its items"),
    "JSON list of no question": ("q.json", b'[{"frage1": "a"}]', "Say which one it is: --column text=frage1"),
    "CSV without header": ("q.csv", b"1 + 1,2\n", "No column of q.csv is recognised as the question's text"),
    "CSV quote": ("q.csv", b'text\n1 + 1\n"open\n', "line 3: a quotation mark opens a cell here"),
    "workbook": ("q.csv", b"PK\x03\x04rest", "it cannot be unpacked"),
}  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_input_is_one_clear_sentence_and_writes_nothing(tmp_path, kind):
    name, content, message = BAD_FILES[kind]
    path = tmp_path / name
    path.write_bytes(content)
    before = bank()
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("import_questions", str(path), stdout=out, stderr=err)
    told = f"{err.getvalue()}\n{caught.value}"
    assert message in told
    assert "Traceback" not in told
    assert caught.value.returncode == 1
    assert out.getvalue() == ""
    assert bank() == before


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("absent.jsonl", (), "There is no file"),
        (".", (), "is a folder"),
        ("q.jsonl", ("--format", "scorm"), "'scorm' is not known; use one of auto, jsonl, csv"),
        ("q.jsonl", ("--scale", "stars"), "'stars' is not known"),
        ("q.jsonl", ("--hierarchy", "x" * 201), "1 to 200 characters"),
    ],
)
def test_bad_arguments_are_one_clear_sentence(tmp_path, monkeypatch, path, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.jsonl").write_bytes(lines())
    before = bank()
    with pytest.raises(CommandError, match=message):
        run(path, *options)
    assert bank() == before


@pytest.mark.django_db
def test_a_good_file_is_imported_and_summed_up(tmp_path):
    path = tmp_path / "maths.jsonl"
    path.write_bytes(lines({"text": "一加一等于几？"}, {"text": "1  + 1"}))
    out, err = run(path)
    told = [line.strip() for line in out.splitlines()]
    assert told[:6] == [
        "maths.jsonl, lines read: 3 (JSON Lines, UTF-8)",
        "columns: id -> id, text -> text, concepts -> concepts",
        "questions imported: 2 (en 1, zh 1)",
        "duplicates linked: 1",
        "lines refused: 0",
        "concepts created: 1 in 'maths'",
    ]
    assert err == ""


@pytest.mark.django_db
def test_skip_invalid_imports_the_rest_and_still_lists_the_refused(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(lines({"text": 5}))
    out, err = run(path, "--skip-invalid")
    assert "questions imported: 1" in out
    assert err == "line 2: text must be a string, not a number\n"
    assert Question.objects.count() == 1


@pytest.mark.django_db
def test_a_dry_run_lists_what_would_be_refused_and_fails_as_the_import_would(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(lines({"text": 5}))
    before = bank()
    with pytest.raises(CommandError, match="1 line of 2"):
        run(path, "--dry-run")
    out, err = run(path, "--dry-run", "--skip-invalid")
    assert "questions would be imported: 1" in out
    assert err == "line 2: text must be a string, not a number\n"
    assert bank() == before


@pytest.mark.django_db
def test_json_is_the_only_thing_on_standard_output(tmp_path):
    path = tmp_path / "q.csv"
    path.write_text("text,answer\n1 + 1,2\n")
    out, _ = run(path, "--json", "--source", "mine", "--hierarchy", "h", "--format", "csv")
    report = json.loads(out)
    assert (report["created"], report["source"], report["hierarchy"]) == (1, "mine", "h")


@pytest.mark.django_db
def test_lines_with_the_same_mistake_are_one_sentence(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(lines(*[{"text": 5}] * 70, *[{"text": "1", "difficulty": f"?{n}"} for n in range(9)]))
    err = io.StringIO()
    with pytest.raises(CommandError, match="79 lines of 80"):
        call_command("import_questions", str(path), stderr=err)
    assert err.getvalue().splitlines() == [
        "70 lines: text must be a string, not a number; first in lines 2, 3, 4, 5, 6",
        "9 lines: difficulty '?0' is not a number, a level or a word such as easy"
        " (also '?1', '?2', '?3', '?4' and 4 others); first in lines 72, 73, 74, 75, 76",
        "To import these lines without what cannot be read: --without difficulty",
    ]
    out, _ = run(path, "--skip-invalid", "--without", "difficulty")
    assert "questions imported: 2" in out


@pytest.mark.django_db
def test_vectors_are_computed_afterwards_unless_told_otherwise(tmp_path, monkeypatch):
    called = []
    monkeypatch.setattr(import_questions, "call_command", lambda name, **options: called.append(name))
    path = tmp_path / "q.jsonl"
    path.write_bytes(lines())
    call_command("import_questions", str(path), stdout=io.StringIO())
    assert called == ["embed_questions"]
    call_command("import_questions", str(path), stdout=io.StringIO())  # nothing new
    call_command("import_questions", str(path), "--dry-run", stdout=io.StringIO())
    assert called == ["embed_questions"]
    assert not Run.objects.filter(kind="embed").exists()


def test_the_command_line_itself_ends_with_exit_code_1_and_no_trace(tmp_path):
    """In a process of its own, with a new bank."""
    path = tmp_path / "q.jsonl"
    path.write_bytes(lines(b'{"text": "\xff"}'))
    environment = {**os.environ, "VAR_DIR": str(tmp_path / "var"), "DEMO": "1"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    try:
        done = subprocess.run(
            [sys.executable, "manage.py", "import_questions", str(path), "--no-embed"],
            cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    finally:  # as root the server's data lie outside the folder, which its user cannot enter
        shutil.rmtree(state_folder((tmp_path / "var").resolve()), ignore_errors=True)
    assert done.returncode == 1
    assert "line 2: invalid UTF-8 at byte 11 of the line (0xff)" in done.stderr
    assert "1 line of 2 in q.jsonl cannot be imported; nothing was written." in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.django_db
def test_a_hierarchy_worth_training_comes_with_a_word_on_how(tmp_path, monkeypatch):
    monkeypatch.setattr(import_questions, "FEWEST_TAGGED", 1)
    path = tmp_path / "my maths.jsonl"
    path.write_bytes(lines())
    out, err = run(path)
    assert "manage.py train probes --hierarchy 'my maths'" in out
    assert err == ""


@pytest.mark.django_db
def test_the_columns_of_a_foreign_table_can_be_named(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_bytes("Autor;Punkte;Niveau\nWie groß ist $x$;5;3\n".encode("windows-1252"))
    out, _ = run(path, "--column", "Autor=text", "--column", "Niveau=")
    assert "(CSV, Windows-1252, separated by semicolon, header in row 1)\n  columns: Autor -> text\n" in out
    assert "columns that are not read: Punkte, Niveau" in out
    assert Question.objects.get().text == "Wie groß ist $x$"
    with pytest.raises(CommandError, match="has no column 'Task'"):
        run(path, "--column", "Task=text")
    with pytest.raises(CommandError, match="is not FIELD=NAME"):
        run(path, "--column", "Autor")


@pytest.mark.django_db
@pytest.mark.parametrize("options", [(), ("--format", "moodle-xml")])
def test_a_file_of_items_is_imported_though_it_has_no_columns(tmp_path, options):
    path = tmp_path / "bank.xml"
    path.write_text(
        '<?xml version="1.0"?><quiz><question type="truefalse"><name><text>Sum</text></name>'
        '<questiontext format="html"><text>1 + 1 = 2</text></questiontext>'
        '<answer fraction="100"><text>true</text></answer><answer fraction="0"><text>false</text></answer>'
        "</question></quiz>"
    )
    run(path, *options)
    assert list(Question.objects.values_list("kind", "answer")) == [("true_false", "True")]
