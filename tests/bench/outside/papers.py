# ruff: noqa: T201 - a benchmark prints
"""Test papers by people who had not seen the code, read and compared with what their authors say is in them.

A question is whole if its text, options, answer, number of parts and pictures are right. Of a question that is
not whole the reader should doubt something: what is neither whole nor doubted is wrong in silence.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from questionbank.documents.paper import FoundQuestion

Truth = dict[str, Any]
_ALIKE = 70  # per cent of the letters and digits of a text; from here two texts are the same question
_SAME = 90  # likewise, for what is taken as read whole


def plain(text: str) -> str:
    """Return the letters and digits of a text, whatever its formulas and pictures are written with."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = re.sub(
        r"\\(?:frac|dfrac|tfrac|sqrt|left|right|text|mathrm|operatorname|begin|end|[a-zA-Z]+)", " ", text
    )
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in text if character.isalnum())


def whole_text(found: FoundQuestion) -> str:
    """Return the text of a question with that of its parts."""
    parts = [part.text for part in found.record.content.parts]
    return "\n".join(
        [found.record.text, *(part for part in parts if plain(part) not in plain(found.record.text))]
    )


def numbers(text: str) -> Counter[str]:
    """Return the digits that stand together, and how often."""
    return Counter(re.findall(r"\d+", unicodedata.normalize("NFKC", text)))


def likeness(truth: Truth, found: FoundQuestion) -> float:
    """Return how much of the author's text is in a question, per cent; shared texts and tables may stand before it."""
    from rapidfuzz import fuzz

    text, expected = plain(whole_text(found)), plain(truth["text"])
    if len(expected) < len(text) and (truth.get("shared") or truth.get("has_table")):
        return max(fuzz.ratio(text, expected), fuzz.partial_ratio(expected, text))
    return fuzz.ratio(text, expected)


def faults(truth: Truth, found: FoundQuestion) -> list[str]:
    """Return what of a question is not as its author says."""
    from rapidfuzz import fuzz

    wrong = []
    record = found.record
    text, expected = plain(whole_text(found)), plain(truth["text"])
    shared = plain(truth.get("shared") or "")
    if (
        max(
            fuzz.ratio(text, expected),
            fuzz.ratio(text, shared + expected),
            fuzz.partial_ratio(expected, text),
        )
        < _SAME
    ):
        wrong.append("text")
    elif Counter(re.findall(r"\d+", expected)) - Counter(re.findall(r"\d+", text)) and not truth.get(
        "has_table"
    ):
        wrong.append("numbers")
    if truth["kind"] == "matching":
        pairs = len(record.content.pairs) or len(record.options)
        if pairs < len(truth.get("match_left") or truth["options"]):
            wrong.append("options")
    elif truth["kind"] != "true_false":
        options = [plain(option.text) for option in record.options]
        wanted = ["" if option == "(picture)" else plain(option) for option in truth["options"]]
        if len(options) != len(wanted) or any(
            fuzz.ratio(one, other) < _SAME for one, other in zip(options, wanted, strict=True)
        ):
            wrong.append("options")
    if not same_answer(truth, found):
        wrong.append("answer")
    if truth["parts"] != len(record.content.parts):
        wrong.append("parts")
    if truth["has_picture"] and "![" not in "".join(
        [whole_text(found), *(option.text for option in record.options)]
    ):
        wrong.append("picture")
    return wrong


def same_answer(truth: Truth, found: FoundQuestion) -> bool:
    """Return whether the answer is the author's; that of a question in parts is that of its parts."""
    from analytics.text.meaning import same_answer as mean_the_same

    given = found.record.answer
    if truth["parts"] and found.record.content.parts:
        given = "; ".join(part.answer for part in found.record.content.parts) if truth["answer"] else given
        expected = re.sub(r"\([a-z]+\)\s*", "", truth["answer"])
        return plain(given) == plain(expected) or (not expected and not given)
    expected = truth["answer"]
    if not expected or not given:
        return not expected and not given
    return plain(given) == plain(expected) or bool(mean_the_same(given, expected))


def read_papers(folder: Path) -> None:
    """Print how many questions are whole, and which are wrong without a doubt."""
    from rapidfuzz import fuzz

    from questionbank.documents.paper import Document
    from questionbank.documents.reading import read_document
    from questionbank.documents.roles import guess_roles
    from questionbank.documents.segmenting import assemble

    papers: dict[str, list[Truth]] = defaultdict(list)
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        papers[truth["paper"]].append(truth)
    outcomes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for name, expected in papers.items():
        try:
            document: Document = read_document(folder / name, name)
        except Exception as error:  # noqa: BLE001 - a paper that stops the reading counts as lost
            print(f"{name}: {type(error).__name__}: {error}")
            outcomes["lost"] += len(expected)
            continue
        paper = assemble(document.lines, guess_roles(document.lines))
        left = list(paper.questions)
        counted: Counter[str] = Counter()
        for truth in expected:
            wanted = plain(truth["text"])
            nearest = max(
                left,
                key=lambda one: fuzz.ratio(plain(whole_text(one)), wanted) if wanted else 0,
                default=None,
            )
            if nearest is None or (
                fuzz.ratio(plain(whole_text(nearest)), wanted) < _ALIKE
                and fuzz.partial_ratio(wanted, plain(whole_text(nearest))) < _ALIKE
            ):
                counted["not found"] += 1
                print(f"  not found: {truth['text'][:100]!r}")
                continue
            left.remove(nearest)
            wrong = faults(truth, nearest)
            outcome = "whole" if not wrong else "wrong, doubted" if nearest.doubts else "wrong in silence"
            if not wrong and nearest.doubts:
                counted["of these doubted"] += 1
            counted[outcome] += 1
            kinds.update(wrong)
            if wrong:
                print(f"  {outcome} ({', '.join(wrong)}): {truth['number']} {truth['text'][:70]!r}")
                print(f"      answer {truth['answer']!r}, read {nearest.record.answer!r}; {nearest.doubts}")
        counted["too many"] = len(left)
        for extra in left:
            print(f"  too many{'' if extra.doubts else ', in silence'}: {extra.record.text[:80]!r}")
        print(f"{name}: {len(expected)} questions; {dict(counted)}")
        outcomes += counted
    print(
        f"papers: {len(papers)}, questions: {sum(map(len, papers.values()))}; {dict(outcomes)}; wrong in {dict(kinds)}"
    )
