"""What stands beside a training's checkpoint."""

from __future__ import annotations

import pytest
import torch

from analytics.errors import ArtifactError, Cancelled
from analytics.training.checkpoint import checkpoints_beside, kept_or_made, random_states, restore_random_states


def test_what_was_made_beside_a_checkpoint_is_made_once(tmp_path):
    path = tmp_path / "run" / "rows.json.gz"
    made = iter([[{"text": "½ of 6", "label": None}], "never asked for"])
    assert kept_or_made(path, lambda: next(made)) == [{"text": "½ of 6", "label": None}]
    assert kept_or_made(path, lambda: next(made)) == [{"text": "½ of 6", "label": None}]
    assert [file.name for file in path.parent.iterdir()] == ["rows.json.gz"]


def test_what_is_kept_damaged_is_said_and_not_made_anew(tmp_path):
    path = tmp_path / "rows.json.gz"
    kept_or_made(path, lambda: list(range(1000)))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ArtifactError, match="remove it to start over"):
        kept_or_made(path, list)


def test_the_checkpoint_beside_an_output_is_kept_until_the_training_is_done(tmp_path):
    output = tmp_path / "encoder"

    def train(is_stopped: bool) -> None:
        with checkpoints_beside(output) as folder:
            kept_or_made(folder / "rows.json.gz", list)
            if is_stopped:
                raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        train(is_stopped=True)
    assert (tmp_path / ".encoder.checkpoint" / "rows.json.gz").is_file()
    train(is_stopped=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("saved", "here"), [(4, 1), (1, 4), (4, 4), (2, 0)])
def test_random_states_of_other_numbers_of_gpus_are_restored_as_far_as_there_are_cards(monkeypatch, saved, here):
    cards = dict.fromkeys(range(here))

    def set_state(state, number):
        assert number in cards, "there is no such card"
        cards[number] = state.tolist()

    states = random_states() | {"cuda": [torch.tensor([number], dtype=torch.uint8) for number in range(saved)]}
    drawn = torch.rand(3)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: here > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: here)
    monkeypatch.setattr(torch.cuda, "set_rng_state", set_state)
    restore_random_states(states)
    assert torch.equal(torch.rand(3), drawn)
    assert cards == {number: [number] if number < saved else None for number in range(here)}
