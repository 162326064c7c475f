"""A job over blocks on this machine: once, twice, killed in the middle, and what it refuses."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from analytics.__main__ import main
from analytics.artifacts import artifact_amend, artifact_copy
from analytics.backbone.export import save_backbone
from analytics.bulk import jobs
from analytics.bulk.files import finished_manifest, read_block, read_results, write_block
from analytics.bulk.jobs import BlockWork, Embed
from analytics.bulk.run import in_processes
from analytics.catalog import ANALOGY, ENCODER
from analytics.errors import EngineError
from analytics.inference.encode import HashedNgramEncoder
from analytics.paraphrase.scorer import load_scorer
from analytics.question_content import content_digest
from tests.analytics.bulk.conftest import TEXTS, block_files, write_lines
from tests.analytics.paraphrase.tiny_scorer import tiny_scorer
from tests.tiny_backbone import tiny_backbone

BASE_DIR = Path(__file__).resolve().parents[3]
NGRAMS = ["--model", "char-ngrams", "--block-rows", "8"]


def embed(questions, output, *more):
    return main(["embed", "--input", str(questions), "--output", str(output), *map(str, more)])


def stored(folder) -> tuple[list[str], np.ndarray]:
    """Ids and vectors of all blocks, in order."""
    tables = list(read_results(folder, finished_manifest(folder, "embed")))
    ids = [identifier for table in tables for identifier in table["id"].to_pylist()]
    return ids, np.array([vector for table in tables for vector in table["vector"].to_pylist()])


def test_vectors_are_those_of_the_encoder_and_each_row_says_of_which_text(questions, tmp_path):
    assert embed(questions, tmp_path / "out", *NGRAMS) == 0
    ids, vectors = stored(tmp_path / "out")
    assert ids == [str(number) for number in range(50)]
    np.testing.assert_array_equal(vectors, HashedNgramEncoder().encode(TEXTS).astype(np.float16))
    table = pyarrow.parquet.read_table(tmp_path / "out" / "questions.jsonl-000001.parquet")
    assert table["text_hash"].to_pylist() == [content_digest([text]) for text in TEXTS[8:16]]
    assert str(table.schema.field("vector").type) == "fixed_size_list<element: halffloat>[512]"
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert (manifest["rows"], manifest["is_complete"], len(manifest["blocks"])) == (50, True, 7)
    assert manifest["about"]["encoder"] == "char-ngrams-512"


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_an_encoders_folder_gives_the_vectors_that_its_bulk_encoding_gives(questions, tmp_path, tiny_export, dtype):
    folder = tmp_path / "encoder"
    exported = _with_weights(tiny_export, folder, lambda aside: save_backbone(tiny_backbone(), aside / "backbone"))
    assert embed(questions, tmp_path / "out", "--model", exported, "--precision", dtype) == 0
    _ids, vectors = stored(tmp_path / "out")
    np.testing.assert_array_equal(vectors, ENCODER.encode_many(exported)(TEXTS).astype(dtype))


def _with_weights(export, folder, write) -> Path:
    artifact_amend(folder, artifact_copy(export, folder), write)
    return folder


def test_what_a_lens_does_not_compare_has_no_vector(tmp_path, monkeypatch):
    monkeypatch.setattr(Embed, "_lens", ANALOGY.lens)
    monkeypatch.setattr(type(ENCODER), "encode_many", lambda self, folder: HashedNgramEncoder(8).encode)
    columns = Embed().load()([(TEXTS[0],), ("Solve $x = 2$.",)])
    write_block(tmp_path, "block", ["1", "2"], columns, "digest")
    kept, left_out = read_block(tmp_path, "block", "digest")["vector"].to_pylist()
    np.testing.assert_array_equal(kept, HashedNgramEncoder(8).encode(TEXTS[:1])[0].astype(np.float16))
    assert left_out is None


def test_processes_give_the_same_files_as_one(questions, tmp_path):
    assert embed(questions, tmp_path / "one", *NGRAMS) == 0
    assert embed(questions, tmp_path / "two", *NGRAMS, "--processes", 2) == 0
    assert block_files(tmp_path / "one") == block_files(tmp_path / "two")


def test_what_is_there_and_whole_is_not_computed_again_and_what_is_damaged_is(questions, tmp_path, capsys, monkeypatch):
    output = tmp_path / "out"
    assert embed(questions, output, *NGRAMS) == 0
    before = block_files(output)
    times = {path.name: path.stat().st_mtime_ns for path in output.glob("*.parquet")}
    assert embed(questions, output, *NGRAMS) == 0
    assert "in 7 blocks, 7 of which were there already" in capsys.readouterr().err
    flipped, cut, lost = (output / f"questions.jsonl-{n:06d}.parquet" for n in (1, 3, 5))
    content = bytearray(flipped.read_bytes())
    content[len(content) // 2] ^= 1
    flipped.write_bytes(content)
    cut.write_bytes(cut.read_bytes()[:-100])
    lost.unlink()
    assert embed(questions, output, *NGRAMS) == 0
    assert "4 of which were there already" in capsys.readouterr().err
    assert block_files(output) == before
    untouched = output / "questions.jsonl-000000.parquet"
    assert untouched.stat().st_mtime_ns == times[untouched.name]


def test_only_blocks_whose_rows_have_changed_are_computed_again(questions, tmp_path, capsys):
    output = tmp_path / "out"
    assert embed(questions, output, *NGRAMS) == 0
    questions.write_text(questions.read_text().replace("Tom has 20 bags", "Tom has 21 bags"))
    assert embed(questions, output, *NGRAMS) == 0
    assert "6 of which were there already" in capsys.readouterr().err


def test_a_killed_command_leaves_whole_blocks_alone_and_the_next_one_goes_on(tmp_path):
    rows = [{"text": f"{text} {round}"} for round in range(8) for text in TEXTS]
    questions = write_lines(tmp_path / "q.jsonl", rows)
    output, options = tmp_path / "out", [*NGRAMS, "--processes", "2"]
    command = [sys.executable, "-m", "analytics", "embed", "--input", str(questions), "--output", str(output), *options]
    process = subprocess.Popen(command, cwd=BASE_DIR, stderr=subprocess.DEVNULL)
    while len(block_files(output)) < 3:
        assert process.poll() is None
        time.sleep(0.02)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = block_files(output)
    assert json.loads((output / "manifest.json").read_text())["is_complete"] is False
    (output / ".q.jsonl-000049.parquet.0123abcd").write_bytes(b"half")  # as a kill in the middle of writing leaves it
    assert embed(questions, output, *options) == 0
    assert len(left) < 50
    assert {name: content for name, content in block_files(output).items() if name in left} == left
    ids, _vectors = stored(output)
    assert len(ids) == len(rows)
    assert not list(output.glob(".*.parquet.*"))
    assert not [child for child in children if _runs(child, "analytics")]


def _runs(process: str, word: str) -> bool:
    try:
        return word in Path(f"/proc/{process}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_process_of_several_is_a_sentence():
    with pytest.raises(EngineError, match="A process was killed, perhaps because memory is full"):
        list(in_processes(2, signal.raise_signal, [("block", signal.SIGKILL)]))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--model", "nowhere"], "nowhere is not a model folder"),
        (["--model", "char-ngrams", "--text-field", "question"], "holds no row with question"),
        (["--model", "char-ngrams", "--input", "nowhere.parquet"], "There is no file nowhere.parquet"),
        (["--model", "char-ngrams", "--output", "/proc/none"], "/proc/none: "),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_leaves_nothing(questions, tmp_path, capsys, arguments, reason):
    assert embed(questions, tmp_path / "out", *arguments) == 1
    captured = capsys.readouterr()
    assert reason in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_of_another_model_or_of_another_process_is_refused(questions, tmp_path, capsys):
    output = tmp_path / "out"
    assert embed(questions, output, *NGRAMS) == 0
    before = block_files(output)
    assert embed(questions, output, *NGRAMS, "--precision", "float32") == 1
    assert "has results of another model or job: choose another folder." in capsys.readouterr().err
    assert block_files(output) == before
    with (output / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert embed(questions, output, *NGRAMS) == 1
    assert "Another command is writing to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "arguments", "reason"),
    [
        ("pyarrow", [], r"Parquet files need pyarrow: install it with pip install '.[scale]'."),
        ("ray", ["--runner", "ray"], r"Ray is not installed: install it with pip install '.[scale]'."),
    ],
)
def test_an_engine_that_is_not_installed_says_how_to_install_it(
    questions, tmp_path, capsys, monkeypatch, module, arguments, reason
):
    monkeypatch.setitem(sys.modules, module, None)
    assert embed(questions, tmp_path / "out", *NGRAMS, *arguments) == 1
    assert capsys.readouterr().err.strip() == reason


def test_other_versions_or_another_model_on_a_machine_are_refused(monkeypatch):
    job = Embed("char-ngrams")
    about, versions = json.dumps(job.about(), sort_keys=True), tuple(jobs.installed_versions().items())
    assert BlockWork(job, about, versions)([("a",)])["vector"].shape == (1, 512)
    other = tuple((name, "1.0" if name == "torch" else number) for name, number in versions)
    with pytest.raises(EngineError, match=r"The machine \S+ has torch .*, this one 1\.0: install the same"):
        BlockWork(job, about, other)([("a",)])
    with pytest.raises(EngineError, match=r"On the machine \S+: the model there differs from the one here"):
        BlockWork(job, "{}", versions)([("a",)])
    with pytest.raises(EngineError, match=r"On the machine \S+: \S+ is not a model folder"):
        BlockWork(Embed("/nowhere"), about, versions)([("a",)])


def test_scores_are_those_of_the_scorer_and_none_where_it_cannot_read(tmp_path, monkeypatch):
    scorer = tiny_scorer(tmp_path / "scorer")
    pairs = [(TEXTS[0], TEXTS[0].replace("Tom", "Ann")), ("一共有多少人？", "有多少人？")]
    path = write_lines(
        tmp_path / "pairs.jsonl", [{"original": original, "paraphrase": other} for original, other in pairs]
    )
    assert main(["score", "--input", str(path), "--output", str(tmp_path / "out"), "--model", str(scorer)]) == 0
    [table] = read_results(tmp_path / "out", finished_manifest(tmp_path / "out", "score"))
    expected = load_scorer(scorer).score(pairs[:1])[0]
    assert table["score"].to_pylist() == [pytest.approx(expected.score), None]
    assert table["verdict"].to_pylist() == [expected.verdict, None]
