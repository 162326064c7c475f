"""f1: into another language and back, sentence by sentence.

ParaQD (Gupta et al., 2022), section 3.2: English, German, English. Any two sequence-to-sequence models (MarianMT
en-de and de-en, say) do. Of the back-translations of a sentence the one farthest from it is taken. Offline, where no
models are configured, the rule paraphraser stands in (`rule_paraphraser.py`), and says so in the catalog.
"""

from __future__ import annotations

import random

from analytics.paraphrase.operators.sequence import SequenceModel, farthest, first_different
from analytics.text.clauses import split_sentences


class BackTranslation:
    """Translates there and back.

    Args:
        forward: from the question's language.
        back: into it.
        beams: searched each way; on the way back the `outputs` best are compared.
    """

    def __init__(
        self, forward: SequenceModel, back: SequenceModel, *, beams: int = 8, outputs: int = 2
    ) -> None:
        self.forward, self.back, self.beams, self.outputs = forward, back, beams, outputs

    def apply(self, question: str, _rng: random.Random) -> str | None:
        """Return the back-translation; None where nothing changes or nothing comes back."""
        sentences = [clause.text.strip() for clause in split_sentences(question) if clause.text.strip()]
        if not sentences:
            return None
        foreign = [outputs[0] for outputs in self.forward.generate(sentences, beams=self.beams)]
        returned = self.back.generate(foreign, beams=max(self.beams, self.outputs), outputs=self.outputs)
        chosen = [
            next((candidate for candidate in farthest(sentence, outputs) if candidate.strip()), sentence)
            for sentence, outputs in zip(sentences, returned, strict=True)
        ]
        return first_different(question, [" ".join(sentence.strip() for sentence in chosen)])
