"""What lets jobs go on: who has a block and whose result is stored, and which checkpoints are cleared away."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from questionbank.jobs import resume_services as blocks
from questionbank.jobs.resume_services import KEPT_FOR, BlockRange, checkpoints_clear
from questionbank.jobs.run_selectors import BlockSums, block_sums, checkpoint_folder, checkpoints_root
from questionbank.models import Run, WorkBlock

pytestmark = pytest.mark.django_db


@pytest.fixture
def planned() -> list[BlockRange]:
    ranges = [BlockRange(1, 4, 4), BlockRange(7, 9, 2)]
    blocks.blocks_plan(job="count", ranges=ranges)
    return ranges


def claim() -> WorkBlock | None:
    return blocks.block_claim(job="count")


def let_leases_run_out() -> None:
    WorkBlock.objects.filter(until__isnull=False).update(until=Now() - timedelta(seconds=1))


def test_blocks_are_claimed_in_order_each_by_one_worker_and_progress_is_the_sum(planned):
    first, second = claim(), claim()
    assert [(block.first, block.last) for block in (first, second)] == [(1, 4), (7, 9)]
    assert claim() is None
    assert blocks.block_finish(block=second, store=lambda: 1)
    assert block_sums(job="count") == BlockSums(2, 6, stored=1, unfinished=1, free=0, last=9)
    assert claim() is None
    blocks.blocks_extend(job="count", ranges=[BlockRange(7, 9, 2), BlockRange(10, 12, 3)])  # one is there
    assert (block_sums(job="count").total, claim().first) == (9, 10)
    assert block_sums(job="another") == BlockSums(0, 0, 0, 0, 0, 0)


def test_a_result_is_stored_once_also_where_a_worker_that_was_given_up_comes_back(planned):
    stalled = claim()
    let_leases_run_out()
    taken_over = claim()
    assert (taken_over.pk, block_sums(job="count").free) == (stalled.pk, 1)
    stored: list[str] = []
    for block, name in ((stalled, "stalled"), (taken_over, "taken over"), (stalled, "stalled again")):
        blocks.block_finish(block=block, store=lambda name=name: stored.append(name) or 4)
    assert stored == ["taken over"]


def test_a_block_whose_work_fails_is_free_at_once(planned):
    block = claim()
    with pytest.raises(RuntimeError), blocks.lease_renewed(block):
        raise RuntimeError
    assert claim().pk == block.pk


def test_a_result_that_cannot_be_stored_leaves_the_block_unfinished(planned):
    def fail() -> int:
        WorkBlock.objects.filter(job="count").delete()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        blocks.block_finish(block=claim(), store=fail)
    assert block_sums(job="count").unfinished == 2


def test_leases_do_not_depend_on_the_clock_of_the_machine(planned, monkeypatch):
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(minutes=10))
    assert claim().first == 1
    assert claim().first == 7
    assert claim() is None


@pytest.mark.django_db(transaction=True)
def test_slow_work_keeps_its_lease_and_learns_of_its_loss(planned, monkeypatch):
    monkeypatch.setattr(blocks, "RENEW_SECONDS", 0.02)
    block = claim()
    let_leases_run_out()
    with blocks.lease_renewed(block) as is_lost:
        while block_sums(job="count").free != 1:  # until it is renewed
            pass
        assert not is_lost()
        blocks.blocks_plan(job="count", ranges=())  # somebody cancels the job
        while not is_lost():
            pass
    assert not blocks.block_finish(block=block, store=lambda: 4)


def test_a_turn_has_one_process_at_a_time_and_is_given_back():
    class Waited(Exception):
        pass

    def wait() -> None:
        raise Waited

    with (
        blocks.turn("set/1", wait=wait),
        blocks.turn("set/2", wait=wait),
        pytest.raises(Waited),
        blocks.turn("set/1", wait=wait),
    ):
        pass
    with blocks.turn("set/1", wait=wait):
        pass


@pytest.fixture(autouse=True)
def own_files(settings, tmp_path):
    settings.VAR_DIR = tmp_path


def with_folder(state: str, *, ended: timedelta | None = None) -> Run:
    run = Run.objects.create(
        kind="train", capability="encoder", state=state,
        finished_at=None if ended is None else timezone.now() - ended,
    )  # fmt: skip
    checkpoint_folder(run.pk).mkdir(parents=True)
    (checkpoint_folder(run.pk) / "checkpoint.pt").write_bytes(b"weights")
    return run


def test_only_what_nobody_goes_on_with_is_deleted():
    day = timedelta(days=1)
    kept = [
        with_folder("queued"),
        with_folder("running"),
        with_folder("failed", ended=KEPT_FOR - day),
        with_folder("cancelled", ended=KEPT_FOR - day),
    ]
    gone = [
        with_folder("succeeded", ended=day),
        with_folder("failed", ended=KEPT_FOR + day),
        with_folder("cancelled", ended=KEPT_FOR + day),
    ]
    deleted = with_folder("queued")
    number = deleted.pk
    deleted.delete()
    (checkpoints_root() / "run-notes").mkdir()
    (checkpoints_root() / "run-7.txt").write_text("mine")
    assert checkpoints_clear() == 4
    assert all((checkpoint_folder(run.pk) / "checkpoint.pt").is_file() for run in kept)
    assert not any(checkpoint_folder(run.pk).exists() for run in gone)
    assert not checkpoint_folder(number).exists()
    assert (checkpoints_root() / "run-notes").is_dir()
    assert (checkpoints_root() / "run-7.txt").is_file()
    assert checkpoints_clear() == 0


def test_without_a_folder_there_is_nothing_to_do():
    assert checkpoints_clear() == 0


def test_the_clock_asks_those_who_train():
    from django.conf import settings

    from worker.tasks import checkpoints_clear_away

    entry = settings.CELERY_BEAT_SCHEDULE["clear-checkpoints"]
    assert entry["task"] == checkpoints_clear_away.name
    assert entry["options"]["queue"] == "train"
