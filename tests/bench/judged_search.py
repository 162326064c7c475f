"""Quality of search on 40 judged searches: useful questions among the first five, and nDCG@10.

    python -m tests.bench.judged_search [--data FOLDER] [--keep FOLDER] [--show NAME]

The bank is parts of the public sets beside the demo (`tests.bench.judged.bank`), the relevant questions of each
search are in `judged/searches.toml`. A question that was not judged counts as not useful. `--show` prints
what one search finds, relevant ones marked.
"""

from __future__ import annotations

import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.bench.benchmark import read_options
from tests.bench.judged.bank import open_judged_bank
from tests.bench.judged.measures import ndcg, useful

JUDGED = Path(__file__).parent / "judged" / "searches.toml"
SHOWN, CUT = 5, 10


def main() -> int:
    """Print a line a search and a table by kind of search."""
    options = read_options(show="")
    open_judged_bank(data=options.data, var=options.keep)
    searches = tomllib.loads(JUDGED.read_text(encoding="utf-8"))["search"]
    if options.show:
        show(next(search for search in searches if search["name"] == options.show))
        return 0
    measure(searches)
    return 0


def first_page(text: str) -> list[Any]:
    """Return the questions of the first page: those that match, then the closest."""
    from questionbank.registry.serving import serving
    from questionbank.search.search import SearchFilters, search_questions

    page = search_questions(query=text, filters=SearchFilters(), serving=serving())
    return [*page.hits, *page.closest]


def measure(searches: list[dict[str, Any]]) -> None:
    """Print both measures of each search, by kind and of all."""
    by_kind: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for search in searches:
        ids = [hit.question.source_id for hit in first_page(search["text"])]
        relevant = set(search["relevant"])
        figures = useful(ids, relevant, SHOWN), ndcg(ids, dict.fromkeys(relevant, 1), CUT)
        print(f"{search['name']:24}{figures[0]:3} of {SHOWN}  nDCG@{CUT} {figures[1]:.3f}  {search['text'][:60]}")
        for kind in (search["kind"], "all"):
            by_kind[kind].append(figures)
    print(f"\n{'':12}{'n':>4}{'useful in five':>18}{'of 100':>8}{f'nDCG@{CUT}':>10}")
    for kind, rows in by_kind.items():
        good, most = sum(row[0] for row in rows), SHOWN * len(rows)
        mean = sum(row[1] for row in rows) / len(rows)
        print(f"{kind:12}{len(rows):4}{f'{good} of {most}':>18}{100 * good / most:8.1f}{mean:10.3f}")


def show(search: dict[str, Any]) -> None:
    """Print what a search finds."""
    print(search["text"])
    for hit in first_page(search["text"]):
        mark = "*" if hit.question.source_id in search["relevant"] else " "
        path = hit.concepts[0][-1] if hit.concepts else ""
        print(f"{mark} {hit.question.source_id:28} {path[:30]:30} {' '.join(hit.question.text.split())[:100]}")


if __name__ == "__main__":
    sys.exit(main())
