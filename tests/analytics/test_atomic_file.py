"""Files that are written whole or not at all."""

from __future__ import annotations

import json
import stat

import pytest

from analytics.atomic_file import write_json, written_aside


def test_a_file_is_replaced_at_the_end_and_keeps_its_mode(tmp_path):
    target = tmp_path / "notes"
    target.write_text("old")
    with written_aside(target, mode=0o600) as stream:
        stream.write(b"new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_an_error_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    target = tmp_path / "notes"
    target.write_text("old")
    with pytest.raises(TypeError), written_aside(target) as stream:
        stream.writelines([b"half", "text"])
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]
    assert target.read_text() == "old"


def test_json_is_written_as_people_read_it(tmp_path):
    write_json(tmp_path / "figures.json", {"share": 0.5, "name": "角"})
    assert (tmp_path / "figures.json").read_text(encoding="utf-8") == '{\n  "share": 0.5,\n  "name": "角"\n}\n'
    assert json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["share"] == 0.5
