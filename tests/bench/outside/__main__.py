"""Examples by people who had not seen the code, put through the product once.

    python -m tests.bench.outside PART [--examples FOLDER] [--output FOLDER] [--keep FOLDER]

Numbers, typed maths, word problems, verdicts on pairs, which of two is harder, texts that are mathematics or not, test
papers and questions in parts are counted; formulas, pastes, searches, imports and variants are written to a file that a
reader judges. The examples are in `examples/`, beside what the reader said of them.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.bench.bank import set_up
from tests.bench.benchmark import BASE_DIR, KEPT_IN, SHARED_DATA

EXAMPLES = Path(__file__).parent / "examples"
PLAIN = 0.5  # probability from which a page states an answer

Example = dict[str, Any]


def examples(folder: Path, name: str) -> list[Example]:
    """Return the lines of a file."""
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


def numbers(options: argparse.Namespace) -> None:
    """Count the sentences whose numbers are all read, in order."""
    from analytics.text.numbers import find_numbers

    outcomes = []
    for example in examples(options.examples, "numbers"):
        text = example["input"]
        mentions = find_numbers(text)
        readings = {tuple(m.value for m in mentions), tuple(-m.value if m.is_negative else m.value for m in mentions)}
        accepted = [example["expected"], *example.get("also", [])]
        right = any(tuple(map(Fraction, numbers)) in readings for numbers in accepted)
        outcomes.append("right" if right else "wrong")
        if not right:
            print(f"  {text[:90]}\n    expected {example['expected']}, read {[str(m.value) for m in mentions]}")
    report("numbers", outcomes)


def typed(options: argparse.Namespace) -> None:
    """Count the closed expressions whose value stays when they are written as LaTeX."""
    set_up_without_bank()
    from latex2sympy2_extended import latex2sympy

    from analytics.text.formulas import segment_text
    from questionbank.bank.question_fields import read_typed

    outcomes = []
    for example in examples(options.examples, "typed"):
        read = read_typed(example["input"]).text
        if example["value"] is None:
            print(f"  [{example['kind']}] {example['input']!r}\n    read {read!r}\n    expected {example['expected']}")
            continue
        formulas = [segment.body for segment in segment_text(read) if segment.kind != "text"]
        if not formulas:
            outcome = "left as typed"
        else:
            try:
                value = latex2sympy(max(formulas, key=len).rstrip("= ")).doit()
                outcome = "right" if abs(float(value) - float(Fraction(example["value"]))) < 1e-9 else "wrong value"
            except Exception as error:  # noqa: BLE001 - whatever the independent reader cannot read
                outcome = f"not read by the independent reader ({type(error).__name__})"
        outcomes.append(outcome)
        if outcome != "right":
            print(f"  {outcome}: {example['input']!r} -> {read!r}, expected {example['value']}")
    report("typed maths with a value", outcomes)


def problems(options: argparse.Namespace) -> None:
    """Count the word problems that are solved plainly, rightly or wrongly, and those that are declined."""
    import numpy as np

    from analytics.metrics import expected_calibration_error
    from tests.bench.outside.rules import is_right

    rows = examples(options.examples, "problems")
    solutions = answers("solve", [{"text": example["input"]} for example in rows], options.output)
    outcomes, stated = [], []
    for number, example in enumerate(rows):
        solution = solutions[number]
        answer, probability = solution.get("answer"), solution.get("probability") or 0.0
        expected = example["expected"]
        right = is_right(expected, answer, solution.get("written"))
        is_answered = answer not in (None, "")  # 0 is an answer
        outcome = ("plainly " if probability >= PLAIN else "unsure, best guess ") + (
            ("right" if right else "wrong") if expected else "no answer exists"
        )
        outcomes.append(outcome if is_answered else "declined" + (", rightly" if not expected else ""))
        stated += [(probability, bool(expected) and right)] if is_answered else []
        print(
            f"  {outcomes[-1]:30} {probability:.2f} {answer!s:>12} expected {expected!s:>10}  {example['input'][:90]}"
        )
    report("word problems", outcomes)
    confidence, correct = np.array(stated).T
    plain = correct[confidence >= PLAIN]
    error = expected_calibration_error(confidence, correct, 10)
    right = f"{plain.sum():.0f} of {len(plain)} plain answers are right"
    print(f"{right}; calibration error of all {len(stated)} answers {error:.3f}")


def rules(options: argparse.Namespace) -> None:
    """Count the problems of all sets that each rule of the solver answers rightly, and those that it is needed for."""
    from tests.bench.outside.rules import count_rules

    count_rules(options.examples.parent if options.examples == EXAMPLES else options.examples)


def pairs(options: argparse.Namespace) -> None:
    """Measure the verdict on pairs by language: AUC, accuracy at one half, calibration error, what it dares to say."""
    import numpy as np
    from sklearn.metrics import roc_auc_score

    from analytics.metrics import expected_calibration_error
    from analytics.paraphrase.verdict import said

    rows = examples(options.examples, "pairs")
    texts = [{"original": row["original"], "paraphrase": row["paraphrase"]} for row in rows]
    stated = [scored.get("probability") for scored in answers("score_paraphrases", texts, options.output)]
    for row, p in zip(rows, stated, strict=True):
        if p is None or said(p) not in {"unsure", "valid" if row["valid"] else "invalid"}:
            stated_as = "no number" if p is None else f"{p:.2f}"
            print(f"  {'valid' if row['valid'] else 'invalid'} {stated_as} [{row['kind']}] {row['paraphrase'][:100]}")
    for language in (None, *sorted({row["language"] for row in rows})):
        kept = [
            (row["valid"], p)
            for row, p in zip(rows, stated, strict=True)
            if p is not None and language in (None, row["language"])
        ]
        if len({valid for valid, _ in kept}) < 2:
            print(f"{language}: no number for most pairs ({len(kept)} have one)")
            continue
        valid, p = np.array(kept, float).T
        calls = [said(probability) for probability in p]
        right = sum(call == ("invalid", "valid")[int(label)] for call, label in zip(calls, valid, strict=True))
        print(
            f"{language or 'all'}: {len(kept)} pairs with a number, AUC {roc_auc_score(valid, p):.3f}, accuracy"
            f" {((p >= PLAIN) == valid).mean():.3f}, Brier {((p - valid) ** 2).mean():.3f},"
            f" calibration error {expected_calibration_error(p, valid, 10):.3f};"
            f" {right} of {len(calls) - calls.count('unsure')} rightly called valid or invalid"
        )


def texts(options: argparse.Namespace) -> None:
    """Count the mathematics questions that are rejected, and the other texts that are recognised."""
    from analytics.inference.subject import looks_like_mathematics, mathematics_probability

    outcomes = []
    for example in examples(options.examples, "texts"):
        is_mathematics, accepted = example["mathematics"], looks_like_mathematics(example["text"])
        outcome = "accepted" if accepted else "said not to be mathematics"
        outcomes.append(f"{outcome} ({'mathematics' if is_mathematics else 'other text'})")
        if accepted != is_mathematics:
            print(f"  {outcomes[-1]}, {mathematics_probability(example['text']):.2f}: {example['text'][:150]!r}")
    report("texts", outcomes)


def harder(options: argparse.Namespace) -> None:
    """Count the pairs of questions on one topic of which the starter knows the harder one, and print the others.

    The comparison is the difference of the two estimated difficulties.
    """
    from analytics.backbone.bert import encode_bulk, load_backbone
    from analytics.catalog import ENCODER, PROBES
    from analytics.inference.demands import CANNOT_TELL, harder_probability

    rows = examples(options.examples, "harder")
    texts = [row[side] for row in rows for side in ("a", "b")]
    vectors = encode_bulk(load_backbone(str(ENCODER.starters[0].path)), texts)
    predicted = PROBES.load(PROBES.starters[0].path).predict(vectors, texts=texts)
    outcomes = []
    for row, first, second in zip(rows, predicted[::2], predicted[1::2], strict=True):
        probability = harder_probability(second.order or 0.0, first.order or 0.0)
        sign = 1 if row["harder"] == "b" else -1
        margin = sign * (probability - 0.5)
        by_estimates = sign * (second.difficulty.value - first.difficulty.value) > 0
        outcomes.append((row.get("kind", ""), margin, by_estimates))
        if margin <= 0:
            print(f"  {0.5 - margin:.2f} {row.get('kind')}, {row['topic']}: {row['harder']} is harder")
            print(f"    a {row['a']}\n    b {row['b']}")
    for kind in ("", *sorted({kind for kind, *_ in outcomes})):
        of_kind = [outcome for outcome in outcomes if kind in ("", outcome[0])]
        margins = [margin for _kind, margin, _by_estimates in of_kind]
        sure = [margin > 0 for margin in margins if abs(margin) > 0.3]
        print(
            f"{kind or 'all'}: {sum(margin > 0 for margin in margins)} of {len(margins)} right,"
            f" by the estimates alone {sum(by_estimates for *_, by_estimates in of_kind)};"
            f" {sum(abs(margin) < CANNOT_TELL for margin in margins)} cannot tell;"
            f" {sum(sure)} of {len(sure)} stated with more than .8 right"
        )


def imports(options: argparse.Namespace) -> None:
    """Write what a dry run says of each file, beside what a reader expects."""
    folder = options.examples / "imports"
    lines = []
    for example in map(json.loads, (folder / "README.jsonl").read_text(encoding="utf-8").splitlines()):
        finished = command("import_questions", str(folder / example["file"]), "--dry-run", check=False)
        lines.append(
            f"## {example['file']}\nEXPECTED: {example['expected']}\nEXIT {finished.returncode}\n"
            f"{finished.stdout}{finished.stderr}\n"
        )
    write(options.output / "imports.md", lines)


def papers(options: argparse.Namespace) -> None:
    """Count the questions of test papers that are read whole, and how often doubts are right; all sets by default."""
    set_up_without_bank()
    from tests.bench.outside.papers import read_papers

    sets = sorted(EXAMPLES.parent.glob("*/papers")) if options.examples == EXAMPLES else [options.examples / "papers"]
    read_papers(sets)


def files(options: argparse.Namespace) -> None:
    """Count the questions of other systems' files that are read whole, and those that are wrong without a warning."""
    set_up_without_bank()
    from tests.bench.outside.files import read_files

    read_files(options.examples / "files")


def parts(options: argparse.Namespace) -> None:
    """Count the questions in parts that get their concept and are found by a part; write what is nearest to each."""
    from tests.bench.outside.multipart import read_multipart

    rows = examples(options.examples, "multipart")
    read_multipart(rows, var=options.keep / "bank-parts", output=options.output)


def purpose(options: argparse.Namespace) -> None:
    """Write the first question by purpose in the demo bank for each text, and the two that follow it."""
    from tests.bench.judged.bank import open_judged_bank

    open_judged_bank(data=SHARED_DATA, var=options.keep, parts={}, name="bank-demo")
    from questionbank.registry.serving import serving
    from questionbank.similar.similarity import similar_to_text

    served, lines = serving(), []
    for number, example in enumerate(examples(options.examples, "imported"), 1):
        found = similar_to_text(text=example["text"], lens="purpose", serving=served, language="en", k=3)
        hits = [{"text": hit.question.text, "reason": hit.reason, "score": hit.score} for hit in found.hits]
        line = {"id": number, "question": example["text"], "notice": found.notice, "hits": hits}
        lines.append(json.dumps(line, ensure_ascii=False))
    write(options.output / "purpose.jsonl", lines)


def formulas(options: argparse.Namespace) -> None:
    """Write a page of every example, for screenshots in two browsers."""
    set_up_without_bank()
    from html import escape

    from questionbank.rendering import render_question

    rows = "".join(
        f"<tr><td>{number}</td><td class='question-text'>{render_question(example['input'])}</td>"
        f"<td><code>{escape(example['input'])}</code><br><em>{escape(example['expected'])}</em></td></tr>"
        for number, example in enumerate(examples(options.examples, "formulas"), 1)
    )
    styles = "".join(
        f"<link rel='stylesheet' href='file://{sheet}'>"
        for sheet in sorted((BASE_DIR / "static" / "css").glob("*.css"))
    )
    write(
        options.output / "formulas.html",
        [
            f"<!doctype html><meta charset='utf-8'>{styles}",
            "<style>td{padding:.6em;border-bottom:1px solid #ccc;max-width:34em}</style>",
            f"<table>{rows}</table>",
        ],
    )


def searches(options: argparse.Namespace) -> None:
    """Write what each search shows first in the demo bank: five questions, the filters that were read, the note."""
    from tests.bench.judged.bank import open_judged_bank

    open_judged_bank(data=SHARED_DATA, var=options.keep, parts={}, name="bank-demo")
    from questionbank.registry.serving import serving
    from questionbank.rendering.titles import question_title
    from questionbank.search.filters import SearchFilters
    from questionbank.search.search import search_questions

    lines = []
    for number, example in enumerate(examples(options.examples, "searches"), 1):
        page = search_questions(query=example["query"], filters=SearchFilters(), serving=serving())
        shown = [(hit, True) for hit in page.hits] + [(hit, False) for hit in page.closest]
        found = {
            "id": example.get("id", number),
            "query": example["query"],
            "wants": example["wants"],
            "filters": [one.label for one in page.read],
            "concepts": [named.match.name for named in page.concepts],
            "corrected": page.corrected,
            "note": page.notice,
            "matches": page.total,
            "first": [
                {
                    "title": question_title(hit.question.text),
                    "text": hit.question.text,
                    "grade": hit.question.grade,
                    "concepts": [" > ".join(path) for path in hit.concepts],
                    "matches": is_match,  # the others are shown as "closest"
                }
                for hit, is_match in shown[:5]
            ],
        }
        lines.append(json.dumps(found, ensure_ascii=False))
    write(options.output / "searches.jsonl", lines)


def pastes(options: argparse.Namespace) -> None:
    """Write the text of the Paste page for each example."""
    from tests.bench.judged.bank import open_judged_bank

    open_judged_bank(data=SHARED_DATA, var=options.keep)
    lines = []
    client = logged_in_client()
    for number, example in enumerate(examples(options.examples, "pastes"), 1):
        page = client.post("/paste/", {"text": example["input"], "action": "look"}).content.decode()
        lines.append(
            f"## {number}\n{example['input']}\n"
            f"EXPECTED: {json.dumps(example['expected'], ensure_ascii=False)}\nPAGE: {visible(page)}\n"
        )
    write(options.output / "pastes.md", lines)


def similar(options: argparse.Namespace) -> None:
    """Write the pages of 20 questions of the judged bank, drawn by chance, with their similar questions and reasons."""
    from tests.bench.judged.bank import open_judged_bank

    open_judged_bank(data=SHARED_DATA, var=options.keep)
    from random import Random

    from questionbank.models import Question

    ids = list(Question.objects.filter(status="ready").order_by("pk").values_list("pk", flat=True))
    lines = []
    client = logged_in_client()
    for number, pk in enumerate(Random(options.seed).sample(ids, 20), 1):
        page = client.get(f"/questions/{pk}/").content.decode()
        lines.append(f"## {number}. question {pk}\n{visible(page)}\n")
    write(options.output / "similar.md", lines)


def variants(options: argparse.Namespace) -> None:
    """Write the similar problems that the rules make of each example."""
    set_up(options.keep / "bank-outside")
    from django.db import transaction

    from questionbank.bank.question_services import question_create
    from questionbank.models import User
    from questionbank.problem_writing.services import variants_write

    lines = []
    with transaction.atomic():
        user = teacher(User)
        for number, example in enumerate(examples(options.examples, "variants"), 1):
            question = question_create(
                user=user, text=example["text"], language="en", kind="open", options=[], answer=example["answer"],
                solution="", grade="", status="ready", concepts=[], equation=example["equation"],
            )  # fmt: skip
            lines.append(
                f"## {number}. {example['text']} = {example['equation']} = {example['answer']}\n"
                f"MUST: {example['question_asks']}"
            )
            try:
                for place, variant in enumerate(variants_write(question=question, each=3, user=user), 1):
                    lines.append(
                        f"{number}.{place} ({variant.generator}) {variant.text} = {variant.equation} = {variant.answer}"
                    )
            except Exception as error:  # noqa: BLE001 - a refusal is part of what is judged
                lines.append(f"refused: {error}")
        transaction.set_rollback(True)
    write(options.output / "variants.md", lines)


# -- what the parts share -------------------------------------------------------------------------------------------


def command(name: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command of the project."""
    return subprocess.run(
        [sys.executable, str(BASE_DIR / "manage.py"), name, *arguments], capture_output=True, text=True, check=check
    )


def answers(name: str, rows: list[Example], folder: Path) -> list[Example]:
    """Return what a command writes for each row."""
    source, target = folder / f"{name}.jsonl", folder / f"{name}-answers.jsonl"
    write(source, (json.dumps({"id": str(number), **row}) for number, row in enumerate(rows)))
    print(command(name, "--input", str(source), "--output", str(target)).stderr, end="")
    given = {row["id"]: row for row in map(json.loads, target.read_text(encoding="utf-8").splitlines())}
    return [given[str(number)] for number in range(len(rows))]


def set_up_without_bank() -> None:
    """Set Django up; no database is asked."""
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()


def teacher(user_model: Any) -> Any:
    """Return a user with the rights of a teacher."""
    from django.contrib.auth.models import Group

    user, _created = user_model.objects.get_or_create(username="outside")
    user.groups.add(Group.objects.get(name="teacher"))
    return user


def logged_in_client() -> Any:
    """Return a client that is logged in as a teacher."""
    from django.test import Client

    from questionbank.models import User

    client = Client()
    client.force_login(teacher(User))
    return client


def visible(page: str) -> str:
    """Return the words of a page's main part; formulas as their LaTeX."""
    from html.parser import HTMLParser

    class Words(HTMLParser):
        words = io.StringIO()
        hidden = 0

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag == "math":
                self.words.write(f" ${dict(attrs).get('data-latex', '')}$ ")
            self.hidden += tag in {"math", "script", "style", "svg"}

        def handle_endtag(self, tag: str) -> None:
            self.hidden -= tag in {"math", "script", "style", "svg"}

        def handle_data(self, data: str) -> None:
            if not self.hidden and data.strip():
                self.words.write(data.strip() + " | ")

    parser = Words()
    parser.words = io.StringIO()
    start = page.find("<main")
    parser.feed(page[start:] if start >= 0 else page)
    return parser.words.getvalue()


def write(path: Path, lines: Iterable[str]) -> None:
    """Write a file for a reader."""
    path.write_text("\n".join(lines), encoding="utf-8")
    print(f"written to {path}")


def report(title: str, outcomes: list[str]) -> None:
    """Print how often each outcome came."""
    print(
        f"{title}: {len(outcomes)}; "
        + ", ".join(f"{count} {outcome}" for outcome, count in Counter(outcomes).most_common())
    )


_PARTS = (
    numbers, typed, problems, rules, pairs, harder, texts, papers, files, imports, parts, purpose, formulas, searches,
    pastes, similar, variants,
)  # fmt: skip
PARTS = {part.__name__: part for part in _PARTS}


def main() -> int:
    """Run one part."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.outside", description=__doc__.split("\n")[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--examples", type=Path, default=EXAMPLES)
    parser.add_argument("--output", type=Path, default=Path("build/outside"))
    parser.add_argument("--keep", type=Path, default=KEPT_IN, help="where the judged bank is kept")
    parser.add_argument("--seed", type=int, default=0, help="of the drawn questions")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    PARTS[options.part](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
