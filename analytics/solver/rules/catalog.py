"""The rules, in the order in which they are tried, with the precision of each.

A rule gives no answer unless the whole text fits it: every number has a role. How often such an answer agrees with the
published one was measured on the development splits of public data: decision 70.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from analytics.solver.rules.conversions import converted_quantity
from analytics.solver.rules.counting import capacity, number_of_pairings, posts_and_gaps, remainder
from analytics.solver.rules.instructions import named_computation
from analytics.solver.rules.journeys import average_speed, one_journey, time_together, two_journeys
from analytics.solver.rules.kinds import number_of_one_kind
from analytics.solver.rules.lists import mean_with_one_more, missing_of_mean, statistic_of_list
from analytics.solver.rules.packing import enough_for_all, in_several_units
from analytics.solver.rules.percentages import (
    before_change,
    change_in_percent,
    changed_by_share,
    discounted_price,
    percent_of_whole,
)
from analytics.solver.rules.prices import part_of_purchase, rate_in_period, simple_interest
from analytics.solver.rules.proportion import in_inverse_proportion, in_proportion
from analytics.solver.rules.reading import Reading, RuleAnswer
from analytics.solver.rules.relations import related_numbers
from analytics.solver.rules.scales import change_of_level, length_by_scale
from analytics.solver.rules.shapes import rectangle_measure, square_measure
from analytics.solver.rules.shares import share_of_ratio
from analytics.solver.rules.times import between_clock_times, between_dates, clock_time_after


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        name: its name in the solutions that it produces.
        answer: returns the rule's answer; None if the text does not fit it.
        precision: fraction of its answers that are right.
    """

    name: str
    answer: Callable[[Reading], RuleAnswer | None]
    precision: float


RULES = (
    Rule("instructions", named_computation, 0.97),
    Rule("lists", statistic_of_list, 0.97),
    Rule("clock times", between_clock_times, 0.93),
    Rule("clock times", clock_time_after, 0.93),
    Rule("dates", between_dates, 0.85),
    Rule("units", converted_quantity, 0.97),
    Rule("rates", rate_in_period, 0.95),
    Rule("missing from a mean", missing_of_mean, 0.9),
    Rule("missing from a mean", mean_with_one_more, 0.9),
    Rule("percentages", percent_of_whole, 0.93),
    Rule("percentages", changed_by_share, 0.85),
    Rule("changes by per cents", before_change, 0.92),
    Rule("changes by per cents", change_in_percent, 0.85),
    Rule("discounts", discounted_price, 0.93),
    Rule("ratios", share_of_ratio, 0.93),
    Rule("remainders", remainder, 0.94),
    Rule("negative numbers", change_of_level, 0.85),
    Rule("two kinds", number_of_one_kind, 0.94),
    Rule("journeys", one_journey, 0.93),
    Rule("journeys", two_journeys, 0.94),
    Rule("journeys", average_speed, 0.95),
    Rule("working together", time_together, 0.94),
    Rule("posts and gaps", posts_and_gaps, 0.93),
    Rule("everybody with everybody", number_of_pairings, 0.93),
    Rule("partly full", capacity, 0.94),
    Rule("relations", related_numbers, 0.96),
    Rule("squares", square_measure, 0.96),
    Rule("rectangles", rectangle_measure, 0.97),
    Rule("scales", length_by_scale, 0.92),
    Rule("enough for all", enough_for_all, 0.94),
    Rule("several units", in_several_units, 0.9),
    Rule("prices", part_of_purchase, 0.92),
    Rule("fees and interest", simple_interest, 0.95),
    Rule("proportion", in_proportion, 0.96),
    Rule("proportion", in_inverse_proportion, 0.93),
)
