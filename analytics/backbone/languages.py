"""Refuse to train or evaluate with an encoder that does not know the language of the texts."""

from __future__ import annotations

from collections.abc import Sequence

from analytics.backbone.backbone import Backbone
from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from analytics.errors import DataError
from analytics.inference.vocabulary import UNKNOWN_SHARE_LIMIT

_SAMPLED = 256  # texts, or up to twice as many


def refuse_unknown_language(backbone: Backbone, texts: Sequence[str]) -> None:
    """Refuse an encoder whose vocabulary lacks too many tokens of the texts; a few hundred of them are sampled.

    Raises:
        DataError: too many tokens are unknown; the message gives the share and what to do.
    """
    share = backbone.unknown_share(texts[:: max(1, len(texts) // _SAMPLED)])
    if share > UNKNOWN_SHARE_LIMIT:
        raise DataError(
            f"The encoder {backbone.name} does not know {share:.0%} of the problems' tokens: choose another backbone,"
            f" such as {MULTILINGUAL_BACKBONE} for Chinese."
        )
