"""Read one QTI 2 or 3 item into a record; what we cannot parse is kept as an opaque question."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from analytics.question_content import Feedback, Option, QuestionContent, QuestionPart, Section, Stimulus
from analytics.records import QuestionRecord
from questionbank.formats.fields import FieldProblems
from questionbank.formats.kinds import COMPUTED, accepted_answers, computed_answer
from questionbank.formats.limits import ANSWER_LIMIT, ID_LIMIT, OPTION_TEXT_LIMIT, default_title
from questionbank.formats.pictures import Put
from questionbank.formats.qti.interactions import MARK, Asked, Interactions, part_of, renumbered
from questionbank.formats.qti.metadata import INTERACTIONS, OPAQUE, Around, read_metadata
from questionbank.formats.qti.responses import Responses, feedback_roles
from questionbank.formats.qti.texts import CUT, Find, Texts, qti_tree, with_hashes
from questionbank.formats.xml_nodes import BadXml, Node


def read_item(data: bytes, put: Put, find: Find, around: Around) -> tuple[QuestionRecord, Reading]:
    """Return the record of an item in UTF-8, and its `Reading`.

    Args:
        put: stores a picture.

    Raises:
        FieldProblems: the item cannot be kept at all.
    """
    try:
        root = qti_tree(data)
    except BadXml as error:
        raise FieldProblems([("question", str(error))]) from error
    reading = Reading(root, put, find, around)
    reading.read()
    digest = hashlib.sha256(with_hashes(data, reading.texts.hashes)).hexdigest()
    return reading.texts.record(reading.texts.settings.get("type", ""), digest), reading


class Reading:
    """An item being read."""

    def __init__(self, root: Node, put: Put, find: Find, around: Around) -> None:
        self.root, self.around = root, around
        self.texts = Texts(put, find)
        self.responses = Responses(root)
        self.interactions = Interactions(self.texts, self.responses)

    # -- the whole -------------------------------------------------------------------------------------------------

    def read(self) -> None:
        root, texts = self.root, self.texts
        body = root.find("itemBody")
        for ref in root.children("assessmentStimulusRef"):
            if text := texts.shared(ref.get("href")):
                texts.unseen.stimuli.append((ref.get("title"), text))
        chunks = (texts.source(body.pieces) if body is not None else "").split(CUT)
        asked = self._asked(body, chunks)
        feedback, solution, hints = self._feedback(asked)
        text, stimulus = self._with_stimuli(asked.text)
        title = " ".join(root.get("title").split())
        texts.show(text, title)
        row = texts.row
        row |= {
            "kind": asked.kind,
            "options": [replace(option, text=option.text[:OPTION_TEXT_LIMIT]) for option in asked.options],
            "answer": asked.answer[:ANSWER_LIMIT],
            "solution": solution,
            "id": root.get("identifier")[:ID_LIMIT],
            "language": _primary(root.get("xml:lang") or root.get("lang")),
        }
        texts.content |= {
            "title": "" if title in (default_title(row["text"]), row["id"]) else title[:1_000],
            "points": self.around.points(self.responses.points()) if asked.kind != "description" else None,
            "feedback": feedback,
            "hints": tuple(hints),
            "stimulus": stimulus,
            "section": Section(self.around.section),
            **asked.content,
        }
        metadata = read_metadata(self.around.metadata.encode())
        row["concepts"] = [list(path) for path in metadata.concepts or self.around.concepts]
        row["language"] = row["language"] or _primary(metadata.language)
        texts.content["tags"] = metadata.keywords
        if not texts.content["title"] and metadata.title not in (default_title(row["text"]), row["id"]):
            texts.content["title"] = metadata.title
        if metadata.difficulty is not None:
            row |= {"difficulty": metadata.difficulty, "difficulty_scale": "1-5"}
        texts.ours = metadata.ours

    def _with_stimuli(self, text: str) -> tuple[str, Stimulus]:
        """Return the text preceded by the shared stimulus, and the stimulus."""
        shared = [("", self.texts.text(qti_tree(piece.encode()), "text")) for piece in self.around.shared]
        found = [(title, said) for title, said in (*shared, *self.texts.unseen.stimuli) if said]
        if not found:
            return text, Stimulus()
        together = "\n\n".join(said for _title, said in found)
        return f"{together}\n\n{text}".strip(), Stimulus(found[0][0], together)

    # -- what is asked ---------------------------------------------------------------------------------------------

    def _asked(self, body: Node | None, chunks: list[str]) -> Asked:
        """Return what the body as a whole asks for."""
        texts = self.texts
        found = [*body.iter(*INTERACTIONS)] if body is not None else []
        reason = self._why_opaque(found)
        fields = [gap for gap in texts.gaps if gap.name != "gap"]
        if not reason and texts.asked and len(texts.asked) + len(fields) > 1:
            return self._parts(chunks)
        text = texts.html("".join(chunks), "text")  # before the options, so that its pictures come first
        if reason:
            self.texts.settings["type"] = reason
            if computed := self._computed_answer():
                self.texts.settings[COMPUTED] = computed
            asked = self._readable(found)
        elif texts.asked:
            asked = self.interactions.asked(texts.asked[0])
        elif texts.gaps:
            return self.interactions.with_gaps(text)
        else:
            asked = Asked("description")
            if self.root.children("responseDeclaration"):
                texts.say("kind", "the item declares an answer, but we find nothing in it that asks for one")
                asked.kind = "opaque"
        text = renumbered(text, asked.marks)
        text = MARK.sub("____", text) if asked.kind == "opaque" else text
        asked.text = "\n\n".join(filter(None, (text, asked.text)))
        return asked

    def _computed_answer(self) -> str:
        """Return the expression to which a template sets the correct answer."""
        values = {
            node.get("identifier"): _expression(node.children()[0])
            for node in self.root.iter("setTemplateValue")
            if node.children()
        }
        right = (node.children() for node in self.root.iter("setCorrectResponse"))
        return computed_answer((_expression(children[0]) for children in right if children), values)

    def _why_opaque(self, found: list[Node]) -> str:
        draws = self.root.children("templateProcessing")
        if draws or next(self.root.iter("printedVariable"), None) is not None:
            self.texts.say("kind", "the question draws its numbers, so it is kept as another type")
            return "template"
        if self.root.get("adaptive") == "true":
            self.texts.say("kind", "the question changes with what students answer, so it is kept as another type")
            return "adaptive"
        return next((node.name for node in found if node.name in OPAQUE), "")

    def _readable(self, found: list[Node]) -> Asked:
        """Return the displayable contents of a question that cannot be parsed."""
        choice = [node for node in found if node.name == "choiceInteraction"]
        options = self.interactions.asked(choice[0]).options if len(choice) == len(found) == 1 else ()
        return Asked("opaque", tuple(Option(o.label, o.text) for o in options if o.text))

    def _parts(self, chunks: list[str]) -> Asked:
        """Return a question in parts: one per interaction block, and one per text with gaps between blocks."""
        texts = [self.texts.html(chunk, "text") for chunk in chunks]
        stem: list[str] = []
        parts: list[QuestionPart] = []
        for place, node in enumerate(self.texts.asked):
            before, prompt = texts[2 * place], texts[2 * place + 1]
            asked = self.interactions.asked(node)
            if MARK.search(before):
                parts.append(self._gap_part(before))
            elif place == 0:
                lead, _gap, last = before.rpartition("\n\n") if not prompt and before else (before, "", "")
                stem.append(lead or last)
                prompt = prompt or (last if lead else "")
            else:
                prompt = "\n\n".join(filter(None, (before, prompt)))
            prompt = renumbered(prompt, asked.marks)
            parts.append(part_of("\n\n".join(filter(None, (prompt, asked.text))), asked))
        if MARK.search(texts[-1]):
            parts.append(self._gap_part(texts[-1]))
        else:
            stem.append(texts[-1])
        if any(part.kind == "opaque" for part in parts):
            return Asked("opaque", text=MARK.sub("____", "\n\n".join(filter(None, texts))))
        return Asked("parts", content={"parts": tuple(parts)}, text="\n\n".join(filter(None, stem)))

    def _gap_part(self, text: str) -> QuestionPart:
        asked = self.interactions.with_gaps(text)
        return part_of(asked.text, asked)

    # -- feedback --------------------------------------------------------------------------------------------------

    def _feedback(self, asked: Asked) -> tuple[Feedback, str, list[str]]:
        """Return feedback, solution and hints; feedback on a single choice is attached to that choice."""
        unseen = self.texts.unseen
        said: dict[str, list[str]] = {}
        own: dict[str, str] = {}
        with_answers = self.responses.with_answers() if asked.kind in ("number", "short") else {}
        typed: dict[str, str] = {}
        roles = feedback_roles(self.responses)
        idents = next(iter(self.interactions.choices.values()), []) if len(self.interactions.choices) == 1 else []
        shown = [
            (node.get("identifier"), self.texts.text(node.find("contentBody") or node, "feedback"))
            for node in self.root.children("modalFeedback")
        ]
        for identifier, text in (*unseen.feedback, *shown):
            if text and identifier in idents and len(asked.options) == len(idents):
                own[identifier] = "\n\n".join(filter(None, (own.get(identifier, ""), text)))
            elif text and identifier in with_answers:
                typed[with_answers[identifier]] = text
            elif text:
                said.setdefault(roles.get(identifier) or _role(identifier), []).append(text)
        if own:
            asked.options = tuple(
                Option(o.label, o.text, "", o.weight, "\n\n".join(filter(None, (o.feedback, own.get(ident, "")))))
                for o, ident in zip(asked.options, idents, strict=True)
            )
        if typed:
            accepted = accepted_answers(QuestionContent(**asked.content), asked.answer)
            asked.content["accepted"] = tuple(
                replace(answer, feedback=typed.get(answer.text, "")) for answer in accepted
            )
        together = {role: "\n\n".join(texts) for role, texts in said.items()}
        notes = "\n\n".join(filter(None, unseen.notes))
        if notes and asked.kind == "open" and not asked.answer:
            asked.answer, notes = notes, ""
        solution = "\n\n".join(filter(None, (together.get("solution", ""), notes)))
        feedback = Feedback(*(together.get(role, "") for role in ("general", "right", "partly", "wrong")))
        return feedback, solution, [*unseen.hints, *said.get("hint", [])]


def _role(identifier: str) -> str:
    """Return the role of a feedback, by its name.

    >>> _role("FEEDBACK_INCORRECT"), _role("solution"), _role("abc")
    ('wrong', 'solution', 'general')
    """
    name = identifier.lower()
    for role, words in (
        ("solution", ("sol", "worked")),
        ("hint", ("hint",)),
        ("partly", ("part",)),
        ("wrong", ("incorrect", "wrong", "false")),
        ("right", ("correct", "right", "true")),
    ):
        if any(word in name for word in words):
            return role
    return "general"


def _primary(tag: str) -> str:
    """Return the language of a language tag, without its region.

    >>> _primary("en-US"), _primary("x-none")
    ('en', '')
    """
    primary = re.split("[-_]", tag.strip().lower())[0]
    return primary if re.fullmatch("[a-z]{2,3}", primary) else ""


def _expression(node: Node) -> str:
    """Return a QTI expression in functional notation: ``sum(A, 2)``."""
    if node.name in ("variable", "baseValue"):
        return node.get("identifier") or node.text().strip()
    stated = [f"{name}={node.get(name)}" for name in ("min", "max") if node.get(name)]
    return f"{node.name}({', '.join([*map(_expression, node.children()), *stated])})"
