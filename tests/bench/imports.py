"""Importing questions, beside Django's `bulk_create` of the same rows.

    python -m tests.bench.imports [--rows 100000] [--compared-rows 10000] [--data FOLDER]

Each way runs in a process of its own against an empty database of its own on the embedded server. The gate:
100,000 questions in at most 40 s, the importing process in at most 500 MB. Rows come from the public sets
where they are at hand, concepts, options and repeats as published; else they are generated.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.bench.benchmark import gate, in_own_process, read_options
from tests.bench.memory import peak_megabytes

MOST_SECONDS, MOST_MEGABYTES, GATE_ROWS = 40, 500, 100_000
KEPT = ("text", "language", "options", "answer", "solution", "equation", "numbers", "concepts", "difficulty")


def main() -> int:
    """Print a table; the exit code is 1 where the gate is missed."""
    options = read_options(rows=GATE_ROWS, compared_rows=10_000, child="", file=Path())
    if options.child:
        print(json.dumps(in_own_database(WAYS[options.child], options.file)))
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "questions.jsonl.gz"
        origin = write_rows(path, options.rows, options.data)
        few = Path(scratch) / "few.jsonl.gz"
        write_rows(few, min(options.rows, options.compared_rows), options.data)
        print(f"{options.rows:,} rows ({origin}), {path.stat().st_size / 1e6:.1f} MB compressed")
        bulk = in_own_process("bulk_create", few)
        ours = in_own_process("import_file", path)
    print(f"{'':14}{'rows':>10}{'seconds':>10}{'rows/s':>10}{'peak MB':>10}")
    for name, run in (("bulk_create", bulk), ("import_file", ours)):
        speed = run["rows"] / run["seconds"]
        print(f"{name:14}{run['rows']:10,}{run['seconds']:10.1f}{speed:10,.0f}{run['megabytes']:10.0f}")
    for phase, seconds in ours["phases"].items():
        rate = ours["rows"] / max(seconds, 0.001)
        print(f"   {seconds / ours['seconds']:4.0%} {seconds:6.1f} s {rate:9,.0f} rows/s  {phase}")
    print(f"each process that reads: {ours['reader_megabytes']:.0f} MB at most")
    print(f"created {ours['created']:,}, duplicates {ours['duplicates']:,}, concepts {ours['concepts_created']:,}")
    ratio = (ours["rows"] / ours["seconds"]) / (bulk["rows"] / bulk["seconds"])
    print(f"{ratio:.1f} times the speed of bulk_create")
    allowed = MOST_SECONDS * options.rows / GATE_ROWS
    return gate(
        f"{ours['seconds']:.1f} s <= {allowed:g} s, {ours['megabytes']:.0f} MB <= {MOST_MEGABYTES} MB",
        ours["seconds"] <= allowed and ours["megabytes"] <= MOST_MEGABYTES,
    )


def write_rows(path: Path, rows: int, data: Path, note: str = "") -> str:
    """Write the rows, with a note behind each text; returns where they come from."""
    names = sorted(data.glob("*/*.jsonl.gz")) if data.is_dir() else []
    source = published(names, rows) if names else generated(rows)
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        for number, row in enumerate(source):
            named = {"id": f"bench-{number}{note}", **row, "text": row["text"] + note}
            file.write(json.dumps(named, ensure_ascii=False) + "\n")
    return "public sets" if names else "generated"


def published(files: list[Path], rows: int) -> Iterator[dict[str, Any]]:
    """Rows of all the public sets in turns, over and over with a number behind the text where they run out."""
    written = turn = 0
    while written < rows:
        turn += 1
        streams = [gzip.open(file, "rt", encoding="utf-8") for file in files]  # noqa: SIM115 - closed below
        open_streams = list(zip(files, streams, strict=True))
        while open_streams and written < rows:
            for pair in tuple(open_streams):
                line = next(pair[1], None)
                if line is None:
                    open_streams.remove(pair)
                    continue
                row = json.loads(line)
                paths = [[pair[0].parent.name, *path] for path in row.get("concepts") or []]
                if "text" not in row or any(has_cycle(path) for path in paths) or written == rows:
                    continue
                kept = {name: row[name] for name in KEPT if name in row} | {"concepts": paths}
                if turn > 1:
                    kept["text"] += f" ({turn})"
                written += 1
                yield kept
        for stream in streams:
            stream.close()


def has_cycle(path: list[str]) -> bool:
    """As one set has it, whose paths are lists of operations."""
    return any(name in path[: place - 1] for place, name in enumerate(path) if place > 1 and path[place - 1] != name)


def generated(rows: int) -> Iterator[dict[str, Any]]:
    """Yield word problems with formulas in a hierarchy of 1,300 concepts."""
    rng = random.Random(2026)
    people = ("Anna", "Ben", "Chen", "Dalia", "Emil", "Fatima")
    things = ("apples", "marbles", "stamps", "tickets", "pencils", "metres of rope")
    for _ in range(rows):
        first, second = rng.randrange(2, 10_000), rng.randrange(2, 10_000)
        concept = rng.randrange(1300)
        yield {
            "text": f"{rng.choice(people)} has ${first}$ {rng.choice(things)} and gets $\\frac{{{second}}}{{2}}$ "
            f"more from {rng.choice(people)} on day {rng.randrange(365)}. How many are there at the end?",
            "language": "en",
            "answer": str(first + second / 2),
            "solution": f"$${first}+\\frac{{{second}}}{{2}}={first + second / 2}$$",
            "equation": f"{first}+{second}/2",
            "concepts": [["Mathematics", f"Area {concept % 10}", f"Topic {concept % 130}", f"Concept {concept}"]],
        }


def in_own_database(way: Callable[[Path], dict[str, Any]], path: Path) -> dict[str, Any]:
    """Import into a new database, which is dropped afterwards."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from django.db import connection

    from questionbank import local as embedded
    from questionbank.core.env import var_dir

    embedded.ensure(var_dir(), services={"postgres"})
    own = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"bench_{os.getpid()}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        began = time.perf_counter()
        outcome = way(path)
        outcome["seconds"] = time.perf_counter() - began
    finally:
        connection.creation.destroy_test_db(own, verbosity=0)
    outcome["megabytes"] = peak_megabytes()
    outcome["reader_megabytes"] = peak_megabytes(resource.RUSAGE_CHILDREN)
    return outcome


def by_import_file(path: Path) -> dict[str, Any]:
    """Return what the command and the page do."""
    from questionbank.imports.options import ImportOptions
    from questionbank.imports.services import import_file

    return import_file(path=path, options=ImportOptions(source="bench"), embed=False).as_dict()


def by_bulk_create(path: Path) -> dict[str, Any]:
    """Return what one would write with Django: rows in memory, `bulk_create`, concepts one by one as they come."""
    from django.db import transaction

    from questionbank.bank.question_selectors import content_hash
    from questionbank.bank.search_index import search_vector
    from questionbank.core.errors import LineWarning
    from questionbank.formats import read
    from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question, QuestionEquation, QuestionTag

    concepts: dict[tuple[str, ...], KnowledgeConcept] = {}

    def concept(hierarchy: KnowledgeHierarchy, names: tuple[str, ...]) -> KnowledgeConcept:
        if names not in concepts:
            fields = {"hierarchy": hierarchy, "name": names[-1]}
            if len(names) == 1:
                concepts[names] = KnowledgeConcept.objects.add_root(fields)
            else:
                parent = concept(hierarchy, names[:-1])
                concepts[names] = KnowledgeConcept.objects.add_child(parent, fields)
        return concepts[names]

    seen: set[bytes] = set()
    records = []
    with transaction.atomic():
        hierarchy = KnowledgeHierarchy.objects.create(name="bench")
        rows = 0
        for _, record in read(path):
            if isinstance(record, LineWarning):
                continue
            rows += 1
            digest = content_hash(text=record.text, options=record.options)
            if digest not in seen:
                seen.add(digest)
                records.append((digest, record))
        questions = [
            Question(
                source="bench",
                source_id=record.id,
                text=record.text,
                language=record.language,
                kind=record.kind,
                options=[{"label": option.label, "text": option.text} for option in record.options],
                answer=record.answer,
                solution=record.solution,
                difficulty=record.difficulty,
                difficulty_scale=record.difficulty_scale,
                content_hash=digest,
                search_vector=search_vector(record),
            )
            for digest, record in records
        ]
        Question.objects.bulk_create(questions, batch_size=1000)
        pairs = list(zip(questions, (record for _, record in records), strict=True))
        QuestionEquation.objects.bulk_create(
            [
                QuestionEquation(question=question, expression=record.equation, numbers=list(record.numbers))
                for question, record in pairs
                if record.equation
            ],
            batch_size=1000,
        )
        QuestionTag.objects.bulk_create(
            [
                QuestionTag(question=question, concept=concept(hierarchy, names), set_by="import")
                for question, record in pairs
                for names in record.concepts
            ],
            batch_size=1000,
        )
    return {"rows": rows}


WAYS = {"import_file": by_import_file, "bulk_create": by_bulk_create}


if __name__ == "__main__":
    sys.exit(main())
