"""Taking the exam: a job that asks the model everything, keeps each answer, and stores a verdict for each use.

Only public examples are sent. Answers are filed with the model's replies to the check questions, so a job that was
stopped resumes where it was, a longer exam begins with the answers of a shorter one, and another model begins anew.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings

from analytics.json_lines import read_objects
from analytics.language_model.protocol import LanguageModel
from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import duration_text
from questionbank.models import LanguageModelUse
from questionbank.registry.language_model_selectors import endpoint_model
from questionbank.registry.language_model_services import (
    CountedModel,
    check_answers,
    is_same_model,
    language_model_exam_store,
)
from worker.exam.concepts_exam import ConceptsExam
from worker.exam.contract import Example, UseExam
from worker.exam.pairs_exam import PairsExam
from worker.exam.papers_exam import PapersExam
from worker.exam.solving_exam import SolvingExam
from worker.reporting import RunReporter

EXAMS: tuple[UseExam, ...] = (SolvingExam(), PairsExam(), PapersExam(), ConceptsExam())
_CHARACTERS_A_TOKEN = 4
_LOOK_SECONDS = 1.0
_TIMED = 3  # examples of each use, by which the minutes are estimated


def exam_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``exam``. It may stop anywhere and be repeated.

    The run's parameters are ``{"limit": examples of each use, "uses": [words], "data": folder}``, all optional.

    Returns:
        ``{"model", "host", "uses": {use: {"verdict", ...figures}}}``.

    Raises:
        ValidationFailed: no model has an address, or there are no examples.
        LanguageModelError: the model cannot be reached, refuses, or has used up its tokens of today.
        Cancelled: the run was stopped.
    """
    parameters = reporter.run.parameters
    known = [exam.use for exam in EXAMS]
    asked = parameters.get("uses") or known
    if unknown := set(asked) - set(known):
        raise ValidationFailed(f"The exam has no use {min(unknown)!r}. Choose of: {', '.join(known)}.")
    exams = [exam for exam in EXAMS if exam.use in asked]
    folder = Path(parameters.get("data") or settings.LANGUAGE_MODEL_EXAM)
    chosen = {exam: sampled(exam.examples(folder), parameters.get("limit")) for exam in exams}
    if not any(chosen.values()):
        raise ValidationFailed(
            f"{folder} has no examples for the exam: set LANGUAGE_MODEL_EXAM to a folder of sets, such as"
            " SET/problems.jsonl, SET/pairs.jsonl, SET/papers/truth.jsonl and SET/concepts.jsonl."
        )
    endpoint = endpoint_model()
    if endpoint is None:
        raise ValidationFailed("No language model has an address: set LANGUAGE_MODEL_URL and LANGUAGE_MODEL_NAME.")
    results: dict[str, Any] = {}
    with endpoint:
        checked = check_answers(CountedModel(endpoint))
        kept = KeptAnswers(endpoint.host, endpoint.name, checked)
        missing = {
            exam: [example for example in examples if exam.prompt(example) not in kept]
            for exam, examples in chosen.items()
        }
        for exam, examples in missing.items():
            answered(exam, examples[:_TIMED], endpoint, kept, reporter)
        reporter.log(estimate(missing, kept))
        for exam, examples in chosen.items():
            if not examples:
                reporter.log(f"{folder} has no examples for the use “{exam.use}”.", level="warning")
                continue
            answers = answered(exam, examples, endpoint, kept, reporter)
            outcome = exam.outcome(examples, answers, reporter)
            row = language_model_exam_store(
                use=exam.use, model=endpoint, checked=checked, outcome=outcome, run=reporter.run
            )
            reporter.log(f"{row}: {row.get_verdict_display().lower()}.")
            results[exam.use] = {"verdict": outcome.verdict, **outcome.figures, "weights": dict(outcome.weights)}
    return {"model": endpoint.name, "host": endpoint.host, "uses": results}


def sampled(examples: Sequence[Example], limit: int | None) -> list[Example]:
    """Return the first `limit` examples in an order that takes one from each set in turn."""
    by_source: dict[str, deque[Example]] = {}
    for example in examples:
        by_source.setdefault(example.source, deque()).append(example)
    ordered = []
    while by_source:
        for source in list(by_source):
            ordered.append(by_source[source].popleft())
            if not by_source[source]:
                del by_source[source]
    return ordered[:limit]


def estimate(missing: Mapping[UseExam, Sequence[Example]], kept: KeptAnswers) -> str:
    """Return in a sentence how many tokens and minutes the exam takes.

    Args:
        missing: the examples of each use that are sent.
        kept: the answers to the first of them, by whose pace the others are estimated.
    """
    tokens, count, seconds = 0, 0, 0.0
    for exam, examples in missing.items():
        prompts = [exam.prompt(example) for example in examples]
        count += len(prompts)
        tokens += sum(len(prompt) // _CHARACTERS_A_TOKEN + exam.answer_tokens for prompt in prompts)
        timed = [float(kept[prompt]["seconds"]) for prompt in prompts[:_TIMED]]
        seconds += len(prompts) * sum(timed) / max(1, len(timed))
    seconds /= settings.LANGUAGE_MODEL_AT_ONCE
    return (
        f"{count:,} examples are sent: about {tokens:,} tokens, and {duration_text(seconds)} or longer at the pace of"
        " the first ones."
    )


class KeptAnswers:
    """The answers of one model, kept in a file whose first line says how it answered the check questions."""

    def __init__(self, host: str, name: str, checked: Sequence[str]) -> None:
        folder = Path(settings.VAR_DIR) / "exams"
        folder.mkdir(parents=True, exist_ok=True)
        server = hashlib.sha256(json.dumps([host, name]).encode()).hexdigest()[:16]
        for number in count(1):
            self._file = folder / f"{server}-{number}.jsonl"
            rows = [row for _line, row in _whole_lines(self._file)] if self._file.is_file() else []
            if not rows:
                self._write({"checked": list(checked)})
                break
            if is_same_model(checked, rows.pop(0)["checked"]):
                break
        self._answers = {row.pop("key"): row for row in rows}

    def __contains__(self, prompt: str) -> bool:
        return _key(prompt) in self._answers

    def __getitem__(self, prompt: str) -> dict[str, Any]:
        return self._answers[_key(prompt)]

    def keep(self, prompt: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer."""
        key = _key(prompt)
        self._answers[key] = dict(answer)
        self._write({"key": key, **answer})

    def _write(self, row: Mapping[str, Any]) -> None:
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _whole_lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the kept answers; a last line that a killed process did not finish is cut off."""
    written = file.read_bytes()
    if not written.endswith(b"\n"):
        file.write_bytes(written[: written.rfind(b"\n") + 1])
    return read_objects(file)


def _key(prompt: str) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()


def answered(
    exam: UseExam, examples: Sequence[Example], model: LanguageModel, kept: KeptAnswers, reporter: RunReporter
) -> list[dict[str, Any]]:
    """Return the answer to each example, with its ``tokens`` and ``seconds``; several are asked for at once.

    Raises:
        LanguageModelError: as for `exam_run`; what was answered before is kept.
        Cancelled, GaveWay: the run was stopped, or waits for other work.
    """
    prompts = [exam.prompt(example) for example in examples]
    by_prompt = dict(zip(prompts, examples, strict=True))
    pending = deque(prompt for prompt in by_prompt if prompt not in kept)
    total, name = len(by_prompt), LanguageModelUse.Use(exam.use).label
    running: dict[Future[dict[str, Any]], str] = {}
    with ThreadPoolExecutor(settings.LANGUAGE_MODEL_AT_ONCE) as pool:
        while pending or running:
            while pending and len(running) < settings.LANGUAGE_MODEL_AT_ONCE:
                prompt = pending.popleft()
                running[pool.submit(_asked, exam, model, by_prompt[prompt])] = prompt
            done, _waiting = wait(running, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            problem: BaseException | None = None
            for future in done:
                prompt = running.pop(future)
                if (error := future.exception()) is None:
                    kept.keep(prompt, future.result())
                else:
                    problem = error
            if problem is not None:
                raise problem
            if done:
                reporter.saved_work()
            reporter.progress(total - len(pending) - len(running), total, f"{name}: asking {model.name}")
            reporter.check()
            reporter.give_way()
    return [kept[prompt] for prompt in prompts]


def _asked(exam: UseExam, model: LanguageModel, example: Example) -> dict[str, Any]:
    """Return one answer with its cost; runs in a thread."""
    counted, began = CountedModel(model), time.monotonic()
    answer = exam.ask(counted, example)
    return {**answer, "tokens": counted.tokens, "seconds": round(time.monotonic() - began, 2)}
