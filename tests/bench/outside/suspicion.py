"""Fit the weights by which `questionbank.papers.doubts` doubts questions.

`first_reads.csv` has what became of strangers' papers when a reader that had not been mended on them read them: a row a
question, with the signs of `signs`, whether it was wrong and whether the rules doubted it. Each author's set is left
out in turn; the twelfth set was never fitted on.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from questionbank.papers.doubts import THRESHOLD

_FRESH = "twelfth"


def main() -> None:
    """Print the weights, and how many wrong and right questions are doubted by rules alone and with them."""
    with Path(__file__).with_name("first_reads.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    signs = [*rows[0]][4:]
    sets = np.array([row["set"] for row in rows])
    is_latest = np.array([row["reader"] == "latest" for row in rows])
    wrong, doubted = (np.array([row[name] == "1" for row in rows]) for name in ("wrong", "doubted"))
    values = np.array([[float(row[sign]) for sign in signs] for row in rows])
    table = np.c_[values, doubted]
    fresh = sets == _FRESH
    probability = np.zeros(len(rows))
    for name in {*sets}:
        model = LogisticRegression(max_iter=2_000).fit(table[(sets != name) & ~fresh], wrong[(sets != name) & ~fresh])
        unseen = np.c_[values[sets == name], np.zeros(sum(sets == name))]
        probability[sets == name] = model.predict_proba(unseen)[:, 1]
    for title, chosen in (("nine sets, each left out", ~fresh & is_latest), (_FRESH, fresh & is_latest)):
        for how, said in (("rules", doubted), ("with suspicions", doubted | (probability > THRESHOLD))):
            of_wrong, of_right = chosen & wrong, chosen & ~wrong
            print(
                f"{title}, {how}: doubted {sum(said & of_wrong)} of {sum(of_wrong)} wrong"
                f" and {sum(said & of_right)} of {sum(of_right)} right ones"
            )
    model = LogisticRegression(max_iter=2_000).fit(table, wrong)
    print({sign: round(weight, 2) for sign, weight in zip([*signs, "doubted"], model.coef_[0], strict=True)})
    print(f"constant {model.intercept_[0]:.2f}")


if __name__ == "__main__":
    main()
