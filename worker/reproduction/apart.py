"""Count the overlap between training texts and test sets, to verify that they are disjoint.

``python -m worker.reproduction.apart --data ../shared/data`` prints the table of docs/results/apart.md. For every
training list and every set in docs/results.md that it is evaluated on, the table gives the number of the set's texts
that the list contains: exactly (`analytics.text.fingerprints.text_key`), and ignoring numbers (`story_key`). The exit
code is 1 if a list contains more than its row claims. Synthetic problems are excluded: they are made from our own
templates.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from analytics.encoder.examples import EncoderExample, split_held_out
from analytics.json_lines import read_objects
from analytics.question_files import Problems, read_problems
from analytics.splits import KeptOut
from analytics.text.fingerprints import every_key_remembered, story_key, text_key
from questionbank.demo.bank import demo_questions
from worker.reproduction.paraphrase_tables import training_material
from worker.reproduction.runs import PROBLEM_SETS, part_names, part_problems
from worker.reproduction.tables import markdown_table
from worker.solver.starter_data import STARTER_SETS, StarterSets, starter_rows

APART = "nothing of it, numbers aside"
EQUAL_LEFT_OUT = "no equal text"
KNOWN = "development set"
COUNTED = "never learned as a set"

Texts = list[str]


@dataclass(frozen=True, slots=True)
class Pair:
    """A training list, and a set that is evaluated on.

    Attributes:
        learned, tested: their names in tables.
        claim: the claim about them: `APART`, `EQUAL_LEFT_OUT`, or, if the questions are not claimed to be disjoint,
            `KNOWN` or `COUNTED`.
        parts: returns the texts of both; several pairs if there are folds.
    """

    learned: str
    tested: str
    claim: str
    parts: Callable[[Path], Iterable[tuple[Texts, Texts]]]


@dataclass(frozen=True, slots=True)
class Count:
    """How many texts of a tested set the training list contains: exactly, and ignoring numbers."""

    pair: Pair
    learned: int
    tested: int
    equal: int
    copies: int

    @property
    def holds(self) -> bool:
        """Whether the claim is true."""
        claimed_equal, claimed_copies = {
            APART: (0, 0),
            EQUAL_LEFT_OUT: (0, self.copies),
            KNOWN: (self.equal, self.copies),
            COUNTED: (self.equal, self.copies),
        }[self.pair.claim]
        return (self.equal, self.copies) == (claimed_equal, claimed_copies)


def pairs() -> list[Pair]:
    """Return every pair of a training list and a set of docs/results.md."""
    english = STARTER_SETS["en"]
    kept = replace(
        english,
        learned=dict.fromkeys(("mawps/cv", "paramawps/train_part", "gsm8k/train", "mathqa/train_part"), 0),
        longest=1_500,
    )
    begun = replace(
        english,
        learned={"asdiv_a/cv": 0, "gsm8k/train": 0, "mathqa/train_part": 5_000},
        measured=("mawps/cv", "gsm8k/test", "aqua_rat/dev", "aqua_rat/test"),
    )
    tests = ("asdiv_a/cv", "asdiv/all", "gsm8k/test", "gsm_plus/testmini", "aqua_rat/dev", "aqua_rat/test")
    chinese = ("cmath/test", "ape210k/valid", "ape210k/test", "unbiased_mwp/test")
    lists = (
        ("English solver and retriever", english, "en", tests, ("mathqa_adapted/val",)),
        ("what the English retriever keeps", kept, "en", tests, ("mathqa_adapted/val",)),
        ("Chinese solver and retriever", STARTER_SETS["zh"], "zh", chinese, ("math23k/dev", "math23k/test")),
        ("`start` and `retriever` of MAWPS's folds", begun, "en", ("mawps/cv",), ()),
    )
    found = [
        Pair(title, name, claim, _starter(sets, language, name))
        for title, sets, language, apart, equal_left_out in lists
        for claim, names in ((APART, apart), (EQUAL_LEFT_OUT, equal_left_out))
        for name in names
    ]
    found += [
        Pair("scorer (GSM8K, MAWPS, demo, stories)", name, APART, _scorer(name))
        for name in ("paraqd/aquarat_val", "paraqd/aquarat_test", "paraqd/sawp_test", "gsm_plus/testmini")
    ]
    found += [
        Pair("encoder (TAL, MATH, TheoremQA, demo)", name, claim, _encoder(name))
        for name, claim in (
            ("math/test", EQUAL_LEFT_OUT),
            ("conceptmath/elementary_en", KNOWN),
            ("conceptmath/middle_en", KNOWN),
            ("opl/all", COUNTED),
            ("eedi/train", KNOWN),
            ("omni_math_rule/test", COUNTED),
        )
    ]
    found += [
        Pair("the other folds" if known.folds else "its training part", known.title, claim, _set_of(name))
        for name, known in PROBLEM_SETS.items()
        for claim in (APART if name == "asdiv_a" else EQUAL_LEFT_OUT,)
    ]
    found.append(Pair("its training split, as exemplars", "GSM8K", APART, _exemplars("gsm8k", "gsm8k")))
    found += [
        Pair("Math23K's training split, as exemplars", f"{name}/test", EQUAL_LEFT_OUT, _exemplars("math23k", name))
        for name in ("ape210k", "unbiased_mwp")
    ]
    return found


def count_pairs(data: Path, chosen: Sequence[Pair]) -> Iterator[Count]:
    """Yield the overlap of each tested set with its training list.

    Args:
        data: folder with a subfolder per public data set.
        chosen: the pairs to count.
    """
    with every_key_remembered():
        for pair in chosen:
            sizes: list[int] = []
            tested_texts = equal = copies = 0
            for learned, tested in pair.parts(data):
                texts, stories = set(map(text_key, learned)), set(map(story_key, learned))
                sizes.append(len(learned))
                tested_texts += len(tested)
                equal += sum(text_key(text) in texts for text in tested)
                copies += sum(story_key(text) in stories for text in tested)
            yield Count(pair, max(sizes), tested_texts, equal, copies)


def table(counts: Iterable[Count]) -> str:
    """Return the table, in Markdown."""
    return markdown_table(
        ["learned from", "texts", "measured on", "texts", "equal", "copies but for numbers", "what may be said"],
        [
            [
                count.pair.learned,
                f"{count.learned:,}",
                count.pair.tested,
                *(f"{number:,}" for number in (count.tested, count.equal, count.copies)),
                count.pair.claim if count.holds else f"**not** {count.pair.claim}",
            ]
            for count in counts
        ],
    )


def _texts(data: Path, name: str) -> Texts:
    rows = (row for _number, row in read_objects(data / f"{name}.jsonl.gz"))
    return [row[key] for row in rows for key in ("text", "original", "paraphrase") if row.get(key)]


def _starter(sets: StarterSets, language: str, tested: str) -> Callable[[Path], list[tuple[Texts, Texts]]]:
    learned = replace(sets, synthetic=0)
    return lambda data: [(_starter_texts(data, learned, language), _texts(data, tested))]


def _starter_texts(data: Path, sets: StarterSets, language: str) -> Texts:
    key = (data, language, tuple(sets.learned.items()), sets.longest)
    if key not in _STARTERS:
        _STARTERS[key] = [row["text"] for row in starter_rows(data, sets, language)[0]]
    return _STARTERS[key]


_STARTERS: dict[tuple[object, ...], Texts] = {}


def _scorer(tested: str) -> Callable[[Path], list[tuple[Texts, Texts]]]:
    return lambda data: [(_scorer_texts(data), _texts(data, tested))]


@cache
def _scorer_texts(data: Path) -> Texts:
    material, _kept_out = training_material(data, ("gsm8k", "mawps", "demo", "stories"), measured=("gsm_plus",))
    return [*material.questions, *(text for pair in material.given for text in (pair.original, pair.paraphrase))]


def _encoder(tested: str) -> Callable[[Path], list[tuple[Texts, Texts]]]:
    return lambda data: [(_encoder_texts(data), _texts(data, tested))]


@cache
def _encoder_texts(data: Path) -> Texts:
    published = [text for name in ("tal_scq_en/train", "math/train", "theoremqa/test") for text in _texts(data, name)]
    learned, _tests = KeptOut.of(_texts(data, "math/test")).split(published)
    demo = [question.text for question in demo_questions() if question.language == "en"]
    examples, _held_out = split_held_out([EncoderExample(text) for text in (*learned, *demo)])
    return [example.text for example in examples]


def _set_of(name: str) -> Callable[[Path], Iterator[tuple[Texts, Texts]]]:
    return lambda data: (_both(part_problems(data, part)) for part in part_names(name))


def _exemplars(corpus: str, tested: str) -> Callable[[Path], list[tuple[Texts, Texts]]]:
    def parts(data: Path) -> list[tuple[Texts, Texts]]:
        learned = read_problems(data / corpus / "train.jsonl.gz").learned
        asked = read_problems(data / tested / "test.jsonl.gz").learned
        return [_both(Problems(learned, (), asked).without_leaks())]

    return parts


def _both(problems: Problems) -> tuple[Texts, Texts]:
    return [problem.text for problem in problems.learned], [problem.text for problem in problems.test]


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m worker.reproduction.apart")
    parser.add_argument("--data", type=Path, required=True, help="folder of the public data sets")
    options = parser.parse_args(arguments)
    counts: list[Count] = []
    for count in count_pairs(options.data, pairs()):
        counts.append(count)
        sys.stderr.write(f"{count.pair.learned}: {count.pair.tested}\n")
    sys.stdout.write(f"{table(counts)}\n")
    return 0 if all(count.holds for count in counts) else 1


if __name__ == "__main__":
    sys.exit(main())
