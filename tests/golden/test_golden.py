"""The comparison, and a part of each kind: a page and a file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from django.db import transaction

from tests.golden import pages
from tests.golden.__main__ import compare, main
from tests.golden.parts import PARTS
from tests.golden.texts import difference, file_text, html_lines, normalised
from tests.questionbank.page_bank import make_bank


def write(folder: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_equal_folders_do_not_differ(tmp_path):
    texts = {"home/teacher": "200\n", "statements": "5 home\n"}
    assert compare(write(tmp_path / "a", texts), write(tmp_path / "b", texts)) == ([], 0)


def test_a_changed_a_new_and_a_missing_text_are_named(tmp_path):
    recorded = write(tmp_path / "a", {"same": "x\n", "changed": "1\n2\n3\n", "old": "x\n"})
    checked = write(tmp_path / "b", {"same": "x\n", "changed": "1\ntwo\n3\n", "fresh": "x\n"})
    lines, count = compare(recorded, checked)
    assert count == 3
    assert [line.strip() for line in lines] == [
        "changed", "(from line 1) @@ -1,3 +1,3 @@", "1", "-2", "+two", "3", "fresh: new", "old: gone",
    ]  # fmt: skip


def test_a_long_difference_is_cut():
    before, now = ("".join(f"{word} {number}\n" for number in range(10_000)) for word in ("old", "new"))
    assert len(list(difference(before, now, lines=12))) == 13


def test_of_a_long_line_the_place_that_differs_is_shown():
    lines = list(difference("x" * 5000 + "one", "x" * 5000 + "two", lines=12))
    assert lines[1].startswith("-...xxx")
    assert "one..." in lines[1]
    assert "two..." in lines[2]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('<input name="csrfmiddlewaretoken" value="aB1">', '<input name="csrfmiddlewaretoken" value="cD2">'),
        ("script-src 'nonce-abc='", "script-src 'nonce-def='"),
        ("2026-11-29T02:05:01.5+00:00", "2027-01-02T13:45:00+00:00"),
        ("29 Nov 2026, 02:05", "2 January 2027, 13:45"),
        (f"?cursor=WyIx%3A1xXV8t%3A{'a' * 43}", f"?cursor=WyIx%3A1xXV9u%3A{'b' * 43}"),
        ("29 Nov, 02:05", "2 Jan, 13:45"),
        ('<time datetime="x">3 days</time>', '<time datetime="x">5 weeks</time>'),
        ("3 minutes ago", "1 hour, 2 minutes ago"),
        ("/static/css/site.0123456789ab.css", "/static/css/site.ba9876543210.css"),
    ],
)
def test_what_differs_between_two_runs_is_taken_out(first, second):
    assert normalised(first) == normalised(second) != first


def test_a_tag_stands_on_a_line_of_its_own():
    assert html_lines("<ul>\n  <li>One  two</li></ul>") == "<ul>\n<li>One two\n</li>\n</ul>\n"


def test_bytes_that_are_no_text_stand_as_their_digest():
    assert file_text(b"\xff\x00").startswith("2 bytes, sha256 ")


def test_a_page_of_five_people_is_the_same_text_twice(db, teacher, reviewer, admin_person, tmp_path):
    make_bank(teacher)
    (tmp_path / "requests.jsonl").write_text(json.dumps(["paste", "get", "/paste/", {}]) + "\n")
    recorded = []
    for _time in range(2):
        with transaction.atomic():
            recorded.append(dict(pages.pages(tmp_path, tmp_path)))
            recorded[-1].pop("statements")  # a process asks some things once
            transaction.set_rollback(True)
    for name in ("anonymous", "teacher", "reviewer", "admin"):  # nobody has another number the second time
        assert recorded[0][f"paste/{name}"] == recorded[1][f"paste/{name}"]
    status = {name: text.split("\n")[1] for name, text in recorded[0].items()}
    assert [status[f"paste/{person}"] for person in pages.PEOPLE] == ["302", "403", "200", "200", "200"]


def test_a_part_is_checked_against_its_recording(tmp_path, capsys):
    folder = tmp_path / "samples"
    (folder / "inputs" / "auto").mkdir(parents=True)
    (folder / "inputs" / "auto" / "quiz.gift").write_text("::Sum:: 2 + 2? {=4 ~5}\n")
    (folder / "inputs" / "auto" / "broken.xml").write_text("<quiz><question>")
    write(folder / "outputs", {"auto/quiz.gift": "another\n", "auto/broken.xml": "another\n"})
    arguments = ["check", "--into", str(tmp_path), "--only", "samples"]
    assert main(arguments) == 1
    assert capsys.readouterr().out.startswith("samples: 2 differ")
    found = {path.name: json.loads(path.read_text()) for path in (folder / "checked" / "auto").iterdir()}
    assert found["quiz.gift.txt"][1][1]["text"] == "2 + 2?"
    assert found["broken.xml.txt"][-1][0] == "refused"
    shutil.rmtree(folder / "outputs")
    (folder / "checked").rename(folder / "outputs")
    assert main(arguments) == 0


def test_nothing_is_checked_without_a_recording(tmp_path):
    with pytest.raises(SystemExit, match="not recorded"):
        main(["check", "--into", str(tmp_path), "--only", next(iter(PARTS))])
