"""What people and jobs do while faults happen, and what must be true of it afterwards.

Each kind of work is a context manager: it begins, goes on while faults happen, and yields a function that says what is
wrong once nothing runs any more. Whoever is told that something is saved finds it saved, once; whoever is told nothing
asks again.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from html import unescape
from urllib.parse import urlencode
from uuid import UUID

from tests.faults.instance import BASE_DIR, SESSION, Instance, Skipped, wait_for

Problems = Callable[[], list[str]]
Work = Callable[[Instance, random.Random], AbstractContextManager[Problems]]

PAIRS = 2_000
SMALL_IMPORT = 200
PAUSE_SECONDS = 1.0
PAGES = ("/", "/questions/", "/questions/?q=what+is+12", "/jobs/", "/concepts/", "/health/")
WORDS = "apples buses coins doors eggs flags goats hats inks jars kites lamps maps nuts oars pens".split()
TRAIN = """
import json, sys
from pathlib import Path
import django; django.setup()
from analytics.backbone.export import save_backbone
from tests.tiny_backbone import tiny_backbone
from questionbank.training.services import training_request
if not Path(sys.argv[1]).exists():
    save_backbone(tiny_backbone(seed=0), Path(sys.argv[1]))
print(training_request(capability="encoder", settings={**json.loads(sys.argv[2]), "backbone": sys.argv[1]}).pk)
"""
TRAINING = {
    "batch_size": "16", "epochs": "2", "projection": "8", "levels": "2", "max_tokens": "64",
    "evaluate_every": "0", "checkpoint_every": "1", "mixed_precision": "no", "ranking": "none",
}  # fmt: skip


def prepare_people() -> None:
    """Prepare a bank: vectors of n-grams, somebody who is logged in, pairs to review; runs in the supervisor.

    The packaged language model counts as prepared: nothing asks it, and converting its weights takes a busy machine
    minutes, for which every round would wait.
    """
    from analytics.inference.encode import HashedNgramEncoder
    from questionbank.models import EmbeddingSet, ParaphrasePair, User
    from questionbank.registry.language_model_selectors import packaged_model_folder
    from questionbank.review.guideline_services import guideline_current, guideline_read
    from questionbank.review.pair_services import PairInput, pairs_create
    from tests.faults.sessions import open_session

    packaged_model_folder().mkdir(parents=True, exist_ok=True)
    (packaged_model_folder() / "config.json").touch()
    ngrams = HashedNgramEncoder()
    EmbeddingSet.objects.get_or_create(
        lens="wording", encoder_name=ngrams.name, dimension=ngrams.dimension, is_current=True
    )
    person = User.objects.filter(username="faults").first() or User.objects.create_superuser("faults")
    open_session(person, key=SESSION)
    if not ParaphrasePair.objects.exists():
        guideline_read(reviewer=person, version=guideline_current().version)
        pairs_create(
            pairs=[PairInput(f"What is {n} + 2?", f"Add 2 to {n}.") for n in range(PAIRS)],
            source=ParaphrasePair.Source.UPLOAD,
            user=None,
            request_scores=False,
        )


class Readers:
    """Threads that read pages in turn; `statuses` counts what they got (0: nobody answered)."""

    def __init__(self, instance: Instance, count: int = 2) -> None:
        self.statuses: Counter[int] = Counter()
        self.without_retry_after = 0
        self._instance = instance
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(n,), daemon=True) for n in range(count)]

    def __enter__(self) -> Readers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(timeout=60)

    def _read(self, number: int) -> None:
        while not self._ended.is_set():
            path = PAGES[number % len(PAGES)]
            number += 1
            status, headers = self._instance.get(path)
            self.statuses[status] += 1
            if status == 503 and path != "/health/" and "Retry-After" not in headers:
                self.without_retry_after += 1
            self._ended.wait(0.3)


@contextmanager
def repeating(step: Callable[[], None]) -> Iterator[None]:
    """Somebody who does the same again and again."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.is_set():
            step()
            ended.wait(PAUSE_SECONDS)

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(timeout=60)


def send(instance: Instance, path: str, fields: dict[str, str]) -> str:
    """Send a form until it is answered, and return where the answer leads.

    Raises:
        AssertionError: it is refused.
    """
    answered: list[str] = []

    def is_answered() -> bool:
        status, headers, page = instance.ask(path, fields)
        if asks_again(instance, status):
            return False
        assert status == 302, f"{path} answered {status}: {said(page)}\n{instance.log()}"
        answered.append(headers["Location"])
        return True

    wait_for(is_answered, f"an answer of {path}", instance.log)
    return answered[0]


def asks_again(instance: Instance, status: int) -> bool:
    """Return whether somebody with this answer tries again; a restore logs everybody out."""
    return status in (0, 503) or (status == 401 and instance.is_restored)


def said(page: str) -> str:
    """Return the readable end of a page."""
    main = page.partition("<main")[2] or page
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split())[:600]


def number_in(location: str) -> int:
    """Return the number in an address."""
    match = re.search(r"/(\d+)/", location)
    assert match is not None, location
    return int(match[1])


@contextmanager
def posts(instance: Instance, chance: random.Random) -> Iterator[Problems]:
    """Somebody writes questions, and sends each again until it is saved."""
    from questionbank.questions.writing_views import fingerprint

    mark = f"posted {chance.randrange(10**9)}"
    drawn = random.Random(mark)
    saved: list[str] = []
    refused: list[str] = []

    def write() -> None:
        text = f"How many {' and '.join(drawn.sample(WORDS, 6))} are there? ({mark}, {len(saved)})"
        fields = {
            "action": "save", "text": text, "kind": "open", "language": "en", "status": "ready", "answer": "7",
            "seen_doubles": fingerprint(text), "submission": str(UUID(int=drawn.getrandbits(128), version=4)),
        }  # fmt: skip
        for _attempt in range(200):
            status, _headers, page = instance.ask("/questions/new/", fields)
            if status == 302:
                saved.append(text)
                return
            if not asks_again(instance, status):
                refused.append(f"writing a question answered {status}: {said(page)}")
                return
            threading.Event().wait(PAUSE_SECONDS)

    def problems() -> list[str]:
        if instance.is_restored:
            return refused[:1]
        statement = "SELECT text FROM questionbank_question WHERE text LIKE %s"
        there = [text for (text,) in instance.sql(statement, f"%({mark}, %")]
        lost, twice = set(saved) - set(there), len(there) - len(set(there))
        return [
            *refused[:1],
            *([f"questions that were saved and are lost: {len(lost)} of {len(saved)}"] if lost else []),
            *([f"questions that were saved twice: {twice}"] if twice else []),
        ]

    with repeating(write):
        yield problems


@contextmanager
def reviews(instance: Instance, chance: random.Random) -> Iterator[Problems]:
    """Somebody accepts pair after pair."""
    decided: list[int] = []
    refused: list[str] = []

    def decide() -> None:
        status, _headers, page = instance.ask("/review/")
        form = re.search(r'action="/review/(\d+)/decide/"', page)
        if status != 200 or form is None:
            return
        pair = int(form[1])
        status, _headers, page = instance.ask(f"/review/{pair}/decide/", {"decision": "accept"})
        if status in (200, 302):
            decided.append(pair)
        elif status != 409 and not asks_again(instance, status):
            refused.append(f"a decision answered {status}: {said(page)}")

    def problems() -> list[str]:
        if instance.is_restored:
            return refused[:1]
        statement = "SELECT pair_id, count(*) FROM questionbank_reviewdecision WHERE undone_at IS NULL GROUP BY 1"
        counts = dict(instance.sql(statement))
        lost, twice = set(decided) - set(counts), [pair for pair, count in counts.items() if count > 1]
        return [
            *refused[:1],
            *([f"decisions that were saved and are lost: {len(lost)} of {len(decided)}"] if lost else []),
            *([f"pairs that one reviewer has decided twice: {len(twice)}"] if twice else []),
        ]

    with repeating(decide):
        yield problems


@contextmanager
def bulk_change(instance: Instance, chance: random.Random) -> Iterator[Problems]:
    """A change of every question that was imported."""
    grade = f"G{chance.randrange(10**6)}"
    query = {"source": "Faults", "all": "1", "kind": "grade", "set-grade": grade, "preview": "1"}
    path = f"/questions/selected/?{urlencode(query)}"
    wait_for(lambda: instance.ask(path)[0] == 200, "the preview of a change", instance.log)
    preview = re.search(r'name="fingerprint" value="([^"]+)"', instance.ask(path)[2])
    if preview is None:
        raise Skipped("there is nothing to change")
    status, headers, page = instance.ask(path, {"fingerprint": preview[1]})
    if asks_again(instance, status):
        raise Skipped("nobody knows whether the change was saved")
    assert status == 302, f"a bulk change answered {status}: {said(page)}"
    if not headers["Location"].startswith("/questions/changes/"):
        raise Skipped("the questions changed since the preview")
    change = number_in(headers["Location"])

    def problems() -> list[str]:
        if instance.is_restored:
            return []
        changed = instance.value("SELECT changed FROM questionbank_bulkchange WHERE id = %s", change)
        there = instance.value("SELECT count(*) FROM questionbank_question WHERE grade = %s", grade)
        return [] if changed == there > 0 else [f"a change of {changed} questions changed {there}"]

    yield problems


def import_once(instance: Instance, mark: str) -> int:
    """Import some questions, wait for it and return the job's number; 0 where that has been done before."""
    if (instance.folder / f"{mark}.jsonl").exists():
        return 0
    job = instance.import_questions(SMALL_IMPORT, mark=mark)
    wait_for(
        lambda: instance.sql("SELECT FROM questionbank_run WHERE id = %s AND state = 'succeeded'", job),
        "an import",
        instance.log,
    )
    return job


@contextmanager
def undo(instance: Instance, chance: random.Random) -> Iterator[Problems]:
    """The undoing of an import."""
    job = import_once(instance, f"undone {chance.randrange(10**9)}")
    send(instance, f"/jobs/{job}/undo/", {})

    def problems() -> list[str]:
        left = instance.value("SELECT count(*) FROM questionbank_question WHERE import_run_id = %s", job)
        return [f"questions left of an import that was undone: {left}"] if left and not instance.is_restored else []

    yield problems


@contextmanager
def training(instance: Instance, chance: random.Random) -> Iterator[Problems]:
    """The training of a tiny encoder on questions that are imported for it, once."""
    import_once(instance, "learned from")
    words = [sys.executable, "-c", TRAIN, str(instance.folder / "tiny"), json.dumps(TRAINING)]
    asked = subprocess.run(words, cwd=BASE_DIR, env=instance.environment, capture_output=True, text=True, check=False)
    assert asked.returncode == 0, asked.stderr
    job = int(asked.stdout)

    def problems() -> list[str]:
        if instance.is_restored:
            return []
        statement = "SELECT id FROM questionbank_modelartifact WHERE name LIKE %s"
        models = instance.sql(statement, f"%-{job}")
        return [] if len(models) == 1 else [f"a training left {len(models)} models"]

    yield problems


@contextmanager
def promotion(instance: Instance, chance: random.Random) -> Iterator[Problems]:
    """The promotion of an encoder that was trained before."""
    statement = (
        "SELECT id FROM questionbank_modelartifact WHERE capability = 'encoder' AND state = 'candidate'"
        " ORDER BY id DESC LIMIT 1"
    )
    models = instance.sql(statement)
    if not models:
        raise Skipped("there is no candidate to promote")
    [(model,)] = models
    send(instance, f"/models/{model}/promote/", {"reason": "A round of faults.", "override": "on"})

    def problems() -> list[str]:
        if instance.is_restored:
            return []
        state = instance.value("SELECT state FROM questionbank_modelartifact WHERE id = %s", model)
        return [] if state == "champion" else [f"a promoted model is {state}"]

    yield problems


WORKS: Mapping[str, Work] = {
    "bulk change": bulk_change,
    "promotion": promotion,
    "reviews": reviews,
    "training": training,
    "undo": undo,
}
