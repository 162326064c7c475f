"""f9 and f_e: what a weak paraphrasing model makes of a question.

ParaQD (Gupta et al., 2022), sections 3.3 and 4.2: Pegasus on PAWS (training), T5 on Quora questions (test) lose what
a question needs. Any sequence-to-sequence model does. Offline, `lossy_summary.py` stands in for f9 and
`question_only.py` for f_e.
"""

from __future__ import annotations

import random

from analytics.paraphrase.operators.sequence import SequenceModel, farthest


class WeakParaphraser:
    """Takes the farthest output that still has a certain share of the question's length.

    Args:
        prefix: what the model wants in front ("paraphrase: ").
        shortest: an output with a smaller share of the question's words is passed over.
    """

    def __init__(
        self,
        model: SequenceModel,
        *,
        prefix: str = "",
        beams: int = 10,
        outputs: int = 2,
        shortest: float = 0.5,
    ) -> None:
        self.model, self.prefix, self.beams = model, prefix, beams
        self.outputs, self.shortest = outputs, shortest

    def apply(self, question: str, _rng: random.Random) -> str | None:
        """Return the model's output; None where all are too short or equal the question."""
        if not question.strip():
            return None
        [outputs] = self.model.generate([self.prefix + question], beams=self.beams, outputs=self.outputs)
        words = question.split()
        for output in farthest(question, outputs):
            if len(output.split()) > self.shortest * len(words) and output.split() != words:
                return output.strip()
        return None
