"""`python -m analytics`: train, evaluate, export and run bulk jobs on files, without a database.

python -m analytics export encoder [--backbone NAME] [--adapter FOLDER] --output FOLDER
python -m analytics export paraphrase [--adapter FOLDER] --output FOLDER
python -m analytics export solver [--adapter FOLDER] --output FOLDER
python -m analytics export analogy [--adapter FOLDER] --output FOLDER
python -m analytics export-starters CAPABILITY[=ADAPTER] ... --output FOLDER
python -m analytics prepare-language-model --output FOLDER
python -m analytics train encoder --data FILE_OR_FOLDER --output FOLDER [--set name=value ...]
python -m analytics train paraphrase --data FILE_OR_FOLDER --output FOLDER [--set name=value ...]
python -m analytics train solver --data FILE_OR_FOLDER --output FOLDER [--set name=value ...]
python -m analytics train probes --data FILE_OR_FOLDER --output FOLDER [--set name=value ...]
python -m analytics evaluate probes --data FILE_OR_FOLDER --output FILE.json [--seeds 3]
python -m analytics embed --model FOLDER --input FILE ... --output FOLDER [--runner ray]
python -m analytics score --model FOLDER --input FILE ... --output FOLDER [--runner ray]

`torchrun --nproc-per-node=N -m analytics train ...` trains in N processes (docs/several-gpus.md).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from analytics.atomic_file import write_json
from analytics.bulk.files import arrow_modules
from analytics.bulk.jobs import CHARACTER_NGRAMS, Embed, Job, Score
from analytics.bulk.run import HERE, Cluster, JobRun, Runner, in_processes, in_this_process, ray_runner
from analytics.capability import Capability
from analytics.catalog import CAPABILITIES
from analytics.configuration import config_from_strings, field_specs, named_values
from analytics.errors import AnalyticsError
from analytics.language_model.packaged import prepare_packaged_model
from analytics.training.context import FileOptions, TrainingContext, wait_passively


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return 0, or print one sentence to standard error and return 1 if it fails."""
    options = _parser().parse_args(arguments)
    wait_passively()
    try:
        if options.command == "export-starters":
            _export_starters(options)
        elif options.command == "prepare-language-model":
            os.nice(10)  # leave the processor to interactive processes
            prepare_packaged_model(options.output)
        elif hasattr(options, "job"):
            _say(_run_bulk(options))
        else:
            _COMMANDS[options.command](CAPABILITIES[options.capability], options)
    except AnalyticsError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"{error.filename or options.output}: {error.strerror or error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write(
            "Stopped. Run the same command again to resume.\n" if hasattr(options, "job") else "Stopped.\n"
        )
        return 130
    return 0


def _train(capability: Capability[Any], options: argparse.Namespace) -> None:
    from analytics.training.distributed import is_main, process_group  # torch takes seconds to load

    files = FileOptions(options.backbone, options.language, options.hierarchy)
    context = TrainingContext(license_note=options.license_note)
    with process_group():
        if is_main():
            context = replace(context, say=_say)
        manifest = capability.train(options.data, options.output, _config(capability, options), files, context)
        if is_main():
            sys.stdout.write(json.dumps(manifest.metrics, indent=2, ensure_ascii=False) + "\n")


def _evaluate(capability: Capability[Any], options: argparse.Namespace) -> None:
    figures = capability.evaluate(
        options.data,
        _config(capability, options),
        backbone=options.backbone,
        language=options.language,
        seeds=options.seeds,
        say=_say,
    )
    write_json(options.output, figures)
    sys.stdout.write(json.dumps(figures["mean"], indent=2, ensure_ascii=False) + "\n")


def _export(capability: Capability[Any], options: argparse.Namespace) -> None:
    manifest = capability.export(options.output, backbone=options.backbone, adapter=options.adapter)
    _say(f"{manifest.name} was written to {options.output}")


def _export_starters(options: argparse.Namespace) -> None:
    """Export several starters, each to a numbered folder, starting at 0; PyTorch is loaded only once."""
    first, step = options.share
    for number, (word, adapter) in list(enumerate(options.starters))[first::step]:
        folder = options.output / str(number)
        manifest = CAPABILITIES[word].export(folder, backbone="", adapter=adapter)
        _say(f"{manifest.name} was written to {folder}")


def _share_argument(text: str) -> tuple[int, int]:
    """Parse ``K/N``: every Nth starter, starting at number K."""
    first, _slash, step = text.partition("/")
    return int(first), int(step)


def _starter_argument(text: str) -> tuple[str, Path | None]:
    """Parse ``capability`` or ``capability=adapter``."""
    word, _equals, adapter = text.partition("=")
    if word not in CAPABILITIES or not CAPABILITIES[word].can("export"):
        raise argparse.ArgumentTypeError(f"{word!r} is not a capability that can be exported")
    return word, Path(adapter) if adapter else None


_COMMANDS = {"train": _train, "evaluate": _evaluate, "export": _export}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m analytics", description="Question analytics.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command in _COMMANDS:
        able = [word for word, capability in CAPABILITIES.items() if capability.can(command)]
        subparser = commands.add_parser(
            command,
            epilog=_settings(able) if command != "export" else "",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        subparser.add_argument("capability", choices=able)
        subparser.add_argument("--output", type=Path, required=True)
        subparser.add_argument("--backbone", default="", help="encoder: packaged name, local folder or hub id")
        if command == "export":
            subparser.add_argument("--adapter", type=Path, help="folder of an adapter to merge into the encoder")
            continue
        subparser.add_argument("--data", type=Path, required=True, help="JSON Lines file, or a folder of them")
        subparser.add_argument("--language", default="", help="use the questions of one language, e.g. en")
        subparser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE")
        if command == "train":
            subparser.add_argument("--hierarchy", default="", help="name of the concept hierarchy")
            subparser.add_argument("--license-note", default="", help="terms of the data, for the manifest")
        else:
            subparser.add_argument("--seeds", type=int, default=3, help="number of splits")
    starters = commands.add_parser("export-starters", description="Export several starters in one process.")
    starters.add_argument("starters", nargs="+", type=_starter_argument, metavar="CAPABILITY[=ADAPTER]")
    starters.add_argument("--output", type=Path, required=True, help="gets a folder for each, numbered from 0 on")
    starters.add_argument(
        "--share",
        type=_share_argument,
        default=(0, 1),
        metavar="K/N",
        help="export every Nth alone, from K on: other processes do the others",
    )
    language_model = commands.add_parser(
        "prepare-language-model", description="Write the packaged language model as a folder of transformers."
    )
    language_model.add_argument("--output", type=Path, required=True, help="folder, named as the model")
    _add_bulk_commands(commands)
    return parser


def _settings(words: Sequence[str]) -> str:
    lines = []
    for word in words:
        lines.append(f"settings of {word} (--set name=value):")
        specs = field_specs(CAPABILITIES[word].config)
        lines += [f"  {spec.name} ({spec.default}): {spec.help}" for spec in specs]
    return "\n".join(lines)


def _config(capability: Capability[Any], options: argparse.Namespace) -> Any:
    return config_from_strings(capability.config, named_values(options.settings))


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


_BLOCK_ROWS = 4096  # half a minute of one core's work: little is lost in a crash, and a GPU is kept busy


def _add_bulk_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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


def _run_bulk(options: argparse.Namespace) -> str:
    """Run a job and return a sentence that describes what was done.

    Raises:
        AnalyticsError: the job fails.
        OSError: the output cannot be written.
    """
    arrow_modules()
    job: Job = options.job(options)
    run = JobRun(job, options.input, options.block_rows, options.output, _say)
    with _runner(options) as runner:
        return run.run(runner)


@contextmanager
def _runner(options: argparse.Namespace) -> Iterator[Runner]:
    if options.runner == "ray":
        with ray_runner(Cluster(options.address, options.nodes, options.wait), _say) as runner:
            yield runner
    elif options.processes > 1:
        yield partial(in_processes, options.processes)
    else:
        yield in_this_process


if __name__ == "__main__":
    sys.exit(main())
