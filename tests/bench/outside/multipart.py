"""Questions in parts by people who had not seen the code: what the bank says of them, and whether they are found."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from analytics.analysed_text import EACH_PART
from analytics.catalog import main_lens
from tests.bench.bank import encode_bank, set_up
from tests.bench.judged_search import first_page

SOURCE = "outside parts"
SHOWN = 10  # hits of a search that are looked at

Example = dict[str, Any]


def read_multipart(rows: Sequence[Example], *, var: Path, output: Path) -> None:
    """Import the examples beside the demo bank and print how many get their concept, a difficulty and are found.

    Args:
        rows: ``{"id", "text", "shared", "parts", "options", "concept", "also", "search"}``.
        output: where the first purpose hit of each is written, for a reader to judge.
    """
    set_up(var)
    from questionbank.demo.bank import HIERARCHY_NAME
    from questionbank.models import Question
    from questionbank.registry.serving import serving
    from questionbank.similar.insight import difficulty_figures, predict_or_none
    from questionbank.similar.similarity import fold_copies, similar_questions

    _open_bank(rows)
    models = serving()
    by_id = Question.objects.filter(source=SOURCE).in_bulk(field_name="pk")
    questions = {question.source_id: question for question in by_id.values()}
    counts = dict.fromkeys(("concept first", "concept in five", "difficulty", "found"), 0)
    lines = []
    for row in rows:
        question = questions[str(row["id"])]
        text = question.analysed_text
        prediction, reason = predict_or_none(text, models, question.language, HIERARCHY_NAME)
        paths = [concept.path for concept in prediction.concepts] if prediction else []
        wanted = [row["concept"], *row.get("also", [])]
        ranks = [place for place, path in enumerate(paths) if any(_names(name, path) for name in wanted)]
        figures = difficulty_figures(question, prediction)
        hits = first_page(row["search"])[:SHOWN]
        result = similar_questions(question=question, lens=main_lens().word, serving=models)
        purpose = fold_copies(result.hits)
        outcome = {
            "concept first": ranks[:1] == [0],
            "concept in five": bool(ranks),
            "difficulty": bool(figures),
            "found": question.pk in [hit.question.pk for hit in hits],
        }
        for name, is_so in outcome.items():
            counts[name] += is_so
        missing = ", ".join(name for name, is_so in outcome.items() if not is_so)
        print(f"{row['id']}: {'lacks ' + missing if missing else 'all'} [{row['concept']}] {reason}")
        for concept in (prediction.concepts if prediction else [])[:3]:
            print(f"    {concept.probability:.0%} {' > '.join(concept.path)}")
        first = purpose[0] if purpose else None
        print(f"    first purpose hit: {first.question.text[:90]!r} ({first.reason})" if first else "    no hit")
        lines.append(
            {
                "id": row["id"],
                "question": text,
                "first_hit": first.question.analysed_text if first else None,
                "reason": first.reason if first else result.notice,
                "fits": None,
            }
        )
    target = output / "multipart-purpose.jsonl"
    target.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")
    print(f"{len(rows)} questions in parts: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    print(f"written to {target}: say in each line whether the first hit fits")


def _names(name: str, path: Iterable[str]) -> bool:
    """Return whether a reader's name is the path's, or that of one of its concepts."""
    steps = [step.casefold() for step in path]
    return name.casefold() in [*steps, " > ".join(steps), "/".join(steps)]


def _open_bank(rows: Sequence[Example]) -> None:
    """Put the examples in place of earlier ones beside the demo bank, with vectors and probes."""
    from django.core.management import call_command

    from questionbank.imports.options import ImportOptions
    from questionbank.imports.services import import_file
    from questionbank.models import Question
    from questionbank.operations.setup import demo_bank_install
    from questionbank.registry.serving import serving

    Question.objects.filter(source=SOURCE).delete()
    demo_bank_install(report=print)
    encode_bank()
    if not serving().probe_artifacts:
        call_command("train", "probes", verbosity=0)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "multipart.jsonl"
        path.write_text("".join(f"{json.dumps(_line(row), ensure_ascii=False)}\n" for row in rows), "utf-8")
        options = ImportOptions(format="jsonl", source=SOURCE)
        print(f"imported: {import_file(path=path, options=options, embed=False).created} questions in parts")
    call_command("embed_questions", verbosity=0)


def _line(row: Example) -> Example:
    """Return an example as an import of a paper would write it."""
    shared, stem = row.get("shared") or "", row.get("text") or ""
    grading = {"parts": [{"text": part} for part in row["parts"]]}
    if shared and stem:
        grading["stimulus"] = {"text": shared}
    text = "\n\n".join(filter(None, [shared, stem])) or EACH_PART
    return {"id": str(row["id"]), "text": text, "kind": "parts", "grading": grading}
