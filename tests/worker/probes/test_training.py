"""What probes learn from: published difficulties, and responses where they tell more."""

from __future__ import annotations

import numpy as np
import pytest

from worker.probes.difficulty_labels import with_responses


def combined(percent: float, reach: float) -> dict[str, float]:
    return {"percent": percent, "low": percent - reach, "high": percent + reach, "responses": 100}


def bank(reach: float) -> tuple[list[float | None], list[dict[str, float] | None]]:
    """60 bands from 1 to 5 about 100 (1 - facility) / 25 + 1, a question without a band, and one without responses."""
    shares = np.linspace(5, 95, 60)
    bands = np.clip(np.round(1 + shares / 25 + np.sin(np.arange(60))), 1, 5)
    return [*bands.tolist(), None, 2.0], [*(combined(share, reach) for share in shares), combined(50, reach), None]


def test_responses_take_the_place_of_published_difficulties_that_tell_less():
    published, answers = bank(6)
    difficulties, errors = with_responses(published, answers, "1-5")
    assert difficulties[-2:] == [pytest.approx(3, abs=0.3), 2.0]
    assert len(set(difficulties[:60])) > 50  # no longer in bands
    assert errors[0] == pytest.approx(4 * 6 / 100 / 1.96, rel=0.15)
    assert errors[-1] == 0


def test_few_responses_leave_the_published_difficulty():
    published, answers = bank(45)
    difficulties, errors = with_responses(published, answers, "1-5")
    assert difficulties[:60] == published[:60]
    assert errors[60] > 0  # but a question without one has at least these
    assert (errors[:60] == 0).all()


@pytest.mark.parametrize(("count", "scale"), [(20, "1-5"), (60, "as published")])
def test_without_a_common_scale_responses_are_not_used(count, scale):
    published, answers = bank(6)
    assert with_responses(published[:count], answers[:count], scale) == (published[:count], None)
