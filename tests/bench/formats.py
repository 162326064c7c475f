# ruff: noqa: E501 - lines as Moodle writes them
"""A large Moodle bank in and out, and GIFT read, each in a process of its own.

    python -m tests.bench.formats [--questions 4000] [--gift 100000]

The gates: 4,000 questions with 1,400 pictures (110 MB) in at most 12 s, out in at most 8 s, with at most 250 MB; 100,000
questions of GIFT read in at most 30 s. The files are made here.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

from tests.bench.benchmark import gate, in_own_process, read_options
from tests.bench.imports import in_own_database
from tests.bench.memory import peak_megabytes
from tests.pictures import png

MOST_IN, MOST_OUT, MOST_MEGABYTES, MOST_GIFT = 12, 8, 250, 30
PICTURES, PICTURE_BYTES = 1_400, 58_000
TYPES = ("stack", "multichoice", "numerical", "description")


def main() -> int:
    """Print the figures; the exit code is 1 where a gate is missed."""
    options = read_options(questions=4_000, gift=100_000, child="", file=Path())
    if options.child:
        done = in_own_database(moodle, options.file) if options.child == "moodle" else gift(options.file)
        print(json.dumps(done))
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        bank, quiz = Path(scratch) / "bank.xml", Path(scratch) / "quiz.gift"
        write_moodle(bank, options.questions)
        write_gift(quiz, options.gift)
        moved, read = in_own_process("moodle", bank), in_own_process("gift", quiz)
        size = bank.stat().st_size / 1e6
    print(f"Moodle XML: {options.questions:,} questions, {size:.0f} MB, peak {moved['megabytes']:.0f} MB")
    print(f"   in {moved['in']:.1f} s, out {moved['out']:.1f} s, questions {moved['created']:,}, same {moved['same']}")
    print(f"GIFT: {read['questions']:,} questions read in {read['seconds']:.1f} s, peak {read['megabytes']:.0f} MB")
    return gate(
        f"in {MOST_IN} s, out {MOST_OUT} s, {MOST_MEGABYTES} MB, GIFT {MOST_GIFT} s",
        moved["in"] <= MOST_IN
        and moved["out"] <= MOST_OUT
        and moved["megabytes"] <= MOST_MEGABYTES
        and read["seconds"] <= MOST_GIFT,
    )


def moodle(path: Path) -> dict[str, Any]:
    """Import a bank and export it."""
    from django.conf import settings

    from questionbank.imports.export_services import export_file
    from questionbank.imports.services import import_file

    place = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": path.parent / "files"}}
    settings.STORAGES = {**settings.STORAGES, "attachments": place}
    began = time.perf_counter()
    report = import_file(path=path, embed=False)
    imported = time.perf_counter()
    out = path.with_name("out.xml")
    export_file(path=out, format="moodle-xml", filters={})
    exported = time.perf_counter()
    return {
        "in": imported - began,
        "out": exported - imported,
        "created": report.created,
        "same": out.read_bytes().split() == path.read_bytes().split() if path.stat().st_size < 2e7 else "not compared",
    }


def gift(path: Path) -> dict[str, Any]:
    """Read a file of GIFT."""
    from questionbank.formats import read

    began = time.perf_counter()
    count = sum(hasattr(entry, "options") for _line, entry in read(path))
    return {"questions": count, "seconds": time.perf_counter() - began, "megabytes": peak_megabytes()}


def write_moodle(path: Path, questions: int) -> None:
    """Write a bank as Moodle exports it: a third of another type, a third with a picture."""
    rng = random.Random(2026)
    pictures = 0
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n')
        for number in range(questions):
            if number % 40 == 0:
                category = f"$course$/top/Area {number // 400}/Topic {number // 40}"
                file.write(f'<question type="category"><category><text>{category}</text></category></question>\n')
            picture = shown = ""
            if number * PICTURES // questions > pictures:
                pictures += 1
                data = b64encode(png(number % 250) + rng.randbytes(PICTURE_BYTES)).decode()
                picture = f'<file name="p{number}.png" path="/" encoding="base64">{data}</file>'
                shown = f'<p><img src="@@PLUGINFILE@@/p{number}.png" alt="a graph"></p>'
            kind = TYPES[number % len(TYPES)]
            file.write(
                f'<!-- question: {number} -->\n<question type="{kind}"><name><text>Question {number}</text></name>'
                f'<questiontext format="html"><text><![CDATA[<p>Let <em>f</em> be \\(f(x) = {number} x^2 + x\\). Find its'
                f" least value {{@p{number}@}}.</p><ul><li>one</li><li>two</li></ul>{shown}<p>{'More words. ' * 20}</p>]]>"
                f'</text>{picture}</questiontext><generalfeedback format="html"><text><![CDATA[<p>It is \\(x={number}\\).</p>]]>'
                f"</text></generalfeedback><idnumber>id{number}</idnumber>{_body(kind, number)}</question>\n"
            )
        file.write("</quiz>\n")


def _body(kind: str, number: int) -> str:
    if kind == "multichoice":
        answers = (
            f'<answer fraction="{100 if place == 0 else 0}" format="html"><text><![CDATA[<p>\\({place}+{number}\\)</p>]]></text>'
            '<feedback format="html"><text></text></feedback></answer>'
            for place in range(4)
        )
        return f"<single>true</single>{''.join(answers)}"
    if kind == "numerical":
        return f'<answer fraction="100"><text>{number}</text><tolerance>0.1</tolerance></answer>'
    return f"<questionvariables><text>p{number}: rand(5);{'x: 1; ' * 150}</text></questionvariables>"


def write_gift(path: Path, questions: int) -> None:
    """Write a quiz of multiple-choice questions with feedback."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(questions):
            if number % 100 == 0:
                file.write(f"$CATEGORY: $course$/top/Sums/{number // 100}\n\n")
            file.write(
                f"::Sum {number}::[html]<p>What is \\({number} + 1\\)?</p>{{\n\t={number + 1}#Right\n\t~{number}#Count on\n"
                f"\t~%50%{number + 2}\n}}\n\n"
            )


if __name__ == "__main__":
    raise SystemExit(main())
