"""The evaluations of `manage.py evaluate`: every capability that defines one, the search, and the language model."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.metrics import rounded
from analytics.records import QuestionRecord
from analytics.text.formulas import formula_segments, segment_text
from analytics.text.notation import formula_tokens
from questionbank.bank.question_selectors import content_hash
from questionbank.core.errors import NotFound, ValidationFailed
from questionbank.formats import read
from questionbank.jobs.run_services import run_create_alone
from questionbank.models import Question, Run
from questionbank.registry.serving import Serving, serving
from questionbank.search.asked import asked_search
from questionbank.search.filters import SearchFilters, passing
from questionbank.search.query import vocabulary
from questionbank.search.ranking import Matches, fuse, rank_by_vectors
from questionbank.search.text_search import rank_by_terms, rank_by_text
from worker.bootstrap import RESAMPLES, middle
from worker.catalog import WORKER_CAPABILITIES
from worker.reporting import run_here

SEARCH = "search"
LANGUAGE_MODEL = "language_model"


def evaluations() -> list[str]:
    """Return the words that the command takes."""
    return sorted([SEARCH, LANGUAGE_MODEL, *(word for word, row in WORKER_CAPABILITIES.items() if row.can("evaluate"))])


def evaluate(word: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate a capability, the search or the language model with these options; figures are rounded for JSON.

    Raises:
        ValidationFailed: the capability needs data, and the options give none.
    """
    if word == SEARCH:
        return _search(options)
    if word == LANGUAGE_MODEL:
        return _exam(options)
    row = WORKER_CAPABILITIES[word]
    if options["data"] is None and not row.measures_bank:
        raise ValidationFailed(f"evaluate {word} needs --data: {row.measured_on}.")
    figures: dict[str, Any] = rounded(row.evaluate(options))
    return figures


def _search(options: Mapping[str, Any]) -> dict[str, Any]:
    return evaluate_search(
        serving=serving(),
        queries=options["queries"],
        seed=options["seed"],
        split=options["split"],
        language=options["language"],
        among=_content_hashes(options["data"]) if options["data"] else None,
    )


def _exam(options: Mapping[str, Any]) -> dict[str, Any]:
    """Take the exam of the language model in this process, as the job of the models page does."""
    from worker.exam.taking import exam_run

    if options["limit"] is not None and options["limit"] < 1:
        raise ValidationFailed("--limit must be at least 1.")
    parameters = {name: options[name] for name in ("limit", "uses") if options[name]}
    if options["data"] is not None:
        parameters["data"] = str(options["data"].absolute())
    job: dict[str, Any] = {"kind": Run.Kind.EXAM, "capability": "", "parameters": parameters}
    run = run_create_alone("The exam is being taken already: see the page of jobs.", **job, queue="light", send=False)
    return run_here(run, exam_run, echo=options.get("echo"))


def _content_hashes(data: Path) -> set[bytes]:
    """Return the content hashes of the questions in a file, or in every question file of a folder."""
    files = [data]
    if data.is_dir():
        files = sorted(file for file in data.rglob("*") if file.name.endswith((".jsonl", ".jsonl.gz", ".csv")))
    hashes: set[bytes] = set()
    for file in files:
        for _line, entry in read(file):
            if isinstance(entry, QuestionRecord):
                hashes.add(content_hash(text=entry.text, options=entry.options, content=entry.content))
    return hashes


SORTS = ("misspelt words", "part of the text", "formula")

_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{4,}(?![A-Za-z])")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORDS_ASKED = 4
_FEWEST_FORMULA_TOKENS = 7
_FEWEST_PIECES = 10  # words (Chinese: characters) in a text to make a partial query from it
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A query and the id of the question it was made from."""

    sort: str
    query: str
    question_id: int
    language: str


def known_items(
    questions: Iterable[tuple[int, str, str]], *, rng: random.Random, rarity: Callable[[str], float]
) -> list[KnownItem]:
    """Return every query that can be made from the questions, one per question and kind.

    Args:
        questions: (id, text, language) of each question.
        rarity: returns a word's rarity; people search for unusual words, so rarer words are chosen more often.
    """
    makers = {
        "misspelt words": lambda text: _misspelt_words(text, rng, rarity),
        "part of the text": lambda text: _part(text, rng),
        "formula": lambda text: _formula(text, rng),
    }
    return [
        KnownItem(sort, query, pk, language)
        for pk, text, language in questions
        for sort, make in makers.items()
        if (query := make(text))
    ]


def misspell(word: str, rng: random.Random) -> str:
    """Return the word with one typo after its first letter: a letter dropped, doubled, swapped or replaced."""
    place = rng.randrange(1, len(word) - 1)
    slip = rng.randrange(4)
    if slip == 0:
        return word[:place] + word[place + 1 :]
    if slip == 1:
        return word[:place] + word[place] + word[place:]
    if slip == 2:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + rng.choice(_LETTERS) + word[place + 1 :]


def _misspelt_words(text: str, rng: random.Random, rarity: Callable[[str], float]) -> str:
    prose = " ".join(segment.source for segment in segment_text(text) if segment.kind == "text")
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(prose)))
    if len(words) < _WORDS_ASKED or _CHINESE.search(prose):
        return ""  # people do not search a Chinese question by its Latin words
    # Weighted sampling without replacement (Efraimidis and Spirakis 2006).
    keys = {word: rng.random() ** (1 / max(rarity(word), 0.01)) for word in words}
    chosen = sorted(words, key=lambda word: -keys[word])[:_WORDS_ASKED]
    rng.shuffle(chosen)
    slips = rng.sample(range(_WORDS_ASKED), 2)
    return " ".join(misspell(word, rng) if place in slips else word for place, word in enumerate(chosen))


def _part(text: str, rng: random.Random) -> str:
    separator = "" if _CHINESE.search(text) else " "
    pieces = list(text) if not separator else text.split()
    if len(pieces) < _FEWEST_PIECES:
        return ""
    length = max(5, int(len(pieces) * rng.uniform(0.3, 0.6)))
    start = rng.randrange(len(pieces) - length + 1)
    return separator.join(pieces[start : start + length])


def _formula(text: str, rng: random.Random) -> str:
    formulas = [segment.body.strip() for segment in formula_segments(text)]
    longest = max(formulas, key=lambda body: len(formula_tokens(body)), default="")
    if len(formula_tokens(longest)) < _FEWEST_FORMULA_TOKENS:
        return ""
    return f"${longest}$" if rng.random() < 0.5 else longest


ARMS = ("text", "vectors", "fusion")
_CUT = 10


def evaluate_search(
    *,
    serving: Serving,
    queries: int = 300,
    seed: int = 0,
    split: str = "test",
    language: str = "en",
    among: Collection[bytes] | None = None,
) -> dict[str, Any]:
    """Sample questions of the bank, make queries from them, and measure the rank at which each question is found.

    Args:
        queries: number of queries of each sort.
        split: ``"test"``, or ``"dev"`` for the other half of the bank, on which weights may be tuned.
        language: language of the questions.
        among: content hashes; only these questions are sampled. The whole bank is searched either way.

    Returns:
        ``{"sorts": {sort: {"queries", arm: {"mrr", "low", "high"}, "fusion - arm": {...}}}, ...}`` with
        95 % bootstrap intervals.

    Raises:
        NotFound: no question of the bank can be sampled.
    """
    items = _items(queries, seed, split, language, among)
    if not items:
        raise NotFound("The bank has no ready question of this language to make queries from.")
    ranks: dict[tuple[str, str], list[float]] = {(sort, arm): [] for sort in SORTS for arm in ARMS}
    for item in items:
        for arm, value in _reciprocal_ranks(item, serving).items():
            ranks[item.sort, arm].append(value)
    rng = np.random.default_rng(seed)
    return {
        "measure": f"MRR@{_CUT}",
        "bank": Question.objects.filter(status=Question.Status.READY).count(),
        "split": split,
        "seed": seed,
        "language": language,
        "sorts": {sort: _figures({arm: ranks[sort, arm] for arm in ARMS}, rng) for sort in SORTS},
    }


def reciprocal_rank(ids: Sequence[int], right: Collection[int]) -> float:
    """Return 1 / rank of the first right id among the first ten, 0 if there is none."""
    return next((1 / rank for rank, pk in enumerate(ids[:_CUT], start=1) if pk in right), 0.0)


def mean_interval(values: Sequence[float], rng: np.random.Generator) -> dict[str, float]:
    """Return the mean with its 95 % bootstrap interval."""
    table: npt.NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    if not len(table):
        return {"mean": 0.0, "low": 0.0, "high": 0.0}
    means = table[rng.integers(0, len(table), size=(RESAMPLES, len(table)))].mean(axis=1)
    low, high = middle(means)
    return {name: round(value, 4) for name, value in (("mean", float(table.mean())), ("low", low), ("high", high))}


def _items(queries: int, seed: int, split: str, language: str, among: Collection[bytes] | None) -> list[KnownItem]:
    rows = Question.objects.filter(status=Question.Status.READY, language=language).order_by("pk")
    question_ids = [
        pk
        for pk, digest in rows.values_list("pk", "content_hash")
        if ("dev" if zlib.crc32(bytes(digest)) % 2 else "test") == split and (among is None or bytes(digest) in among)
    ]
    rng = random.Random(seed)  # noqa: S311 - sampling, not security
    rng.shuffle(question_ids)
    remaining = dict.fromkeys(SORTS, queries)
    items: list[KnownItem] = []
    rarity = vocabulary().rarity
    for start in range(0, len(question_ids), 500):
        questions = Question.objects.in_bulk(question_ids[start : start + 500])
        chunk = [(pk, questions[pk].analysed_text, language) for pk in question_ids[start : start + 500]]
        for item in known_items(chunk, rng=rng, rarity=rarity):
            if remaining[item.sort]:
                remaining[item.sort] -= 1
                items.append(item)
        if not any(remaining.values()):
            break
    return items


def _reciprocal_ranks(item: KnownItem, serving: Serving) -> dict[str, float]:
    digest = Question.objects.values_list("content_hash", flat=True).get(pk=item.question_id)
    right = set(Question.objects.filter(content_hash=digest).values_list("pk", flat=True))
    words = vocabulary()
    asked = asked_search(item.query, SearchFilters(), exact=False, off=())
    parsed = asked.parsed
    ready = passing(SearchFilters())
    by_text = rank_by_terms(asked.terms, ready) if asked.terms else rank_by_text(parsed.tokens, ready, words)
    by_vectors = rank_by_vectors(parsed, None, serving).ids
    fused = [hit.id for hit in fuse(parsed, Matches(by_text, by_vectors))]
    return {arm: reciprocal_rank(ids, right) for arm, ids in zip(ARMS, (by_text.ids, by_vectors, fused), strict=True)}


def _figures(ranks: dict[str, list[float]], rng: np.random.Generator) -> dict[str, Any]:
    figures: dict[str, Any] = {"queries": len(ranks["fusion"])}
    for arm in ARMS:
        figures[arm] = mean_interval(ranks[arm], rng)
    for arm in ("text", "vectors"):
        difference = np.subtract(ranks["fusion"], ranks[arm])
        figures[f"fusion - {arm}"] = mean_interval(list(difference), rng)
    return figures
