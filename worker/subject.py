"""``python -m worker.subject --data ../shared/data``: fit the classifier that recognises what is not mathematics.

It is trained on the texts in `subject_texts.jsonl`, which we wrote: notices, recipes, exam instructions, questions
from other subjects, and kinds of mathematics questions that public sets lack. Questions of public sets, the demo bank
and random keystrokes are added. Before fitting all of them, it holds out some kinds of our texts at a time and
prints the results on these, and on public sets that are never used for training. Takes half a minute; needs no
database.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from analytics.analysed_text import line_text
from analytics.errors import AnalyticsError
from analytics.inference.subject import NGRAMS, THRESHOLD, WEIGHTS, SubjectWeights, subject_features
from analytics.json_lines import read_objects
from questionbank.demo.bank import demo_questions

TEXTS = Path(__file__).with_name("subject_texts.jsonl")
LEARNED = (
    "tal_scq_en/train", "tal_scq_zh/train", "eedi/train", "math/train", "math23k/train", "unbiased_mwp/train",
    "mawps/cv", "gsm8k/train", "mathqa/train_part", "opl/all",
)  # fmt: skip
MEASURED = (
    "conceptmath/elementary_en", "conceptmath/middle_en", "conceptmath/elementary_zh", "conceptmath/middle_zh",
    "asdiv/all", "aqua_rat/dev", "ape210k/valid", "gaokao_math/all",
)  # fmt: skip
EACH_SET, DEMO, NOISE = 150, 400, 250  # texts
OWN_QUESTIONS_COUNT = 4.0  # weight relative to a public one: there are few, of many kinds
NOISE_KIND = "random keys"
_SEED = 0
_FOLDS = 6
_LEAST_SPREAD = 0.05
_SIGNS_COUNT = 0.7  # relative to the weight of features with unit spread
_STRENGTH = 1.0  # of the fit: the inverse of the L2 penalty
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SubjectText:
    """A text that is mathematics or not, and the kind or data set that it comes from."""

    text: str
    kind: str
    is_mathematics: bool
    weight: float = 1.0


def own_texts() -> Iterator[SubjectText]:
    """Yield the texts that we wrote."""
    for _line, row in read_objects(TEXTS):
        yield SubjectText(
            row["text"], row["kind"], row["mathematics"], OWN_QUESTIONS_COUNT if row["mathematics"] else 1.0
        )


def public_texts(data: Path, name: str, rng: random.Random) -> list[SubjectText]:
    """Return random questions of a public data set.

    Raises:
        AnalyticsError: the data set is missing.
    """
    rows = [row for _line, row in read_objects(data / f"{name}.jsonl.gz")]
    drawn = rng.sample(rows, min(EACH_SET, len(rows)))
    return [SubjectText(line_text(row), name, is_mathematics=True) for row in drawn]


def demo_texts(rng: random.Random) -> list[SubjectText]:
    """Return random questions of the demo bank."""
    texts = [question.text for question in demo_questions()]
    return [SubjectText(text, "demo bank", is_mathematics=True) for text in rng.sample(texts, DEMO)]


def noise_texts(rng: random.Random) -> Iterator[SubjectText]:
    """Yield texts of random keystrokes with numbers between them."""
    for _ in range(NOISE):
        pieces = [str(rng.randint(0, 99)) if rng.random() < 0.2 else _keys(rng) for _ in range(rng.randint(2, 9))]
        yield SubjectText(" ".join(pieces) + rng.choice(["", "?", "."]), NOISE_KIND, is_mathematics=False)


def _keys(rng: random.Random) -> str:
    row, length = rng.choice(_ROWS), rng.randint(3, 7)
    first = rng.randrange(len(row) - 2)
    return rng.choice(
        [
            row[first : first + length],
            "".join(rng.choices(row, k=length)),
            "".join(rng.choices(_LETTERS, k=length)),
            rng.choice(_LETTERS) * length,
        ]
    )


def fit(features: Array, texts: Sequence[SubjectText]) -> SubjectWeights:
    """Fit the classifier; mathematics and other texts have equal total weight."""
    labels = np.array([text.is_mathematics for text in texts])
    weights = np.array([text.weight for text in texts])
    for label in (True, False):
        weights[labels == label] /= weights[labels == label].sum()
    units = np.ones(features.shape[1], dtype=np.float32)  # signs differ in their spread
    signs = slice(0, -NGRAMS)
    units[signs] = np.maximum(features[:, signs].std(axis=0), _LEAST_SPREAD) / _SIGNS_COUNT
    model = LogisticRegression(C=_STRENGTH, max_iter=500, tol=1e-3)
    model.fit(csr_array(features / units), labels, sample_weight=weights * len(texts) / 2)
    return SubjectWeights((model.coef_[0] / units).astype(np.float32), float(model.intercept_[0]))


def probabilities(weights: SubjectWeights, features: Array) -> Array:
    """Return the probability that each text is a mathematics question, (texts,)."""
    stated: Array = 1 / (1 + np.exp(-(features @ weights.values + weights.constant)))
    return stated


def measure(features: Array, texts: Sequence[SubjectText], rng: random.Random) -> None:
    """Print how texts of unseen kinds, and unseen questions, are classified."""
    other_kinds = sorted({text.kind for text in texts if not text.is_mathematics})
    rng.shuffle(other_kinds)
    fold_of = {kind: place % _FOLDS for place, kind in enumerate(other_kinds)}
    folds = np.array([rng.randrange(_FOLDS) if text.is_mathematics else fold_of[text.kind] for text in texts])
    stated = np.zeros(len(texts), dtype=np.float32)
    for fold in range(_FOLDS):
        seen = folds != fold
        fitted = fit(features[seen], [text for text, is_seen in zip(texts, seen, strict=True) if is_seen])
        stated[~seen] = probabilities(fitted, features[~seen])
    own = np.array([text.weight != 1 for text in texts])
    mathematics = np.array([text.is_mathematics for text in texts])
    noise = np.array([text.kind == NOISE_KIND for text in texts])
    _say(f"our mathematics questions: {_below(stated[own])} rejected")
    _say(f"questions of learned sets and of the demo bank: {_below(stated[mathematics & ~own])} rejected")
    _say(f"texts of a kind left out: {_below(stated[~mathematics & ~noise])} recognised")


def main(arguments: list[str] | None = None) -> int:
    """Fit and write the classifier; on failure write a sentence to standard error and return exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m worker.subject", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the public data sets")
    parser.add_argument("--output", type=Path, default=WEIGHTS, help="file of the classifier")
    options = parser.parse_args(arguments)
    rng = random.Random(_SEED)  # noqa: S311 - sampling, not security
    try:
        learned = [text for name in LEARNED for text in public_texts(options.data, name, rng)]
        texts = [*own_texts(), *learned, *demo_texts(rng), *noise_texts(rng)]
        features = _features(texts)
        measure(features, texts, rng)
        weights = fit(features, texts)
        rng = random.Random(_SEED)  # noqa: S311 - the same questions however many texts of ours there are
        for name in MEASURED:
            stated = probabilities(weights, _features(public_texts(options.data, name, rng)))
            _say(f"{name}, from which nothing is learned: {_below(stated)} rejected")
        weights.save(options.output)
    except (AnalyticsError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _features(texts: Sequence[SubjectText]) -> Array:
    return subject_features([text.text for text in texts])


def _below(stated: Array) -> str:
    return f"{(stated < THRESHOLD).sum()} of {len(stated)} ({(stated < THRESHOLD).mean():.1%})"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
