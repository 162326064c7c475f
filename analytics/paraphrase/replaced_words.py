"""What a word that stands in another's place means: the scorer's encoder compares the two.

The findings name words of a near copy that became others (`analytics.paraphrase.local_edits`); no table tells a
synonym from an unrelated word. A few words are encoded in a fraction of a question's time. Torch-free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from analytics.paraphrase.finding import Finding

__all__ = ["judge_replaced"]

_ALIKE = 0.6  # cosine of words from which on a replacement says nothing against a paraphrase
_UNRELATED = 0.3  # cosine from which down it says all that it can
_SERIOUS = 0.5  # share of the way between them from which on a finding is serious


def judge_replaced(
    found: Sequence[Sequence[Finding]], encode: Callable[[Sequence[str]], npt.NDArray[np.float32]]
) -> tuple[list[tuple[Finding, ...]], list[float]]:
    """Compare the words that were replaced with what stands in their place.

    Args:
        found: findings of each pair.
        encode: texts to unit vectors.

    Returns:
        The findings, those of unrelated words now serious; and for each pair how unrelated its replaced words are,
        summed: 0 where there are none or all are alike, up to 1 for each.
    """
    texts = list(dict.fromkeys(text for one in found for finding in one for text in _texts(finding)))
    if not texts:
        return [tuple(one) for one in found], [0.0] * len(found)
    vectors = dict(zip(texts, encode(texts), strict=True))
    judged: list[tuple[Finding, ...]] = []
    sums: list[float] = []
    for one in found:
        findings, unrelated = [], 0.0
        for finding in one:
            if pair := _texts(finding):
                cosine = float(vectors[pair[0]] @ vectors[pair[1]])
                share = min(max((_ALIKE - cosine) / (_ALIKE - _UNRELATED), 0.0), 1.0)
                unrelated += share
                if share >= _SERIOUS:
                    sentence = f"“{finding.before}” became “{finding.after}”, which means something else."
                    finding = replace(finding, is_serious=True, sentence=sentence)
            findings.append(finding)
        judged.append(tuple(sorted(findings, key=lambda finding: not finding.is_serious)))
        sums.append(unrelated)
    return judged, sums


def _texts(finding: Finding) -> tuple[str, ...]:
    """Both wordings of a replacement, in small letters; none for any other finding."""
    if finding.kind != "wording" or finding.change != "changed":
        return ()
    return finding.before.lower(), finding.after.lower()
