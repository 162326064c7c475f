"""How useful similar questions are on real banks: 30 questions of six public sets, judged by reading.

    python -m tests.bench.similar [--data FOLDER] [--keep FOLDER] [--list]

For each lens: useful questions in the first five, and nDCG@10 (gain 2 for the same idea, 1 for what helps too),
the ideal ranking made of everything that was judged useful. What nobody has read counts as of no use and is
counted separately. Copies, which pages fold, count as rows of their own. `--list` prints the first five of every
question.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.bench.benchmark import read_options
from tests.bench.judged.bank import open_judged_bank, question_ids
from tests.bench.judged.measures import ndcg

JUDGEMENTS = Path(__file__).parent / "judged" / "similar.toml"
PARTS = {
    "MATH": ("math/train", 3),
    "OPL": ("opl/all", 3),
    "TAL-SCQ5K": ("tal_scq_en/train", 2),
    "TAL-SCQ5K Chinese": ("tal_scq_zh/train", 2),
    "Eedi": ("eedi/train", 2),
    "Math23K": ("math23k/train", 8),
}
SHOWN, RANKED = 5, 10
CHINESE = ("tal-zh", "math23k")


def main() -> int:
    """Print a table."""
    options = read_options(list=False)
    open_judged_bank(data=options.data, var=options.keep, parts=PARTS, name="bank-similar", demo=False)

    judged = tomllib.loads(JUDGEMENTS.read_text("utf-8"))["questions"]
    rankings = {lens: similar_ids(judged, lens) for lens in ("purpose", "wording")}
    if options.list:
        for question in judged:
            print_found(question, {lens: ranked[question["id"]] for lens, ranked in rankings.items()})
    print(f"\n{'':24}{'useful in five':>24}{'nDCG@10':>10}{'unread in five':>16}{'shown':>8}")
    for lens, ranked in rankings.items():
        for language in ("English", "Chinese"):
            chosen = [question for question in judged if question["id"].startswith(CHINESE) == (language == "Chinese")]
            useful = sum(len(useful_in_five(question, ranked[question["id"]])) for question in chosen)
            gain = sum(ndcg(ranked[question["id"]], gains(question)) for question in chosen) / len(chosen)
            unread = sum(
                grade(question, hit_id) is None for question in chosen for hit_id in ranked[question["id"]][:SHOWN]
            )
            shown = sum(len(ranked[question["id"]][:SHOWN]) for question in chosen)
            share = f"{useful} of {SHOWN * len(chosen)}"
            print(f"{f'{lens}, {language}':24}{share:>24}{gain:10.3f}{unread:16}{shown:8}")
    return 0


def similar_ids(judged: Iterable[Mapping[str, Any]], lens: str) -> dict[str, list[str]]:
    """Return the ranking of each judged question under a lens."""
    from questionbank.models import Question
    from questionbank.registry.serving import serving
    from questionbank.similar.similarity import similar_questions

    keys, now = question_ids(), serving()
    rankings = {}
    for entry in judged:
        question = Question.objects.get(pk=keys[entry["id"]])
        result = similar_questions(question=question, lens=lens, serving=now, k=RANKED)
        rankings[entry["id"]] = [hit.question.source_id for hit in result.hits]
    return rankings


def grade(question: Mapping[str, Any], hit_id: str) -> int | None:
    """2 for the same idea, 1 for what helps too, 0 for what does not, None for what nobody has read."""
    for name, value in (("same", 2), ("related", 1), ("no_use", 0)):
        if hit_id in question[name]:
            return value
    return None


def useful_in_five(question: Mapping[str, Any], ranking: list[str]) -> list[str]:
    """Return those of the first five that help."""
    return [hit_id for hit_id in ranking[:SHOWN] if grade(question, hit_id)]


def gains(question: Mapping[str, Any]) -> dict[str, int]:
    """Return what each judged question is worth."""
    return dict.fromkeys(question["same"], 2) | dict.fromkeys(question["related"], 1)


def print_found(question: Mapping[str, Any], rankings: Mapping[str, list[str]]) -> None:
    """The first five under each lens, each with its judgement."""
    print(f"\n{question['id']}")
    names = {2: "same", 1: "related", 0: "no use", None: "not read"}
    for lens, ranking in rankings.items():
        cells = ", ".join(f"{hit_id} ({names[grade(question, hit_id)]})" for hit_id in ranking[:SHOWN])
        print(f"  {lens}: {cells}")


if __name__ == "__main__":
    sys.exit(main())
