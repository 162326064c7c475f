"""The arms of Pattern-CL's and Textual-CL's tables, and finished runs as the tables, next to the published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from worker.reproduction.runs import PROBLEM_SETS as SETS
from worker.reproduction.runs import Arm, part_names, read_arms, read_published
from worker.reproduction.tables import NOT_RUN, Pooled, difference, finished_runs, markdown_table, titled_table

RECALLING = "none-recalling"
"""The arm that also queries a retriever for the solutions of similar problems (ours)."""


RECURRENT = "gts"
"""The arm whose encoder is a GRU trained from scratch, with its paper's epochs, batches, learning rate and dropout."""


TRIPLES_ALONE = "alpha-0"
"""Pattern-CL's first stage without the contrast: the same number of steps on the same triples, equations only.

The gain of the contrast is the difference from this arm; the paper compares with one that makes fewer steps.
"""


MULTILINGUAL = {"multilingual-none", "multilingual-pattern"}
"""The arms trained with a multilingual encoder on two sets together, one in each of two languages."""


ARMS = read_arms("solver", Arm)
"""The choices of `reproduce solver --arms`."""


_CASES = 5
_FLOORS = (
    "retrieve-tfidf",
    "retrieve-encoder",
    RECURRENT,
    "frozen",
    "none",
    RECALLING,
    TRIPLES_ALONE,
    "pattern",
    "textual",
    "both",
)

_ANSWER, _EQUATION = "is_answer_right", "is_equation_right"
_KEYS = (_ANSWER, _EQUATION, "id", "equation")
_NO_ARM = ""  # of a model that we do not have: its row only has published figures
_MATHQA_NOTE = "Published figures of MathQA are of its adapted test part, ours of the adapted validation part."

Published = Mapping[str, str]
"""A paper's published figures, by set."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table: an arm, or a model that we do not have, and the published figures by set."""

    title: str
    arm: str
    published: Published


_TABLES: dict[str, list[_Row]] = {
    title: [_Row(*row) for row in rows] for title, rows in read_published("solver").items()
}
_CASE_TABLES = {"Pattern-CL, Table 7": "pattern", "Textual-CL, Table 4": "textual"}


def solver_tables(output: Path) -> str:
    """Return Markdown of everything run into a folder so far; missing runs are shown as "not run"."""
    runs = {(name, arm): _pooled(output, name, arm) for name in SETS for arm in ARMS}
    parts = [_main_table(runs), _contrast_table(runs)]
    for title, rows in _TABLES.items():
        parts.append(_published_table(title, rows, runs))
    parts += [_case_table(title, arm, runs) for title, arm in _CASE_TABLES.items()]
    return "\n\n".join(parts) + "\n"


Runs = Mapping[tuple[str, str], Pooled | None]


def _pooled(output: Path, name: str, arm: str) -> Pooled | None:
    runs = finished_runs(output, part_names(name), arm)
    arrays = []
    for run in runs:
        outcomes = run.outcomes()
        arrays.append({"question": outcomes["test/problem"], **{key: outcomes[f"test/{key}"] for key in _KEYS}})
    return Pooled.of(runs, arrays) if runs else None


def _main_table(runs: Runs) -> str:
    rows = [
        (
            ARMS[arm].title,
            [_cell(name, runs[name, arm], runs[name, "none"] if arm != "none" else None) for name in SETS],
        )
        for arm in _FLOORS
    ]
    return titled_table(
        "Answer accuracy in %, with the 95 % interval over problems, and the difference from no contrast",
        [SETS[name].title for name in SETS],
        rows,
    )


def _contrast_table(runs: Runs) -> str:
    """Return the effect of the contrast when nothing else changes: on the same problems, with as many steps."""
    rows = []
    for arm, reference in (("pattern", TRIPLES_ALONE), ("textual", "none"), ("both", "pattern")):
        cells = []
        for name in SETS:
            left, right = runs[name, arm], runs[name, reference]
            shared = None if left is None or right is None else _shared(left, right)
            if shared is None or left is None:
                cells.append(NOT_RUN)
                continue
            answers, equations = (_difference(*shared, column) for column in (_ANSWER, _EQUATION))
            cells.append(f"{_points(answers)}{_by_seed(*shared)}; {_points(equations)}{left.scope(SETS[name])}")
        rows.append((f"{ARMS[arm].title} less {ARMS[reference].title}", cells))
    return titled_table(
        "What a contrast alone changes, in points of right answers; of right equations, with the paired 95 % interval",
        [SETS[name].title for name in SETS],
        rows,
    )


def _by_seed(pooled: Pooled, reference: Pooled) -> str:
    """Return the difference for each seed, if there are several."""
    gained = [f"{100 * (_of_seed(pooled, seed) - _of_seed(reference, seed)):+.1f}" for seed in pooled.seeds]
    return f" (seeds {', '.join(gained)})" if len(gained) > 1 and pooled.seeds == reference.seeds else ""


def _of_seed(pooled: Pooled, seed: int) -> float:
    return float(pooled.columns[_ANSWER][pooled.columns["seed"] == seed].mean())


def _points(gained: tuple[float, float, float]) -> str:
    return "{:+.1f} [{:+.1f}, {:+.1f}]".format(*(100 * value for value in gained))


def _cell(name: str, pooled: Pooled | None, reference: Pooled | None) -> str:
    if pooled is None:
        return NOT_RUN
    text = "{:.1f} [{:.1f}, {:.1f}]".format(*(100 * value for value in pooled.interval(_ANSWER)))
    if reference is not None and (shared := _shared(pooled, reference)) is not None:
        text += f", {_points(_difference(*shared))}"
    return text + pooled.scope(SETS[name])


def _shared(left: Pooled, right: Pooled) -> tuple[Pooled, Pooled] | None:
    """Return both on the problems tested by both; None if the numbers of seeds differ or no problem is shared."""
    common = np.intersect1d(left.questions, right.questions)
    first, second = (_on(pooled, common) for pooled in (left, right))
    if not len(common) or not np.array_equal(first.questions, second.questions):
        return None
    return first, second


def _on(pooled: Pooled, problems: npt.NDArray[np.int64]) -> Pooled:
    """Return the rows of some problems, in an order that depends only on the problems."""
    rows = np.flatnonzero(np.isin(pooled.questions, problems))
    return pooled.take(rows[np.argsort(pooled.questions[rows], kind="stable")])


def _difference(pooled: Pooled, baseline: Pooled, column: str = _ANSWER) -> tuple[float, float, float]:
    return difference(pooled.questions, pooled.columns[column], baseline.columns[column])


def _published_table(title: str, rows: Sequence[_Row], runs: Runs) -> str:
    """Return answer and equation accuracy of each row's arm, on every set that the paper or we have."""
    names = [
        name for name in SETS if any(name in row.published or runs.get((name, row.arm)) is not None for row in rows)
    ]
    table = titled_table(
        title,
        [heading for name in names for heading in (f"{SETS[name].title}, answer (equation)", "published")],
        [(row.title, [cell for name in names for cell in _pair(name, row, runs.get((name, row.arm)))]) for row in rows],
    )
    return f"{table}\n\n{_MATHQA_NOTE}" if "mathqa" in names else table


def _pair(name: str, row: _Row, pooled: Pooled | None) -> tuple[str, str]:
    measured = "-" if row.arm == _NO_ARM else NOT_RUN
    if pooled is not None:
        answers, equations = (100 * pooled.columns[column].mean() for column in (_ANSWER, _EQUATION))
        measured = f"{answers:.1f} ({equations:.1f}){pooled.scope(SETS[name])}"
    return measured, row.published.get(name, "-")


def _case_table(title: str, arm: str, runs: Runs) -> str:
    """Return the problems that the contrast corrects and the number that it breaks, by id: their texts are not ours."""
    rows = []
    for name, problem_set in SETS.items():
        plain, contrast = runs[name, "none"], runs[name, arm]
        shared = None if plain is None or contrast is None else _shared(plain, contrast)
        if shared is None:
            rows.append([problem_set.title, NOT_RUN, NOT_RUN])
            continue
        before, after = shared
        was_right, is_right = before.columns[_ANSWER], after.columns[_ANSWER]
        gained = np.flatnonzero(~was_right & is_right)
        lost = int((was_right & ~is_right).sum())
        ids, written = before.columns["id"], (before.columns["equation"], after.columns["equation"])
        cases = [f"{ids[row]}: `{written[0][row] or 'nothing'}` to `{written[1][row]}`" for row in gained[:_CASES]]
        rows.append([problem_set.title, str(len(gained)), str(lost), "; ".join(cases)])
    table = markdown_table(["set", "wrong to right", "right to wrong", "for example"], rows)
    return f"### {title}: cases\n\n{table}"
