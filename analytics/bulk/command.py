"""`python -m analytics embed` and `score`: bulk jobs on files, without a bank."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from analytics.bulk.files import arrow_modules
from analytics.bulk.jobs import CHARACTER_NGRAMS, Embed, Job, Score
from analytics.bulk.ray_cluster import HERE, Cluster, ray_runner
from analytics.bulk.run import JobRun, Runner, in_processes, in_this_process

_BLOCK_ROWS = 4096  # half a minute of one core's work: little is lost in a crash, and a GPU is kept busy


def add_bulk_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the parsers of all jobs."""
    embed = commands.add_parser(Embed.word, description="Compute the vectors of questions in files.")
    embed.add_argument(
        "--model",
        default="",
        help=f"folder of an encoder or retriever, or {CHARACTER_NGRAMS}; by default Kindred's own encoder",
    )
    embed.add_argument("--precision", choices=("float16", "float32"), default="float16", help="the bank's is float16")
    embed.add_argument("--text-field", default="text", metavar="NAME", help="column that holds the questions (text)")
    embed.set_defaults(job=lambda options: Embed(options.model, options.precision, (options.text_field,)))
    score = commands.add_parser(Score.word, description="Score the paraphrases in files: original, paraphrase.")
    score.add_argument("--model", required=True, help="folder of a scorer")
    score.set_defaults(job=lambda options: Score(options.model))
    for parser in (embed, score):
        parser.add_argument(
            "--input", nargs="+", required=True, metavar="FILE", help="Parquet or JSON Lines; or a pattern"
        )
        parser.add_argument("--output", type=Path, required=True, help="folder; gets a Parquet file for each block")
        parser.add_argument("--block-rows", type=_positive, default=_BLOCK_ROWS, help=f"({_BLOCK_ROWS})")
        parser.add_argument("--runner", choices=("local", "ray"), default="local")
        parser.add_argument("--processes", type=_positive, default=1, help="local: on this machine (1)")
        parser.add_argument(
            "--address",
            default=HERE,
            help="ray: HOST:PORT of a cluster, auto for the one that this machine has joined; by default one is started"
            " here",
        )
        parser.add_argument("--nodes", type=_positive, default=1, help="ray: machines to wait for (1)")
        parser.add_argument("--wait", type=float, default=60.0, metavar="SECONDS", help="ray: for how long (60)")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def run_bulk_command(options: argparse.Namespace, say: Callable[[str], None]) -> str:
    """Run a job and return a sentence that describes what was done.

    Raises:
        AnalyticsError: the job fails.
        OSError: the output cannot be written.
    """
    arrow_modules()
    job: Job = options.job(options)
    run = JobRun(job, options.input, options.block_rows, options.output, say)
    with _runner(options, say) as runner:
        return run.run(runner)


@contextmanager
def _runner(options: argparse.Namespace, say: Callable[[str], None]) -> Iterator[Runner]:
    if options.runner == "ray":
        with ray_runner(Cluster(options.address, options.nodes, options.wait), say) as runner:
            yield runner
    elif options.processes > 1:
        yield partial(in_processes, options.processes)
    else:
        yield in_this_process
