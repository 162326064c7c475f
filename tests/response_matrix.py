"""Responses from a table with a row per person and a column per question."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analytics.responses.table import Responses


def responses_of(marks: npt.ArrayLike, max_marks: npt.ArrayLike | None = None) -> Responses:
    """Return the responses of a table of marks.

    Args:
        marks: (people, questions); NaN where a person did not reach a question.
        max_marks: (questions,); by default 1 each.
    """
    table = np.asarray(marks, dtype=float)
    limits = np.ones(table.shape[1]) if max_marks is None else np.asarray(max_marks, dtype=float)
    person, question = np.nonzero(~np.isnan(table))
    groups = np.zeros(len(table), dtype=np.int64)
    return Responses(person, question, table[person, question] / limits[question], limits, groups)
