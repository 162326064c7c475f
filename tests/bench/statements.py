"""A sample of what pages say about similar questions, to be read by a person: is each statement true?

    python -m tests.bench.statements [--seed N] [--number N] [--rows] [--demo] [--data FOLDER] [--keep FOLDER]

Statements are the reasons and the kinds of similar questions of the real bank of `tests.bench.similar`, or with
`--demo` of the demo bank, from questions drawn with the seed, and half of them from those that are said to have the
same idea or to be solved differently, which are rare. `--rows` takes the rows that pages show instead, the first
five of each list, of questions that are in no judged file.
"""

from __future__ import annotations

import random
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bank import encode_bank, set_up
from tests.bench.benchmark import read_options
from tests.bench.judged.bank import open_judged_bank
from tests.bench.similar import JUDGEMENTS, PARTS

ASKED = 400  # questions whose similar ones are looked at, at most
SHOWN = 600  # characters of a question


def main() -> int:
    """Print the sample."""
    options = read_options(seed=1, number=50, rows=False, demo=False)
    if options.demo:
        open_demo_bank(options.keep)
    else:
        open_judged_bank(data=options.data, var=options.keep, parts=PARTS, name="bank-similar", demo=False)
    take = rows if options.rows else sample
    for number, statement in enumerate(take(options.seed, options.number), 1):
        print(f"\n--- {number}\n{statement}")
    return 0


def open_demo_bank(var: Path) -> None:
    """Set Django up with the demo bank alone."""
    set_up(var / "bank-demo")
    from questionbank.models import Question
    from questionbank.operations.setup import demo_bank_install

    if not Question.objects.exists():
        demo_bank_install(report=print)
    encode_bank()


def rows(seed: int, number: int) -> list[str]:
    """So many rows as pages show them, two of each list of questions that nobody judged."""
    from questionbank.models import Question
    from questionbank.registry.serving import serving
    from questionbank.similar.similarity import similar_by_lens

    rng = random.Random(seed)
    judged = [entry["id"] for entry in tomllib.loads(JUDGEMENTS.read_text("utf-8"))["questions"]]
    unjudged = Question.objects.filter(status="ready").exclude(source_id__in=judged)
    ids = sorted(unjudged.values_list("source_id", flat=True))
    statements: list[str] = []
    for source_id in rng.sample(ids, min(ASKED, len(ids))):
        question = Question.objects.select_related("equation").get(source_id=source_id)
        for result in similar_by_lens(asked=question, serving=serving(), k=5).values():
            hits = rng.sample(range(5), 2)
            statements += [written(question, hit) for place, hit in enumerate(result.hits) if place in hits]
        if len(statements) >= number:
            break
    return statements[:number]


def sample(seed: int, number: int) -> list[str]:
    """So many statements: half of them with a flag as far as there are any, the others at random."""
    rng = random.Random(seed)
    flagged: list[str] = []
    others: list[str] = []
    for statement, is_flagged in statements(rng):
        (flagged if is_flagged else others).append(statement)
        if len(flagged) >= number // 2 and len(others) >= number:
            break
    some = flagged[: number // 2]
    return some + rng.sample(others, min(number - len(some), len(others)))


def statements(rng: random.Random) -> Iterator[tuple[str, bool]]:
    """One hit of each list of questions drawn at random, and one of each kind."""
    from questionbank.models import Question
    from questionbank.registry.serving import serving
    from questionbank.similar.kinship import kin_of
    from questionbank.similar.reasons import LOOKS_ALIKE, SAME_IDEA

    ids = sorted(Question.objects.filter(status="ready").values_list("pk", flat=True))
    now = serving()
    for pk in rng.sample(ids, min(ASKED, len(ids))):
        question = Question.objects.select_related("equation").get(pk=pk)
        kin = kin_of(question=question, serving=now)
        for kind in (SAME_IDEA, LOOKS_ALIKE):
            if hits := kin.kinds.get(kind):
                yield written(question, rng.choice(hits)), True
        for result in kin.results.values():
            if result.hits:
                yield written(question, rng.choice(result.hits[:5])), False


def written(question: object, hit: object) -> str:
    """Both questions and what is said of them."""
    kinds = f" [{', '.join(hit.flags)}]" if hit.flags else ""
    texts = (" ".join(side.text.split())[:SHOWN] for side in (question, hit.question))
    return "\n".join([*texts, f"=> {hit.reason}{kinds}"])


if __name__ == "__main__":
    sys.exit(main())
