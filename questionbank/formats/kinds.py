"""Kinds of question, the other names that files have for them, and what the options of a question must be."""

from __future__ import annotations

import re
from collections.abc import Sequence

KINDS = ("open", "choice", "blank")
_NAMES = {
    "choice": (
        "multiple choice | multiple-choice | multiplechoice | multichoice | mc | mcq | single choice | singlechoice"
        " | single | multiple | mehrfachauswahl | einfachauswahl | auswahl | auswahlfrage | choix multiple | qcm"
        " | opcion multiple | opción múltiple | seleccion multiple | selección múltiple | 选择 | 选择题 | 单选 | 单选题"
    ),
    "blank": (
        "fill in the blank | fill-in-the-blank | fill in | fillin | cloze | gap | gap text | gapfill | gapselect | fib"
        " | luckentext | lückentext | texte a trous | texte à trous | 填空 | 填空题"
    ),
    "open": (
        "open question | open ended | open-ended | short answer | short-answer | shortanswer | free response"
        " | free text | numerical | numeric | calculated | essay question | word problem | freitext | offen"
        " | reponse ouverte | réponse ouverte | respuesta abierta | 解答 | 解答题 | 应用题 | 简答题 | 计算题 | 问答题"
    ),
}
_KIND_OF_NAME = {name.strip(): kind for kind, names in _NAMES.items() for name in (*names.split("|"), kind)}
_OPTIONS_IN_TEXT = re.compile(
    r"(?<![A-Za-z])A ?[.、)．）:：].{0,2000}?(?<![A-Za-z])B ?[.、)．）:：]", re.DOTALL
)


def kind_of_name(name: str) -> str:
    """Return the kind of question that a file's word stands for, or nothing.

    >>> kind_of_name("Multiple Choice"), kind_of_name("填空题"), kind_of_name("Algebra")
    ('choice', 'blank', '')
    """
    return _KIND_OF_NAME.get(" ".join(name.split()).lower(), "")


def options_fault(*, kind: str, text: str, labels: Sequence[str], answer: str) -> str:
    """Return what is wrong with the options of a question, for the editor and for imports alike.

    Options may stand in the text, as exams print them: "A. 3 B. 4".

    Returns:
        ``"unexpected"``: only a choice has options; ``"missing"``: a choice has none; ``"single"``: it has one, which
        imports keep as published, with a warning; ``"repeated"``: two have the
        same label; ``"answer"``: it is no label of an option; empty if nothing is wrong.

    >>> options_fault(kind="choice", text="2 + 2?", labels=[], answer="A")
    'missing'
    >>> options_fault(kind="choice", text="2 + 2? A. 3 B. 4", labels=[], answer="B")
    ''
    """
    if kind != "choice":
        return "unexpected" if labels else ""
    if not labels:
        return "" if _OPTIONS_IN_TEXT.search(text) else "missing"
    if len(set(labels)) < len(labels):
        return "repeated"
    if answer and answer not in labels:
        return "answer"
    return "single" if len(labels) == 1 else ""
