"""Patterns that belong together, on purpose: what Kindred's lenses are there to tell apart.

`SAME_IDEA` families tell different stories around one computation, so that their questions are close in structure and
far in wording. `LOOKS_ALIKE` families share their wording and are solved differently. Names are pattern slugs.
"""

from __future__ import annotations

__all__ = ["LOOKS_ALIKE", "SAME_IDEA"]

SAME_IDEA: dict[str, tuple[str, ...]] = {
    "several equal groups and something extra": (
        "boxes-and-loose",
        "seats-and-standing",
        "weekly-and-bonus",
        "runs-and-walk",
    ),
    "one unit first, then several": ("recipe", "pay-or-fuel", "more-workers-more-output", "shadow-height"),
    "the product of two quantities": ("equal-rows", "lawn-area", "distance-from-speed", "expected-number"),
    "what is left after several equal parts": ("change-from-a-note", "change-given", "tank-left"),
}

LOOKS_ALIKE: dict[str, tuple[str, ...]] = {
    "more than: who has more?": ("more-than-forwards", "more-than-backwards", "altogether-from-difference"),
    "containers filled or needed": ("full-containers", "containers-needed"),
    "part or whole": ("part-from-whole", "whole-from-part"),
    "before or after a percentage change": ("new-amount", "original-amount"),
    "shares of a total, from a share, from a difference": ("share-total", "share-given", "share-difference"),
    "more workers: less time or more output": ("more-workers-less-time", "more-workers-more-output"),
    "perimeter or area of one rectangle": ("fence-round", "lawn-area"),
    "volume or surface of one cuboid": ("cuboid-volume", "cuboid-surface"),
    "longest or shorter side": ("hypotenuse", "shorter-side"),
    "with or without replacement": ("same-colour-with", "same-colour-without"),
}
