from __future__ import annotations

import numpy as np
import pytest

from analytics.inference.demands import DEMANDS, demand_counts


def counts_of(text):
    counts = np.expm1(demand_counts([text])[0])
    return {name: round(float(value)) for name, value in zip(DEMANDS, counts, strict=True) if value > 0.5}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Solve 5x - 3 = 2x + 9.", {"unknown on both sides": 1, "coefficients": 2, "letters": 2, "numbers": 4}),
        ("Solve 5x - 3 = 12.", {"unknown on both sides": None, "different letters": 1, "equals signs": 1}),
        ("Work out -7 - (-3).", {"negative numbers": 2, "minus signs": 3, "brackets": 1}),
        ("Work out 3 1/6 - 1 3/4.", {"mixed numbers": 2, "fractions": 2}),
        ("A car drives 2.45 km in 90 s.", {"decimals": 1, "decimal places": 2, "different units": 2}),
        ("Expand (2(x + 1))^3.", {"nested brackets": 2, "highest power": 3, "powers": 1}),
        ("", {"brackets": None, "numbers": None}),
    ],
)
def test_demands_by_hand(text, expected):
    counts = counts_of(text)
    assert {name: counts.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("typed", "latex"),
    [
        ("Solve (x + 1)/(3) = 1,250.", r"Solve $\frac{x + 1}{3} = 1{,}250$."),
        ("Solve x² - 5x ≤ 6.", r"Solve $x^{2} - 5x \le 6$."),
        ("Work out 3 × 10⁴ ÷ 10⁻⁷.", r"Work out $3 \times 10^4 \div 10^{-7}$."),
        ("Find √(12) × 3.", r"Find $\sqrt{12} \times 3$."),
    ],
)
def test_plain_maths_and_latex_demand_nearly_the_same(typed, latex):
    apart = np.abs(demand_counts([typed]) - demand_counts([latex])).sum()
    another = np.abs(demand_counts([typed]) - demand_counts(["Prove that 7 is a prime number."])).sum()
    assert apart < another / 4
