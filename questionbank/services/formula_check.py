"""Problems of the formulas in a text that is about to be imported; warnings, never refusals."""

from __future__ import annotations

from analytics.records import QuestionRecord
from analytics.text.formulas import segment_text
from questionbank.formulas import FormulaRefused, formula_mathml, split_definitions
from questionbank.services.question_fields import latex_warnings

_SHOWN = 60  # characters of a formula that a warning repeats


def formula_problems(text: str) -> list[str]:
    r"""Return formulas that cannot be drawn, and marks that do not pair up.

    >>> formula_problems(r"Solve $x = 2$."), len(formula_problems(r"Solve $\frac{1}{$."))
    ([], 2)
    """
    problems = latex_warnings(text)
    definitions = ""
    for segment in segment_text(text):
        own, rest = split_definitions(segment.body)
        definitions += own
        if segment.kind == "text" or not rest.strip():
            continue
        try:
            formula_mathml(rest, definitions=definitions)
        except FormulaRefused:
            source = segment.source if len(segment.source) <= _SHOWN else segment.source[:_SHOWN] + "…"
            problems.append(f"The formula {source} cannot be drawn.")
    return problems


def record_problems(record: QuestionRecord) -> list[str]:
    """Return the same of a question's text, options, answer and solution, each problem once."""
    parts = (record.text, *(option.text for option in record.options), record.answer, record.solution)
    return list(dict.fromkeys(problem for part in parts for problem in formula_problems(part)))
