"""The two-parameter logistic model with a fixed guess, by marginal maximum likelihood (Bock and Aitkin 1981).

    P(right | z) = c + (1 - c) / (1 + exp(-a (z - b)))

z is a person's ability, a the slope, b the location (the question's difficulty on the scale of abilities) and c the
chance of guessing, which is given. Abilities are normal in each group. The first group has mean 0 and SD 1, which sets
the scale; the means and SDs of the others are estimated, so that groups are linked by the questions that they share. A
score between 0 and 1 counts as that share of a right answer and the rest of a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.responses.table import Floats, Indices, Responses

_BLOCK = 20_000  # responses handled at once
_LARGEST_STEP = 1.0  # of a parameter in one M-step
_ROUNDS = 10  # of two M-steps each, until nothing moves
_SLOPES, _LOCATIONS = (float(np.log(0.05)), float(np.log(6))), (-10.0, 10.0)  # limits of log a and of b
_MEANS, _LOG_SDS = (-4.0, 4.0), (-1.5, 1.0)  # limits of the groups, whose abilities lie between -5 and 5
_MOST_TOGETHER = 64  # questions up to which errors come from the whole information matrix
_PEOPLE_AT_ONCE = 500  # in this matrix


@dataclass(frozen=True)
class Priors:
    """Normal priors of the parameters. A field is a number or (questions,); an infinite SD means no prior.

    Attributes:
        log_slope: mean of log a.
        log_slope_sd: its standard deviation.
        location: mean of b, for example as estimated from the question's text.
        location_sd: its standard deviation.
    """

    log_slope: float | Floats = 0.0
    log_slope_sd: float | Floats = 0.5
    location: float | Floats = 0.0
    location_sd: float | Floats = 2.0


NO_PRIORS = Priors(log_slope_sd=np.inf, location_sd=np.inf)


@dataclass(frozen=True)
class ModelSettings:
    """Settings of an estimation.

    Attributes:
        guess: c, a number or (questions,).
        priors: of slopes and locations.
        common_slope: estimate one slope for all questions.
        nodes: number of equally spaced abilities between -5 and 5 that replace the integral.
        tolerance: largest change of log a, b, a group's mean or log SD at which the estimation ends.
        most_steps: maximum number of EM steps.
    """

    guess: float | Floats = 0.0
    priors: Priors = Priors()
    common_slope: bool = False
    nodes: int = 41
    tolerance: float = 1e-4
    most_steps: int = 1000


@dataclass(frozen=True)
class ItemResponseModel:
    """Estimates. Standard errors come from the observed information, priors included.

    Attributes:
        slope: a, (questions,).
        location: b, (questions,).
        guess: c, (questions,).
        slope_error: standard error of a, (questions,).
        location_error: standard error of b, (questions,).
        group_mean: mean ability, (groups,).
        group_sd: standard deviation of abilities, (groups,).
        ability: posterior mean of each person, (people,).
        ability_sd: posterior standard deviation of each person, (people,).
        log_likelihood: of the data, without priors.
        steps: number of EM steps.
        has_converged: whether the last step changed no parameter by more than the tolerance.
    """

    slope: Floats
    location: Floats
    guess: Floats
    slope_error: Floats
    location_error: Floats
    group_mean: Floats
    group_sd: Floats
    ability: Floats
    ability_sd: Floats
    log_likelihood: float
    steps: int
    has_converged: bool

    def probability(self, ability: npt.ArrayLike) -> Floats:
        """Return P(right) for abilities (n,) as (n, questions)."""
        return _curve(self.slope, self.location, self.guess, np.asarray(ability, dtype=float)).T


def _curve(slope: Floats, location: Floats, guess: Floats, ability: Floats) -> Floats:
    logistic = 1 / (1 + np.exp(-slope[:, None] * (ability - location[:, None])))
    return np.asarray(guess[:, None] + (1 - guess[:, None]) * logistic)  # (questions, abilities)


def fit_item_response(responses: Responses, settings: ModelSettings = ModelSettings()) -> ItemResponseModel:
    """Estimate slopes and locations by EM, accelerated by squared extrapolation (SQUAREM, Varadhan and Roland 2008)."""
    estimation = _Estimation(responses, settings)
    values = estimation.start()
    steps, change, tolerance = 0, np.inf, settings.tolerance
    while change > tolerance and steps < settings.most_steps:
        first, _before = estimation.step(values)
        second, reached = estimation.step(first)
        steps += 2
        step, curvature = first - values, second - 2 * first + values
        change = float(np.abs(second - first).max())
        length = np.sqrt(step @ step / max(float(curvature @ curvature), 1e-300))
        candidate = second
        if change > tolerance and length > 1:
            far = estimation.within_limits(values + 2 * length * step + length**2 * curvature)
            further, reached_far = estimation.step(far)
            steps += 1
            if reached_far >= reached:
                candidate = further
        values = candidate
    return estimation.model(values, steps, has_converged=change <= tolerance)


def with_priors(responses: Responses, settings: ModelSettings, model: ItemResponseModel) -> ItemResponseModel:
    """Return a model of the same responses with other priors, while what it says about people's abilities is kept.

    Estimated together with the abilities, hundreds of priors would contract the whole scale rather than correct single
    questions.
    """
    estimation = _Estimation(responses, settings)
    values = estimation.values_of(model)
    counts, right, *_others = estimation.expected(values)
    log_slope, location, *_groups = estimation.split(values)
    for _round in range(_ROUNDS):
        log_slope, location = estimation.maximise(log_slope, location, counts, right)
    values = np.concatenate([log_slope, location, values[2 * responses.questions :]])
    return estimation.model(values, model.steps, has_converged=model.has_converged)


class _Estimation:
    """EM over the parameters as one vector: log a, b, means and log SDs of all groups but the first."""

    def __init__(self, responses: Responses, settings: ModelSettings) -> None:
        order = np.argsort(responses.person, kind="stable")
        self.person, self.question = responses.person[order], responses.question[order]
        self.score, self.groups = responses.score[order], responses.groups
        self.people, self.questions = responses.people, responses.questions
        self.guess = np.broadcast_to(np.float64(settings.guess), responses.questions)
        self.priors, self.common_slope = settings.priors, settings.common_slope
        self.nodes = np.linspace(-5, 5, settings.nodes)
        self.group_count = int(self.groups.max()) + 1

    def start(self) -> Floats:
        """Return the values to begin with: slopes of 1, locations from the shares of right answers."""
        counts = np.bincount(self.question, minlength=self.questions)
        right = np.bincount(self.question, self.score, self.questions)
        share = np.clip(((right + 0.5) / (counts + 1) - self.guess) / (1 - self.guess), 0.02, 0.98)
        location = np.log((1 - share) / share)
        return np.concatenate([np.zeros(self.questions), location, np.zeros(2 * (self.group_count - 1))])

    def values_of(self, model: ItemResponseModel) -> Floats:
        """Return the values of a model."""
        means, log_sds = model.group_mean[1:], np.log(model.group_sd[1:])
        return self.within_limits(np.concatenate([np.log(model.slope), model.location, means, log_sds]))

    def within_limits(self, values: Floats) -> Floats:
        """Return the values inside their limits."""
        lowest, highest = zip(_SLOPES, _LOCATIONS, _MEANS, _LOG_SDS, strict=True)
        groups = self.group_count - 1
        lengths = [self.questions, self.questions, groups, groups]
        return np.clip(values, np.repeat(lowest, lengths), np.repeat(highest, lengths))

    def split(self, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return log a, b, and mean and SD of each group."""
        n, fixed = self.questions, np.zeros(1)
        means, log_sds = values[2 * n :].reshape(2, -1)
        mean, sd = np.concatenate([fixed, means]), np.exp(np.concatenate([fixed, log_sds]))
        return values[:n], values[n : 2 * n], mean, sd

    def blocks(self, values: Floats) -> Iterator[tuple[slice, slice, Floats, Floats]]:
        """Yield responses, people, posterior (people, nodes) and log-likelihood (people,) block by block."""
        log_slope, location, mean, sd = self.split(values)
        right = _curve(np.exp(log_slope), location, self.guess, self.nodes).clip(1e-12, 1 - 1e-12)
        log_right, log_wrong = np.log(right), np.log1p(-right)  # (questions, nodes)
        log_odds = log_right - log_wrong
        weights = -(((self.nodes - mean[:, None]) / sd[:, None]) ** 2) / 2
        weights -= np.log(np.exp(weights).sum(axis=1, keepdims=True))  # (groups, nodes)
        starts = np.searchsorted(self.person, np.arange(self.people + 1))
        first = 0
        while first < self.people:
            last = max(first + 1, int(np.searchsorted(starts, starts[first] + _BLOCK, "right")) - 1)
            rows, people = slice(starts[first], starts[last]), slice(first, last)
            terms = log_odds[self.question[rows]]
            terms *= self.score[rows, None]
            terms += log_wrong[self.question[rows]]
            logs = weights[self.groups[people]]
            has_any = starts[first:last] < starts[first + 1 : last + 1]
            logs[has_any] += np.add.reduceat(terms, starts[first:last][has_any] - starts[first], axis=0)
            largest = logs.max(axis=1, keepdims=True)
            posterior = np.exp(logs - largest)
            sums = posterior.sum(axis=1, keepdims=True)
            yield rows, people, posterior / sums, (largest + np.log(sums))[:, 0]
            first = last

    def expected(self, values: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Return what the values lead to expect.

        Returns:
            numbers of people by question and ability, and of right answers, both (questions, nodes); numbers of people,
            sums of their abilities and of the squares, (3, groups); and the log-likelihood with priors.
        """
        nodes, questions = len(self.nodes), self.questions
        counts, right = np.zeros((nodes, questions)), np.zeros((nodes, questions))
        moments = np.zeros((3, self.group_count))
        likelihood = 0.0
        for rows, people, posterior, logs in self.blocks(values):
            likelihood += float(logs.sum())
            place, score = self.question[rows], self.score[rows]
            who = self.person[rows] - people.start
            for node, column in enumerate(np.ascontiguousarray(posterior.T)):
                weight = column[who]
                counts[node] += np.bincount(place, weight, questions)
                right[node] += np.bincount(place, weight * score, questions)
            means = posterior @ self.nodes
            squares = posterior @ self.nodes**2
            for row, weight in enumerate((None, means, squares)):
                moments[row] += np.bincount(self.groups[people], weight, self.group_count)
        return counts.T, right.T, moments, likelihood + self.log_prior(values)

    def step(self, values: Floats) -> tuple[Floats, float]:
        """Return the values after one EM step, and the log-likelihood with priors of those before it."""
        counts, right, moments, likelihood = self.expected(values)
        log_slope, location, *_groups = self.split(values)
        log_slope, location = self.maximise(log_slope, location, counts, right)
        mean = moments[1] / moments[0].clip(1)
        sd = np.sqrt((moments[2] / moments[0].clip(1) - mean**2).clip(1e-4))
        after = np.concatenate([log_slope, location, mean[1:], np.log(sd[1:])])
        return after, likelihood

    def log_prior(self, values: Floats) -> float:
        """Return the log density of the priors, up to a constant."""
        log_slope, location, *_groups = self.split(values)
        deviations = (log_slope - self.priors.log_slope) / self.priors.log_slope_sd
        others = (location - self.priors.location) / self.priors.location_sd
        return -float(deviations @ deviations + others @ others) / 2

    def maximise(self, log_slope: Floats, location: Floats, counts: Floats, right: Floats) -> tuple[Floats, Floats]:
        """Return log a and b after two Fisher scoring steps on the expected counts, both (questions, nodes)."""
        for _ in range(2):
            slope = np.exp(log_slope)
            distance = self.nodes - location[:, None]
            logistic = 1 / (1 + np.exp(-slope[:, None] * distance))
            probability = (self.guess[:, None] + (1 - self.guess[:, None]) * logistic).clip(1e-12, 1 - 1e-12)
            rise = (1 - self.guess[:, None]) * logistic * (1 - logistic)  # dP / d(a (z - b))
            residual = (right - counts * probability) * rise / (probability * (1 - probability))
            information = counts * rise**2 / (probability * (1 - probability))
            by_slope, by_location = slope[:, None] * distance, -slope[:, None]
            gradient = np.stack([(residual * by_slope).sum(1), (residual * by_location).sum(1)])
            aa, ab, bb = (
                (information * product).sum(1) for product in (by_slope**2, by_slope * by_location, by_location**2)
            )
            gradient[0] -= (log_slope - self.priors.log_slope) / np.square(self.priors.log_slope_sd)
            gradient[1] -= (location - self.priors.location) / np.square(self.priors.location_sd)
            aa = aa + 1 / np.square(self.priors.log_slope_sd) + 1e-9
            bb = bb + 1 / np.square(self.priors.location_sd) + 1e-9
            if self.common_slope:
                change_slope = np.full(len(aa), (gradient[0] - ab / bb * gradient[1]).sum() / (aa - ab**2 / bb).sum())
            else:
                change_slope = (bb * gradient[0] - ab * gradient[1]) / (aa * bb - ab**2)
            change_location = (gradient[1] - ab * change_slope) / bb
            log_slope = (log_slope + change_slope.clip(-_LARGEST_STEP, _LARGEST_STEP)).clip(*_SLOPES)
            location = (location + change_location.clip(-_LARGEST_STEP, _LARGEST_STEP)).clip(*_LOCATIONS)
        return log_slope, location

    def model(self, values: Floats, steps: int, *, has_converged: bool) -> ItemResponseModel:
        """Return the estimates with their errors and the people's abilities."""
        log_slope, location, mean, sd = self.split(values)
        ability, ability_sd, likelihood = np.zeros(self.people), np.zeros(self.people), 0.0
        for _rows, people, posterior, logs in self.blocks(values):
            ability[people] = posterior @ self.nodes
            ability_sd[people] = np.sqrt((posterior @ self.nodes**2 - ability[people] ** 2).clip(0))
            likelihood += float(logs.sum())
        slope = np.exp(log_slope)
        errors = self.errors(values)
        return ItemResponseModel(
            slope=slope,
            location=location,
            guess=np.array(self.guess),
            slope_error=slope * errors[0],
            location_error=errors[1],
            group_mean=mean,
            group_sd=sd,
            ability=ability,
            ability_sd=ability_sd,
            log_likelihood=likelihood,
            steps=steps,
            has_converged=has_converged,
        )

    def errors(self, values: Floats) -> Floats:
        """Return the standard errors of log a and b, (2, questions), from the observed information (Louis 1982).

        With up to 64 questions the whole matrix is inverted. With more, one 2 x 2 block per question is, and the error
        that all share is added: the people are a sample, so the mean and SD of their abilities are only known to
        1 / sqrt(n) and 1 / sqrt(2 n). The errors of the other groups' means and SDs are not included.
        """
        n, location = self.questions, self.split(values)[1]
        own, missing = np.zeros((2, 2, n)), np.zeros((2, 2, n))
        together = np.zeros((2 * n, 2 * n))
        for rows, people, posterior, _logs in self.blocks(values):
            place, who = self.question[rows], self.person[rows] - people.start
            gradient, curvature = self.derivatives(values, rows)
            weight = posterior[who]
            expected = np.einsum("rn,irn->ir", weight, gradient)
            products = np.einsum("rn,irn,jrn->ijr", weight, gradient, gradient) - expected[:, None] * expected
            curvatures = np.einsum("rn,ijrn->ijr", weight, curvature)
            for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
                own[row, column] -= np.bincount(place, curvatures[row, column], n)
                missing[row, column] += np.bincount(place, products[row, column], n)
            if n <= _MOST_TOGETHER:
                together += _between_questions(posterior, gradient, place, who, n)
        own[0, 0] += 1 / np.square(self.priors.log_slope_sd)
        own[1, 1] += 1 / np.square(self.priors.location_sd)
        if n > _MOST_TOGETHER:
            blocks = own - missing
            determinant = blocks[0, 0] * blocks[1, 1] - blocks[0, 1] ** 2
            variances = np.stack([blocks[1, 1], blocks[0, 0]]) / np.where(determinant > 0, determinant, np.nan)
            shared = np.stack([np.full(n, 0.5), 1 + location**2 / 2]) / self.people
            return np.sqrt(variances + shared)
        matrix = np.block([[np.diag(own[row, column]) for column in range(2)] for row in range(2)]) - together
        spread = np.eye(2 * n)
        if self.common_slope:
            spread = np.hstack([np.repeat([1.0, 0.0], n)[:, None], spread[:, n:]])
        variances = np.diag(spread @ np.linalg.pinv(spread.T @ matrix @ spread, hermitian=True) @ spread.T)
        return np.sqrt(variances.reshape(2, n))

    def derivatives(self, values: Floats, rows: slice) -> tuple[Floats, Floats]:
        """Return each response's derivatives of its log-likelihood by log a and b at each node.

        The first ones are (2, responses, nodes), the second ones (2, 2, responses, nodes).
        """
        log_slope, location, *_groups = self.split(values)
        place, score = self.question[rows], self.score[rows, None]
        slope, guess = np.exp(log_slope[place])[:, None], self.guess[place][:, None]
        predictor = slope * (self.nodes - location[place][:, None])
        logistic = 1 / (1 + np.exp(-predictor))
        rise = (1 - guess) * logistic * (1 - logistic) / (guess + (1 - guess) * logistic)
        first = score * rise - (1 - score) * logistic
        second = score * (rise * (1 - 2 * logistic) - rise**2) - (1 - score) * logistic * (1 - logistic)
        by_slope, by_location = predictor, np.broadcast_to(-slope, predictor.shape)
        mixed = second * by_slope * by_location + first * by_location
        curvature = np.array([[second * by_slope**2 + first * by_slope, mixed], [mixed, second * by_location**2]])
        return first * np.array([by_slope, by_location]), curvature


def _between_questions(posterior: Floats, gradient: Floats, place: Indices, who: Indices, questions: int) -> Floats:
    """Return the sum over people of the posterior covariance of all first derivatives, (2 questions, 2 questions)."""
    total = np.zeros((2 * questions, 2 * questions))
    for first in range(0, len(posterior), _PEOPLE_AT_ONCE):
        weight = posterior[first : first + _PEOPLE_AT_ONCE]
        rows = (who >= first) & (who < first + len(weight))
        scores = np.zeros((len(weight), posterior.shape[1], 2 * questions))
        for parameter in range(2):
            scores[who[rows] - first, :, parameter * questions + place[rows]] = gradient[parameter, rows]
        expected = np.einsum("pn,pnk->pk", weight, scores)
        flat = (np.sqrt(weight)[:, :, None] * scores).reshape(-1, 2 * questions)
        total += flat.T @ flat - expected.T @ expected
    return total
