"""From finished runs to ParaQD's tables: means and spread over seeds, beside what the paper published."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worker.reproduction.paraphrase_arms import ARMS, PUBLISHED
from worker.reproduction.paraphrase_data import MEASURED_ON, SOURCES

__all__ = ["paraphrase_tables"]

_COLUMNS = {
    "auc": "ROC AUC",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "paper_macro_f1": "macro F1 (paper's)",
    "paper_weighted_f1": "weighted F1 (paper's)",
    "positive_mean": "mean valid",
    "negative_mean": "mean invalid",
    "separation": "separation",
}


def paraphrase_tables(folders: Sequence[Path]) -> str:
    """Markdown: for each measured set a table of arms, the score and, where it was fitted, the verdict.

    Args:
        folders: of finished runs, as `reproduce_paraphrase` returns them.
    """
    runs: dict[str, list[dict[str, Any]]] = {}
    for folder in folders:
        figures = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
        runs.setdefault(figures["settings"]["arm"], []).append(figures)
    every = [one for own in runs.values() for one in own]
    parts = [_settings_line(every)]
    parts += [_table_of_set(name, runs) for name in MEASURED_ON if any(name in one["sets"] for one in every)]
    return "\n\n".join(parts) + "\n"


def _settings_line(runs: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"Machine: {'; '.join(sorted({one['machine'] for one in runs}))}."]
    trained = [one for one in runs if one["training"]]
    if trained:
        first = trained[0]
        config, overlap = first["settings"]["config"], first["training"]["left_out_as_a_test_set_holds_them"]
        counts = ", ".join(f"{SOURCES[name].title} {count:,}" for name, count in overlap.items())
        steps = sorted({one["training"]["steps"] for one in trained})
        lines.append(
            f"Learned from {', '.join(SOURCES[name].title for name in first['settings']['trained_on'])};"
            f" left out because a test set holds them: {counts}. {config['backbone']}, {_range(steps)} steps of"
            f" {config['batch_size']} triplets, margin {config['margin']:g}, learning rate"
            f" {config['learning_rate']:g}; the best weights on validation pairs are kept."
        )
    return " ".join(lines)


def _range(values: Sequence[int]) -> str:
    return f"{values[0]:,}" if len(values) == 1 else f"{values[0]:,}-{values[-1]:,}"


def _table_of_set(name: str, runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    own = {arm: [one["sets"][name] for one in some if name in one["sets"]] for arm, some in runs.items()}
    pairs = next(one["pairs"] for some in own.values() for one in some)
    lines = [
        f"**{MEASURED_ON[name]}** ({pairs:,} pairs)",
        "",
        "| arm | seeds | " + " | ".join(_COLUMNS.values()) + " |",
        "|---|---|" + "---|" * len(_COLUMNS),
    ]
    for arm in ARMS:
        some = own.get(arm)
        if not some:
            continue
        lines.append(_line(ARMS[arm].title, [one["score"] for one in some]))
        if all("verdict" in one for one in some):
            lines.append(
                _line(f"{ARMS[arm].title}, with findings (verdict)", [one["verdict"] for one in some])
            )
    for title, figures in PUBLISHED.get(name, {}).items():
        cells = [f"{figures[key]:.3f}" if key in figures else "-" for key in _COLUMNS]
        lines.append(f"| *{title}, as published* | - | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _line(title: str, runs: Sequence[Mapping[str, float]]) -> str:
    cells = [_cell([one[key] for one in runs]) for key in _COLUMNS]
    return f"| {title} | {len(runs)} | " + " | ".join(cells) + " |"


def _cell(values: Sequence[float]) -> str:
    mean = f"{np.mean(values):.3f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.3f}"
