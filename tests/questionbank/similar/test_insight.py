"""What is said of a text that is not in the bank."""

from __future__ import annotations

import pytest

from questionbank.models import Question
from questionbank.similar.insight import _likely_concepts, _with_predicted_reasons
from questionbank.similar.predictions import PredictedConcept, QuestionPrediction
from questionbank.similar.similarity import SimilarHit, SimilarResult

SPEED, FACTORS = ("Number", "Speed"), ("Algebra", "Factors")
PREDICTED = "It is about Speed, which is predicted for this text (>99%)."


@pytest.mark.parametrize(
    ("concepts", "reason", "said"),
    [
        ([SPEED], "", PREDICTED),
        ([FACTORS], "", ""),  # it is predicted, but not likely
        ([], "", ""),
        ([SPEED], "Both say “at a speed”.", "Both say “at a speed”."),
    ],
)
def test_a_likely_concept_is_the_reason_where_nothing_else_is(concepts, reason, said) -> None:
    predicted = [PredictedConcept(SPEED, 0.996), PredictedConcept(FACTORS, 0.004)]
    likely = _likely_concepts(QuestionPrediction(predicted, None, [], "", ""))
    result = SimilarResult("purpose", [SimilarHit(Question(), 0.9, reason, concepts, ())], "")
    assert [hit.reason for hit in _with_predicted_reasons(result, likely).hits] == [said]


def test_without_a_prediction_nothing_is_said() -> None:
    assert _likely_concepts(None) == {}
