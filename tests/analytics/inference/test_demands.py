from __future__ import annotations

import numpy as np

from analytics.inference.demands import DEMANDS, demand_counts
from tests.cases import each_case


def counts_of(text):
    counts = np.expm1(demand_counts([text])[0])
    return {name: round(float(value)) for name, value in zip(DEMANDS, counts, strict=True) if value > 0.5}


@each_case("subject_and_demands", "demands")
def test_demands_by_hand(text, expected):
    counts = counts_of(text)
    assert {name: counts.get(name, 0) for name in expected} == expected


@each_case("subject_and_demands", "typed")
def test_plain_maths_and_latex_demand_nearly_the_same(typed, latex):
    apart = np.abs(demand_counts([typed]) - demand_counts([latex])).sum()
    another = np.abs(demand_counts([typed]) - demand_counts(["Prove that 7 is a prime number."])).sum()
    assert apart < another / 4
