"""H5P packages: ``h5p.json`` says what they are, ``content/content.json`` holds the questions, however they are nested.

Every object with a ``library`` and its ``params`` is a part; sets, columns, presentations, books and videos hold parts.
https://h5p.org/documentation/developers; semantics.json of each library
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from html import escape
from pathlib import Path
from typing import Any

from analytics.question_content import AcceptedAnswer, Blank, Feedback
from questionbank.errors import ImportRefused
from questionbank.formats.folders import Folder, opened_folder
from questionbank.formats.items import Item
from questionbank.formats.kinds import lettered
from questionbank.formats.seam import Entry, ReadContext
from questionbank.formats.written_numbers import finite_number

FORMAT = "h5p"
MANIFEST, CONTENT = "h5p.json", "content/content.json"
_CONTENT_LIMIT = 32 * 1024 * 1024  # bytes
_GAP = re.compile(r"\*([^*\n]{1,1000})\*")
_TIP = re.compile(r":(?P<tip>[^:\\]*)$")
_FEEDBACK = re.compile(r"\\[+-]([^\\]*)")
_NO_PARTS = frozenset({
    "H5P.Image", "H5P.Video", "H5P.Audio", "H5P.Link", "H5P.Table", "H5P.IFrameEmbed", "H5P.Nil", "H5P.ContinuousText",
    "H5P.Shape", "H5P.GoToQuestion", "H5P.Collage", "H5P.Timeline", "H5P.GoogleMap", "H5P.TwitterUserFeed",
    "H5P.ImageSlider",
})  # fmt: skip
_WHOLE = frozenset({
    "H5P.DragQuestion", "H5P.ImageHotspotQuestion", "H5P.ImageMultipleHotspotQuestion", "H5P.ImageHotspots",
    "H5P.MarkTheWords",
    "H5P.ImageSequencing", "H5P.ImagePair", "H5P.MemoryGame", "H5P.MultiMediaChoice", "H5P.Crossword",
    "H5P.FindTheWords",
    "H5P.AdvancedBlanks", "H5P.Dictation", "H5P.ArithmeticQuiz", "H5P.SpeakTheWords", "H5P.GuessTheAnswer",
})  # fmt: skip
"""Questions that we cannot take apart, though they may hold parts."""
_SEVERAL = {
    "H5P.SingleChoiceSet": "choices", "H5P.Summary": "summaries", "H5P.Flashcards": "cards",
    "H5P.Dialogcards": "dialogs",
}  # fmt: skip
"""Libraries that ask several questions, and where they stand."""
_DEEPEST = 200
_TEXTS = frozenset({"H5P.AdvancedText", "H5P.Text"})
_WORDS = frozenset({
    "question", "text", "taskDescription", "description", "title", "heading", "introduction", "questionTitle",
    "textField",
    "summary", "statement", "label", "alt", "questionText", "body", "intro", "word", "clue", "answer",
})  # fmt: skip
_NO_WORDS = frozenset("behaviour l10n confirmCheck confirmRetry overallFeedback UI override metadata".split())


def is_h5p(names: Collection[str]) -> bool:
    """Return whether an archive is a package, by the names of its members."""
    return MANIFEST in names and CONTENT in names


def read_h5p(path: Path, context: ReadContext) -> Iterator[tuple[int, Entry]]:
    """Yield what each question turns out to be, by its number."""
    with opened_folder(path) as folder:
        if not is_h5p(folder.names):
            raise ImportRefused(f"{path.name} is no H5P package: it lacks {MANIFEST} or {CONTENT}.")
        manifest, content = _json(folder, MANIFEST, path), _json(folder, CONTENT, path)
        library = str(manifest.get("mainLibrary", ""))
        passed: dict[str, int] = {}
        number = 0
        for name, params, title in _parts(library, content, str(manifest.get("title", ""))):
            if name in _NO_PARTS:
                passed[name] = passed.get(name, 0) + 1
                continue
            number += 1
            item = Item(FORMAT, context, place=title or name, find=lambda wanted: _file(folder, wanted))
            language = str(manifest.get("defaultLanguage") or manifest.get("language") or "")
            _Part(item, name, params, title, language).read()
            yield from item.entries(
                number, json.dumps({"library": name, "params": params}, ensure_ascii=False)
            )
        context.notes.extend(
            f"Not read, because it asks nothing: {name.removeprefix('H5P.')} ({count:,})."
            for name, count in passed.items()
        )


def _json(folder: Folder, name: str, path: Path) -> dict[str, Any]:
    data = folder.read(name)
    if len(data) > _CONTENT_LIMIT:
        raise ImportRefused(
            f"{path.name} cannot be read: {name} in it is larger than {_CONTENT_LIMIT >> 20} MB."
        )
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        reason = "is nested too deep" if isinstance(error, RecursionError) else "is no JSON"
        raise ImportRefused(f"{path.name} cannot be read: {name} in it {reason}.") from error
    if not isinstance(found, dict):
        raise ImportRefused(f"{path.name} cannot be read: {name} in it is no JSON object.")
    level: list[Any] = [found]
    for _depth in range(_DEEPEST):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
    if level:
        raise ImportRefused(f"{path.name} cannot be read: {name} in it is nested too deep.")
    return found


def _file(folder: Folder, wanted: str) -> bytes | None:
    name = f"content/{wanted}"
    return folder.read(name) if name in folder else None


def _parts(library: str, params: dict[str, Any], title: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the parts that ask something, in their order: library, params, title."""
    name = library.partition(" ")[0]
    several = params.get(_SEVERAL.get(name, ""))
    if isinstance(several, list):
        yield from ((name, {**params, **one}, title) for one in several if isinstance(one, dict))
        return
    inner = [] if name in _READERS or name in _WHOLE else [*_below(params)]
    if not inner:
        yield name, params, title
    for one, below, own in inner:
        yield from _parts(one, below, own)


def _below(value: object) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the outermost parts in a value."""
    if isinstance(value, dict):
        library, params = value.get("library"), value.get("params")
        if isinstance(library, str) and isinstance(params, dict):
            metadata = value.get("metadata")
            yield library, params, str(metadata.get("title", "")) if isinstance(metadata, dict) else ""
            return
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _below(inner)


class _Part:
    def __init__(self, item: Item, library: str, params: dict[str, Any], title: str, language: str) -> None:
        self.item, self.library, self.params = item, library, params
        item.content["title"] = title[:1_000] if not title.lower().startswith("untitled") else ""
        if re.fullmatch(r"[a-z]{2,3}", language) and language != "und":
            item.row["language"] = language

    def read(self) -> None:
        item = self.item
        _READERS.get(self.library, _Part.other)(self)
        if (overall := self._overall()) != Feedback():
            item.content.setdefault("feedback", overall)
        picture = self._medium(self.params.get("media"))
        item.row["text"] = f"{picture}\n\n{item.row['text']}".strip()

    def _overall(self) -> Feedback:
        """Return the feedback by what share of the points is reached."""
        texts = {"right": "", "partly": "", "wrong": ""}
        for band in self._list("overallFeedback"):
            low, high = (finite_number(str(band.get(name, ""))) or 0 for name in ("from", "to"))
            name = "wrong" if low <= 0 and high < 100 else "right" if high >= 100 else "partly"
            texts[name] = texts[name] or self.text(band.get("feedback"), "feedback")
        return Feedback("", texts["right"], texts["partly"], texts["wrong"])

    def text(self, value: object, field: str = "text") -> str:
        return self.item.html(value, field) if isinstance(value, str) else ""

    def _medium(self, media: object) -> str:
        """Return the picture that stands above a question."""
        kind = media.get("type") if isinstance(media, dict) else None
        params = kind.get("params") if isinstance(kind, dict) else None
        return self._image(params.get("file"), str(params.get("alt", ""))) if isinstance(params, dict) else ""

    def _image(self, file: object, alternative: str = "") -> str:
        path = file.get("path") if isinstance(file, dict) else None
        mime = str(file.get("mime", "")) if isinstance(file, dict) else ""
        if not isinstance(path, str) or not (
            mime.startswith("image/") or path.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".webp"))
        ):
            return ""
        return self.text(f'<img src="{escape(path)}" alt="{escape(alternative)}">')

    def _list(self, name: str) -> list[dict[str, Any]]:
        value = self.params.get(name)
        return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []

    # -- kinds -----------------------------------------------------------------------------------------------------

    def multi_choice(self) -> None:
        self.item.row["text"] = self.text(self.params.get("question"))
        choices = []
        for answer in self._list("answers"):
            said = answer.get("tipsAndFeedback")
            said = said if isinstance(said, dict) else {}
            feedback = self.text(said.get("chosenFeedback"), "feedback")
            choices.append((self.text(answer.get("text"), "options"), bool(answer.get("correct")), feedback))
            if tip := self.text(said.get("tip"), "hints"):
                self.item.content["hints"] = (*self.item.content.get("hints", ()), tip)
        behaviour = self.params.get("behaviour")
        type = behaviour.get("type", "auto") if isinstance(behaviour, dict) else "auto"
        self.item.choose(choices, is_single=type != "multi")
        right = sum(is_right for _text, is_right, _said in choices)
        is_one = right < 2 or (isinstance(behaviour, dict) and behaviour.get("singlePoint") is True)
        self.item.content["points"] = 1.0 if is_one else float(right)

    def true_false(self) -> None:
        right = str(self.params.get("correct", "")).lower() == "true"
        self.item.row |= {
            "kind": "true_false", "text": self.text(self.params.get("question")),
            "answer": "True" if right else "False",
        }  # fmt: skip
        behaviour = self.params.get("behaviour")
        if isinstance(behaviour, dict):
            said = [self.text(behaviour.get(f"feedbackOn{one}"), "feedback") for one in ("Correct", "Wrong")]
            self.item.content["feedback"] = Feedback("", said[0], "", said[1])

    def blanks(self) -> None:
        questions = self.params.get("questions")
        texts = [self.params.get("text"), *(questions if isinstance(questions, list) else [])]
        self._gaps("\n".join(f"<div>{text}</div>" for text in texts if isinstance(text, str)))

    def drag_text(self) -> None:
        task, field = self.params.get("taskDescription"), self.params.get("textField")
        lines = escape(field).replace("\n", "<br>") if isinstance(field, str) else ""
        self._gaps(lines, before=task if isinstance(task, str) else "", others=self.params.get("distractors"))

    def _gaps(self, html: str, before: str = "", others: object = None) -> None:
        """Read gaps, ``*answer/another:tip*``; those that words are dragged into share their choices."""
        is_dragged = self.library == "H5P.DragText"
        answers: list[tuple[str, ...]] = []
        tips: list[str] = []

        def gap(match: re.Match[str]) -> str:
            source = _FEEDBACK.sub("", match[1])
            if tip := _TIP.search(source):
                tips.append(self.text(tip["tip"], "hints"))
                source = source[: tip.start()]
            source = source.replace("\ufdd5", "*")
            accepted = [source] if is_dragged else source.split("/")
            answers.append(tuple(filter(None, (self.text(one.strip(), "blanks") for one in accepted))))
            return f"[[{len(answers)}]]"

        html = _GAP.sub(gap, html.replace("**", "\ufdd5"))
        self.item.row |= {
            "kind": "blanks",
            "text": self.text(before + f"<div>{html}</div>").replace("\ufdd5", "*"),
        }
        extra = [self.text(one, "blanks") for one in _GAP.findall(others)] if isinstance(others, str) else []
        choices = [*dict.fromkeys([*(one for answer in answers for one in answer), *extra])][:26]
        self.item.content["blanks"] = tuple(
            Blank("choice", (), lettered((choice, choice in answer, "") for choice in choices))
            if is_dragged
            else Blank("short", tuple(map(AcceptedAnswer, answer)))
            for answer in answers
        )
        self.item.content["hints"] = tuple(filter(None, tips))
        self.item.content["points"] = float(len(answers))

    def essay(self) -> None:
        solution = self.params.get("solution")
        self.item.row["text"] = self.text(self.params.get("taskDescription"))
        options = [one.get("options") for one in self._list("keywords")]
        points = [finite_number(str(one.get("points", 1))) or 0.0 for one in options if isinstance(one, dict)]
        self.item.content["points"] = sum(points) or None
        self.item.row["solution"] = (
            self.text(solution.get("sample"), "solution") if isinstance(solution, dict) else ""
        )

    def open(self) -> None:
        self.item.row["text"] = self.text(self.params.get("question"))

    def order(self) -> None:
        paragraphs = self.params.get("paragraphs")
        texts = [self.text(one, "options") for one in paragraphs] if isinstance(paragraphs, list) else []
        self.item.row |= {
            "kind": "ordering", "text": self.text(self.params.get("taskDescription")),
            "options": [*lettered((text, None, "") for text in filter(None, texts))],
        }  # fmt: skip

    def description(self) -> None:
        self.item.row |= {"kind": "description", "text": self.text(self.params.get("text"))}

    def first_is_right(self) -> None:
        self.item.row["text"] = self.text(self.params.get("question", self.params.get("intro")))
        answers = self.params.get("answers", self.params.get("summary"))
        texts = [self.text(one, "options") for one in answers] if isinstance(answers, list) else []
        self.item.choose([(text, place == 0, "") for place, text in enumerate(texts)])

    def card(self) -> None:
        shown = self._image(self.params.get("image"), str(self.params.get("imageAltText", "")))
        self.item.row["text"] = f"{self.text(self.params.get('text'))}\n\n{shown}".strip()
        self.item.typed([AcceptedAnswer(self.text(self.params.get("answer"), "answer"))], "short")

    def other(self) -> None:
        """Keep what we cannot take apart, with all of its words."""
        self.item.is_drawn = True
        self.item.settings["type"] = self.library
        texts = dict.fromkeys(self.text(text) for text in _words(self.params))
        self.item.row["text"] = "\n\n".join(filter(None, texts))


def _words(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, str):
                if name in _WORDS:
                    yield inner
            elif name not in _NO_WORDS:
                yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)


_READERS: dict[str, Callable[[_Part], None]] = {
    "H5P.MultiChoice": _Part.multi_choice, "H5P.TrueFalse": _Part.true_false, "H5P.Blanks": _Part.blanks,
    "H5P.DragText": _Part.drag_text, "H5P.Essay": _Part.essay, "H5P.OpenEndedQuestion": _Part.open,
    "H5P.SortParagraphs": _Part.order,
    "H5P.SingleChoiceSet": _Part.first_is_right, "H5P.Summary": _Part.first_is_right, "H5P.Flashcards": _Part.card,
    "H5P.Dialogcards": _Part.card, **dict.fromkeys(_TEXTS, _Part.description),
}  # fmt: skip
