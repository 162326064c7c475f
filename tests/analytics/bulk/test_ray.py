"""Two machines of Ray, as two nodes on this one, of which one is killed while it works."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics.__main__ import main
from tests.analytics.bulk.conftest import TEXTS, block_files, write_lines
from tests.ray_nodes import RayNodes

pytest.importorskip("ray", reason="Ray is not installed: it is in the extra `scale`, which CI leaves out")

BASE_DIR = Path(__file__).resolve().parents[3]


@pytest.fixture
def nodes(tmp_path_factory) -> Iterator[RayNodes]:
    """A head of one processor; all nodes are gone afterwards."""
    with RayNodes() as started:
        yield started


def command(questions, output, nodes, *more):
    options = ["--model", "char-ngrams", "--block-rows", "8", "--runner", "ray", "--address", nodes.address]
    return ["embed", "--input", str(questions), "--output", str(output), *options, *more]


def test_two_nodes_of_which_one_is_killed_write_the_files_that_this_process_writes(nodes, tmp_path):
    rows = [{"text": f"{text} {round}"} for round in range(8) for text in TEXTS]
    questions = write_lines(tmp_path / "q.jsonl", rows)
    alone = ["embed", "--input", str(questions), "--output", str(tmp_path / "alone"), "--model", "char-ngrams"]
    assert main([*alone, "--block-rows", "8"]) == 0
    nodes.add()
    output = tmp_path / "out"
    arguments = command(questions, output, nodes, "--nodes", "2")
    log = tmp_path / "log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "analytics", *arguments], cwd=BASE_DIR, env=nodes.environment, stderr=stream
        )
    while len(block_files(output)) < 2:
        assert process.poll() is None, log.read_text()
        time.sleep(0.01)
    nodes.kill_last()
    assert process.wait(300) == 0, log.read_text()
    assert block_files(output) == block_files(tmp_path / "alone")


def test_more_nodes_than_join_is_a_sentence_and_nothing_is_written(nodes, tmp_path, capsys):
    questions = write_lines(tmp_path / "q.jsonl", [{"text": text} for text in TEXTS])
    arguments = command(questions, tmp_path / "out", nodes, "--nodes", "2", "--wait", "1")
    done = subprocess.run(
        [sys.executable, "-m", "analytics", *arguments],
        cwd=BASE_DIR,
        env=nodes.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"1 of 2 machines have joined {nodes.address} after 1 seconds: start Ray on the others, or ask for fewer with"
        " --nodes."
    )
    assert not (tmp_path / "out").exists()


REFUSING = """
import sys
from analytics.bulk.run import Cluster, ray_runner
from analytics.errors import EngineError

def refuse(error):
    raise error

for error in (EngineError("The machine has other versions."), ModuleNotFoundError("No module named 'analytics'")):
    try:
        with ray_runner(Cluster(sys.argv[1]), print) as runner:
            list(runner(refuse, [("block", error)]))
    except EngineError as refusal:
        print(refusal)
"""


def test_what_fails_on_a_machine_is_a_sentence_here(nodes):
    command = [sys.executable, "-c", REFUSING, nodes.address]
    done = subprocess.run(command, cwd=BASE_DIR, env=nodes.environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "The machine has other versions.",
        "A block failed on another machine: No module named 'analytics'.",
    ]


def test_an_address_where_nothing_answers_is_said_at_once(tmp_path, capsys):
    questions = write_lines(tmp_path / "q.jsonl", [{"text": TEXTS[0]}])
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        arguments = ["embed", "--input", str(questions), "--output", str(tmp_path / "out"), "--model", "char-ngrams"]
        assert main([*arguments, "--runner", "ray", "--address", address]) == 1
    assert capsys.readouterr().err.startswith(f"Nothing answers at {address}: ")
    assert not (tmp_path / "out").exists()
