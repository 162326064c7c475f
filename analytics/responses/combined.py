"""One difficulty from a question's text and from responses to it (decision 160).

The estimate from the text is the prior of the location b; without one, the other questions are. What an estimate in per
cent means on the scale of abilities is learned from the questions that have both: b = intercept + slope x +
N(0, spread), x a stretched percentage. A facility that was published elsewhere counts as that many responses of pupils
like these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analytics.responses.item_response import ItemResponseModel, ModelSettings, fit_item_response, with_priors
from analytics.responses.table import Floats, Indices, Responses

Z_95 = 1.959964
_NODES = np.linspace(-6, 6, 61)
_FARTHEST = 8.0  # location
# Before any data: 0 to 100 % of a scale is about 6 units of ability, and a text tells b to about 0.8.
_INTERCEPT_SD, _SLOPE, _SLOPE_SD = 1.0, 1.0, 0.5
_SPREAD, _SPREAD_WEIGHT = 0.8, 30.0  # the weight is a number of questions
_ROUNDS = 50
_NARROWEST_SD, _WIDEST_SD = 0.05, 2.0


@dataclass(frozen=True)
class KnownBefore:
    """What is known of each question without these responses, (questions,).

    Attributes:
        percent: estimate from its text, 0 easy to 100 hard; NaN if there is none.
        low: lower end of the estimate's interval.
        high: upper end.
        scale: number of the estimate's scale; percentages of different scales mean different things.
        facility: share of the mark that other pupils reached, as published; NaN if it is not known.
        responses: number of their responses; 0 if it is not known.
    """

    percent: Floats
    low: Floats
    high: Floats
    scale: Indices
    facility: Floats
    responses: Floats

    @classmethod
    def nothing(cls, questions: int) -> KnownBefore:
        """Return that nothing is known."""
        unknown = np.full(questions, np.nan)
        return cls(unknown, unknown, unknown, np.zeros(questions, dtype=np.int64), unknown, np.zeros(questions))


@dataclass(frozen=True)
class Difficulties:
    """Estimates of b with standard errors, and as expected share of wrong answers of the pupils in the data.

    Attributes:
        location: b, (questions,).
        error: standard error of b, (questions,).
        percent: expected share of wrong answers, its lower and its upper 95 % bound, (3, questions).
    """

    location: Floats
    error: Floats
    percent: Floats


@dataclass(frozen=True)
class CombinedModel:
    """What responses and texts say together.

    Attributes:
        model: the model of the responses, with the texts as priors.
        population: all people in the data.
        before: from the text alone; NaN without an estimate.
        after: from all that is known.
        surprise: b by the responses alone minus b by the text, in standard errors; NaN without an estimate.
    """

    model: ItemResponseModel
    population: Population
    before: Difficulties
    after: Difficulties
    surprise: Floats


@dataclass(frozen=True)
class Population:
    """Abilities of pupils: the groups' normal densities, weighted by size, at `_NODES`.

    Attributes:
        weights: (nodes,), or (questions, nodes) if each question was put to other pupils.
    """

    weights: Floats

    @classmethod
    def of(cls, model: ItemResponseModel, groups: Indices) -> Population:
        """Return the population of all people by their group, (people,)."""
        weights = np.bincount(groups, minlength=len(model.group_mean)) @ densities(model)
        return cls(weights / weights.sum())

    def share(self, slope: Floats, location: Floats, guess: Floats) -> Floats:
        """Return the expected share of right answers, (questions,)."""
        logistic = 1 / (1 + np.exp(-slope[:, None] * (_NODES - location[:, None])))
        return np.asarray(guess + (1 - guess) * (logistic * self.weights).sum(axis=1))

    def location(self, slope: Floats, guess: Floats, facility: Floats, people: Floats) -> tuple[Floats, Floats]:
        """Return the b at which people reach a given facility, and its standard error, both (questions,)."""
        smoothed = (facility * people + 0.5) / (people + 1)
        wanted = np.clip(smoothed, guess + 0.01 * (1 - guess), guess + 0.99 * (1 - guess))
        low, high = np.full(len(guess), -_FARTHEST), np.full(len(guess), _FARTHEST)
        for _halving in range(40):
            middle = (low + high) / 2
            is_harder = self.share(slope, middle, guess) > wanted
            low, high = np.where(is_harder, middle, low), np.where(is_harder, high, middle)
        location = (low + high) / 2
        steepness = (self.share(slope, location - 0.01, guess) - self.share(slope, location + 0.01, guess)) / 0.02
        error = np.sqrt(smoothed * (1 - smoothed) / np.maximum(people, 1)) / np.maximum(steepness, 1e-6)
        return np.where(np.isnan(facility), np.nan, location), error


def densities(model: ItemResponseModel) -> Floats:
    """Return the distribution of each group's abilities over `_NODES`, (groups, nodes)."""
    density = np.exp(-(((_NODES - model.group_mean[:, None]) / model.group_sd[:, None]) ** 2) / 2)
    return np.asarray(density / density.sum(axis=1, keepdims=True))


def fit_combined(responses: Responses, settings: ModelSettings, known: KnownBefore | None = None) -> CombinedModel:
    """Estimate difficulties from responses, and from what was known before them.

    Args:
        settings: `priors` are those of the responses alone.
        known: of each question.
    """
    known = known or KnownBefore.nothing(responses.questions)
    alone = fit_item_response(responses, settings)
    population = Population.of(alone, responses.groups)
    location, error = _without_prior(alone, settings)
    usual, usual_sd = _usual(known, location, error)
    text, text_sd = np.where(np.isnan(known.percent), np.nan, [usual, usual_sd])
    usual_slope = np.full(responses.questions, np.exp(np.log(alone.slope).mean()))
    elsewhere, elsewhere_sd = population.location(usual_slope, alone.guess, known.facility, known.responses)
    elsewhere = np.where(known.responses > 0, elsewhere, np.nan)
    prior, prior_sd = _pooled((usual, elsewhere), (usual_sd, elsewhere_sd))
    told = replace(settings, priors=replace(settings.priors, location=prior, location_sd=prior_sd))
    model = with_priors(responses, told, alone)
    return CombinedModel(
        model=model,
        population=population,
        before=_difficulties(population, usual_slope, text, text_sd, model.guess),
        after=_difficulties(population, model.slope, model.location, model.location_error, model.guess),
        surprise=(location - text) / np.hypot(error, text_sd),
    )


def stretched(percent: Floats) -> Floats:
    """Return percentages on a scale without hard ends, from about -3 to 3: log((p + 5) / (105 - p))."""
    return np.asarray(np.log((percent + 5) / (105 - percent)))


def _without_prior(alone: ItemResponseModel, settings: ModelSettings) -> tuple[Floats, Floats]:
    """Return b and its standard error as the responses have them, without the general prior; NaN without responses."""
    general = np.square(1 / np.broadcast_to(np.float64(settings.priors.location_sd), alone.location.shape))
    whole = np.square(1 / alone.location_error)
    precision = np.where(whole > 1.01 * general, whole - general, np.nan)
    return (whole * alone.location - general * settings.priors.location) / precision, np.sqrt(1 / precision)


def _usual(known: KnownBefore, alone: Floats, alone_error: Floats) -> tuple[Floats, Floats]:
    """Return b and its standard deviation without the question's own responses.

    They follow from its text, or from all questions without an estimate.
    """
    has_text = ~np.isnan(known.percent)
    location, deviation = np.empty(len(has_text)), np.empty(len(has_text))
    x = np.where(has_text, stretched(known.percent), 0.0)
    # An end of an interval may be cut off at 0 or 100 %.
    width = np.where(has_text, np.maximum(known.high - known.percent, known.percent - known.low), 1.0)
    kinds = np.where(has_text, known.scale, -1)
    for kind in np.unique(kinds):
        here = np.flatnonzero(kinds == kind)
        both = here[~np.isnan(alone[here])]
        line = _line(x[both], alone[both], alone_error[both])
        design = np.stack([np.ones(len(here)), x[here]])
        of_line = np.einsum("iq,ij,jq->q", design, line.covariance, design)
        own = line.spread * width[here] / width[here].mean()
        location[here] = line.intercept + line.slope * x[here]
        deviation[here] = np.sqrt(own**2 + of_line).clip(_NARROWEST_SD, _WIDEST_SD)
    return location, deviation


@dataclass(frozen=True)
class _Line:
    """b = intercept + slope x + N(0, spread), with the covariance of intercept and slope."""

    intercept: float
    slope: float
    spread: float
    covariance: Floats


def _line(x: Floats, location: Floats, error: Floats) -> _Line:
    """Fit the line by EM over the true locations, with the priors above."""
    precision = np.diag([1 / _INTERCEPT_SD**2, 1 / _SLOPE_SD**2])
    wanted = precision @ np.array([0.0, _SLOPE])
    design = np.stack([np.ones(len(x)), x])
    spread = _SPREAD
    for _round in range(_ROUNDS):
        weight = 1 / (spread**2 + error**2)
        covariance = np.linalg.inv((design * weight) @ design.T + precision)
        intercept, slope = covariance @ ((design * weight) @ location + wanted)
        kept = spread**2 * weight
        residual = kept * (location - intercept - slope * x)
        total = np.sum(residual**2 + kept * error**2) + _SPREAD_WEIGHT * _SPREAD**2
        spread = float(np.sqrt(total / (len(x) + _SPREAD_WEIGHT)))
    return _Line(float(intercept), float(slope), spread, np.asarray(covariance, dtype=np.float64))


def _pooled(locations: tuple[Floats, ...], errors: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    """Return the mean weighted by precision, and its standard error; NaN where nothing is known."""
    total = weighted = np.zeros(len(locations[0]))
    for location, error in zip(locations, errors, strict=True):
        precision = np.where(np.isnan(location), 0.0, 1 / np.square(error))
        total = total + precision
        weighted = weighted + precision * np.nan_to_num(location)
    total = np.where(total > 0, total, np.nan)
    return np.asarray(weighted / total), np.asarray(np.sqrt(1 / total))


def _difficulties(
    population: Population, slope: Floats, location: Floats, error: Floats, guess: Floats
) -> Difficulties:
    ends = (location, location - Z_95 * error, location + Z_95 * error)
    return Difficulties(location, error, np.stack([100 * (1 - population.share(slope, end, guess)) for end in ends]))


def difficulty_of_groups(
    combined: CombinedModel, counts: Sequence[tuple[int, Indices, Floats, Floats]]
) -> dict[int, Difficulties]:
    """Return the difficulty of questions by the responses of some groups alone, by question.

    The groups' abilities are those of the whole model, so that a weaker class does not make a question look harder.

    Args:
        counts: for each group its number, and of its questions the indices, numbers of people and sums of scores.
    """
    model, questions = combined.model, len(combined.model.slope)
    weights, people, score = np.zeros((questions, len(_NODES))), np.zeros(questions), np.zeros(questions)
    density = densities(model)
    for group, question, number, total in counts:
        weights[question] += number[:, None] * density[group]
        people[question] += number
        score[question] += total
    asked = np.flatnonzero(people)
    slope, guess = model.slope[asked], model.guess[asked]
    population = Population(weights[asked] / people[asked, None])
    location, error = population.location(slope, guess, score[asked] / people[asked], people[asked])
    found = _difficulties(combined.population, slope, location, error, guess)
    return {
        int(question): Difficulties(found.location[[at]], found.error[[at]], found.percent[:, [at]])
        for at, question in enumerate(asked)
    }
