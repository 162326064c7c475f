"""Test papers by people who had not seen the code, read and compared with what their authors say is in them.

`worker.exam.papers_exam` says what is compared. Of a question that is not whole the reader should doubt something:
what is neither whole nor doubted is wrong in silence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from questionbank.papers.paper_lines import FoundQuestion
from worker.exam.papers_exam import Truth, faults, matched, truths_of


@dataclass(slots=True)
class _Count:
    """What became of the questions of some papers.

    Attributes:
        faults: what was wrong, over all wrong questions.
        flags: by the kind of a doubt, how many of the questions that carry it are wrong and how many are right.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    flags: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, other: _Count) -> None:
        self.outcomes += other.outcomes
        self.faults += other.faults
        for kind, worth in other.flags.items():
            self.flags[kind] += worth

    def flag(self, found: FoundQuestion, *, is_wrong: bool) -> None:
        for kind in {doubt.code for doubt in found.doubts}:
            self.flags[kind][is_wrong] += 1

    def __str__(self) -> str:
        silent, doubted = self.outcomes["wrong in silence"], self.outcomes["wrong, doubted"]
        of_whole = self.outcomes["whole, doubted"]
        whole = self.outcomes["whole"] + of_whole
        lost = self.outcomes["not found"] + self.outcomes["lost"]
        total = whole + doubted + silent + lost
        return (
            f"{whole} of {total} whole ({_share(whole, total)}), {doubted} wrong and doubted, {silent} wrong in silence"
            f" ({_share(silent, total)}), {lost} not found, {self.outcomes['too many']} too many;"
            f" doubts: {_share(doubted, doubted + silent)} of the wrong ones have one,"
            f" {_share(doubted, doubted + of_whole)} of those that have one are wrong;"
            f" wrong in {dict(self.faults.most_common())}"
        )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def read_papers(folders: Sequence[Path]) -> None:
    """Print how many questions are whole, which are wrong without a doubt, and how often each doubt is right."""
    total = _Count()
    for folder in folders:
        count = _Count()
        for name, expected in truths_of(folder).items():
            count.add(_read_paper(folder / name, expected))
        print(f"{folder.parent.name}: {count}")
        total.add(count)
    print("kinds of doubts: of how many questions that carry one is something wrong")
    for kind, worth in sorted(total.flags.items(), key=lambda item: -item[1].total()):
        print(f"  {worth[True]:4} of {worth.total():4} {_share(worth[True], worth.total()):>7}  {kind}")
    print(f"all: {total}")


def _read_paper(path: Path, expected: Sequence[Truth]) -> _Count:
    from questionbank.papers.documents import read_document
    from questionbank.papers.question_assembly import assemble, guess_roles

    count = _Count()
    print(f"{path.name}: {len(expected)} questions")
    try:
        document = read_document(path, path.name)
    except Exception as error:  # noqa: BLE001 - a paper that stops the reading counts as lost
        print(f"  {type(error).__name__}: {error}")
        count.outcomes["lost"] += len(expected)
        return count
    paper = assemble(document.lines, guess_roles(document.lines))
    pairs, left = matched(paper.questions, expected)
    for truth, nearest in pairs:
        if nearest is None:
            count.outcomes["not found"] += 1
            print(f"  not found: {truth['text'][:100]!r}")
            continue
        wrong = faults(truth, nearest)
        count.faults.update(wrong)
        count.flag(nearest, is_wrong=bool(wrong))
        if not wrong:
            count.outcomes["whole, doubted" if nearest.doubts else "whole"] += 1
            continue
        outcome = "wrong, doubted" if nearest.doubts else "wrong in silence"
        count.outcomes[outcome] += 1
        print(f"  {outcome} ({', '.join(wrong)}): {truth['number']} {truth['text'][:70]!r}")
        print(
            f"      answer {truth['answer']!r}, read {nearest.record.answer!r}; points {truth['points']}, read"
            f" {nearest.record.content.points}; {[*map(str, nearest.doubts)]}"
        )
    for extra in left:
        count.flag(extra, is_wrong=True)
        print(f"  too many{'' if extra.doubts else ', in silence'}: {extra.record.text[:80]!r}")
    count.outcomes["too many"] += len(left)
    for notice in paper.notices:
        print(f"  notice: {notice}")
    return count
