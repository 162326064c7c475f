"""ASDiv as its authors publish it: XML with body, question, type of solution, answer and formula of each problem.

Miao, Liang and Su, A Diverse Corpus for Evaluating and Developing English Math Word Problem Solvers, ACL 2020.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, fromstring

from questionbank.errors import ImportRefused
from questionbank.formats.fields import read_question
from questionbank.formats.items import item_entries
from questionbank.formats.seam import Entry, ReadContext
from questionbank.formats.xml_nodes import root_element, xml_items

_ROOT, _SET = "Machine-Reading-Corpus-File", "ProblemSet"
_ARITHMETIC = re.compile(r"[\d\s.+\-*/()]+")


def is_asdiv(beginning: str, _name: str) -> bool:
    """Return whether a file is the corpus."""
    return root_element(beginning) == _ROOT


def read_asdiv(path: Path, context: ReadContext) -> Iterator[tuple[int, Entry]]:
    """Yield what each problem turns out to be, by its number."""
    number = 0
    for item in xml_items(
        path, root=_ROOT, item=_SET, unpacked_limit=context.unpacked_limit, progress=context.progress
    ):
        try:
            problems = fromstring(item.data, forbid_dtd=True).iterfind("Problem")
        except (ParseError, DefusedXmlException) as error:
            raise ImportRefused(f"{path.name} cannot be read: it is no well-formed XML.") from error
        for problem in problems:
            number += 1
            said = {
                name: (problem.findtext(name) or "").strip()
                for name in ("Body", "Question", "Answer", "Formula")
            }
            kind = (problem.findtext("Solution-Type") or "").strip()
            computed = said["Formula"].partition("=")[0].strip()
            row = {
                "id": problem.get("ID", ""),
                "text": f"{said['Body']} {said['Question']}".strip(),
                "answer": said["Answer"],
                "equation": computed if _ARITHMETIC.fullmatch(computed) else "",
                "grade": problem.get("Grade", ""),
                "concepts": [[kind]] if kind else [],
            }
            yield from item_entries(number, lambda row=row: (read_question(row), []))  # type: ignore[misc]
