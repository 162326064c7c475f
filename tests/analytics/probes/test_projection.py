"""The map keeps neighbours, is the same each time, tells its progress and can be stopped."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.errors import Cancelled, ConfigurationError, DataError
from analytics.probes import projection
from analytics.probes.projection import ProjectionConfig, principal_components, project_vectors

GROUPS, EACH, DIMENSION = 4, 40, 24


@pytest.fixture(scope="module")
def grouped() -> tuple[np.ndarray, np.ndarray]:
    """Vectors around four centres, and the number of the centre of each."""
    rng = np.random.default_rng(5)
    centres = rng.normal(size=(GROUPS, DIMENSION)) * 3
    labels = np.repeat(np.arange(GROUPS), EACH)
    vectors = centres[labels] + rng.normal(size=(len(labels), DIMENSION)) * 0.3
    return vectors.astype(np.float32), labels


def neighbours_of_own_group(coordinates: np.ndarray, labels: np.ndarray) -> float:
    """Share of points whose nearest other point is of the same group."""
    distances = ((coordinates[:, None] - coordinates[None]) ** 2).sum(-1)
    np.fill_diagonal(distances, np.inf)
    return float((labels[distances.argmin(1)] == labels).mean())


def test_points_of_a_group_lie_together_by_either_method(grouped) -> None:
    vectors, labels = grouped
    for method in ("tsne", "pca"):
        made = project_vectors(vectors, ProjectionConfig(method=method))
        assert made.method == method
        assert made.coordinates.shape == (len(vectors), 2)
        assert neighbours_of_own_group(made.coordinates, labels) > 0.95


def test_the_map_fills_the_square_and_keeps_its_proportions(grouped) -> None:
    coordinates = project_vectors(grouped[0], ProjectionConfig(method="pca")).coordinates
    components = principal_components(grouped[0] / np.linalg.norm(grouped[0], axis=1, keepdims=True), DIMENSION)[:, :2]
    assert np.abs(coordinates).max() == pytest.approx(1.0)
    assert np.ptp(coordinates, axis=0)[1] / np.ptp(coordinates, axis=0)[0] == pytest.approx(
        np.ptp(components, axis=0)[1] / np.ptp(components, axis=0)[0], rel=1e-4
    )


def test_the_same_seed_gives_the_same_map(grouped) -> None:
    config = ProjectionConfig(sample=100, seed=3)
    first, second = (project_vectors(grouped[0], config).coordinates for _time in range(2))
    assert np.array_equal(first, second)


def test_of_a_large_bank_a_sample_is_laid_out_and_the_others_are_placed_among_it(grouped) -> None:
    vectors, labels = grouped
    made = project_vectors(vectors, ProjectionConfig(sample=100))
    assert made.sampled == 100
    assert neighbours_of_own_group(made.coordinates, labels) > 0.95


def test_components_are_those_of_the_covariance_with_a_sign_that_stays(grouped) -> None:
    vectors = grouped[0]
    reduced = principal_components(vectors, 5)
    values = np.linalg.eigvalsh(np.cov(vectors.T))[::-1][:5]
    assert reduced.var(axis=0, ddof=1) == pytest.approx(values, rel=1e-3)
    assert np.allclose(reduced, principal_components(vectors, 5))
    assert np.abs(np.corrcoef(reduced.T) - np.eye(5)).max() < 1e-3


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_handful_of_vectors_is_drawn_by_its_components(count) -> None:
    vectors = np.random.default_rng(1).normal(size=(count, 8)).astype(np.float32)
    made = project_vectors(vectors)
    assert made.method == "pca"
    assert np.isfinite(made.coordinates).all()


def test_equal_vectors_and_vectors_of_zeros_have_a_place() -> None:
    vectors = np.zeros((40, 6), dtype=np.float32)
    vectors[:20, 0] = 1.0
    for method in ("tsne", "pca"):
        coordinates = project_vectors(vectors, ProjectionConfig(method=method)).coordinates
        assert np.isfinite(coordinates).all()


def test_without_opentsne_the_first_two_components_are_drawn(grouped, monkeypatch) -> None:
    monkeypatch.setattr(projection, "find_spec", lambda name: None)
    assert project_vectors(grouped[0]).method == "pca"


def test_progress_rises_and_ends_at_the_number_of_vectors(grouped) -> None:
    told: list[tuple[int, int, str]] = []
    project_vectors(grouped[0], ProjectionConfig(sample=100), progress=lambda *report: told.append(report))
    done = [report[0] for report in told]
    assert done == sorted(done)
    assert told[-1][:2] == (160, 160)
    assert any(report[2] == "Step 250 of 750" for report in told)


def test_it_stops_in_the_middle_where_asked_to(grouped) -> None:
    asked: list[int] = []

    def cancel() -> bool:
        asked.append(1)
        return len(asked) > 5

    with pytest.raises(Cancelled):
        project_vectors(grouped[0], cancel=cancel)
    assert len(asked) == 6


def test_nothing_to_draw_and_settings_out_of_bounds_are_refused() -> None:
    with pytest.raises(DataError, match="no vector"):
        project_vectors(np.zeros((0, 8), dtype=np.float32))
    with pytest.raises(ConfigurationError, match="perplexity"):
        ProjectionConfig(perplexity=1.0)
