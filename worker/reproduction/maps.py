"""Groups of texts on a plane as SVG: the papers' t-SNE figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from analytics.probes.projection import Matrix, project_vectors
from analytics.records import ParaphrasePair
from analytics.retrieval import Encode
from questionbank.core.charts import SHAPES

_SIDE, _EDGE, _HEAD = 640, 24, 72
_LOOKS = (("#1d2522", 3), ("#0068a8", 0), ("#c04a00", 2), ("#2d7a3e", 1))  # colour and shape number
_METHODS = {"tsne": "t-SNE", "pca": "principal components"}


def map_of_pairs(pairs: Sequence[ParaphrasePair], encode: Encode, title: str) -> str:
    """Draw questions, their valid and their invalid paraphrases (ParaQD, Figures 2 and 3), as `map_of_groups`.

    Args:
        title: printed above the map, followed by the method.
    """
    groups = {
        "question": list(dict.fromkeys(pair.original for pair in pairs)),
        "valid paraphrase": [pair.paraphrase for pair in pairs if pair.label == 1],
        "invalid paraphrase": [pair.paraphrase for pair in pairs if pair.label == 0],
    }
    vectors = encode([text for texts in groups.values() for text in texts])
    ends = np.cumsum([len(texts) for texts in groups.values()])[:-1]
    return map_of_groups(dict(zip(groups, np.split(vectors, ends), strict=True)), title)


def map_of_groups(groups: Mapping[str, Matrix], title: str) -> str:
    """Lay out groups of vectors together, and draw them as SVG; deterministic.

    Args:
        groups: name of the group -> (vectors, dimension); at most four.
        title: printed above the map, followed by the method.
    """
    map_ = project_vectors(np.concatenate(list(groups.values())))
    ends = np.cumsum([len(vectors) for vectors in groups.values()])[:-1]
    parts = dict(zip(groups, np.split(map_.coordinates, ends), strict=True))
    return map_svg(parts, f"{title}: {_METHODS[map_.method]}")


def map_svg(groups: Mapping[str, Matrix], title: str) -> str:
    """Draw points within -1 .. 1 as a standalone picture, each group with its own colour and shape.

    Args:
        groups: name of the group -> (points, 2); at most four.
        title: printed above the picture.
    """
    height = _SIDE + _HEAD
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE} {height}" width="{_SIDE}" height="{height}"'
        ' role="img" font-family="sans-serif" font-size="14">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_SIDE}" height="{height}" fill="#fff"/>',
        f'<text x="{_EDGE}" y="28" fill="#1d2522">{escape(title)}</text>',
    ]
    left = _EDGE
    for (name, points), (colour, shape) in zip(groups.items(), _LOOKS, strict=False):
        label = f"{name} ({len(points):,})"
        lines += [
            f'<g fill="{colour}"><path d="{SHAPES[shape]}" transform="translate({left} 42)"/>',
            f'<text x="{left + 22}" y="55">{escape(label)}</text></g>',
            f'<g fill="{colour}" fill-opacity="0.6">',
        ]
        lines += [
            f'<path d="{SHAPES[shape]}" transform="translate({x:.1f} {y:.1f}) scale(0.5)"/>' for x, y in _places(points)
        ]
        lines.append("</g>")
        left += 40 + 8 * len(label)
    return "\n".join([*lines, "</svg>", ""])


def _places(points: Matrix) -> list[tuple[float, float]]:
    """Return the position of the upper left corner of each symbol, 8 wide."""
    half = _SIDE / 2 - _EDGE
    return [(_SIDE / 2 + half * x - 4, _HEAD + _SIDE / 2 - half * y - 4) for x, y in points.tolist()]
