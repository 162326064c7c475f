"""Guess the role of each line of a paper.

First find the numbers of the questions (`1.`, `Q1`, `第1题` ...), then go line by line. Whether letters in a question
mark options or parts is decided by the text of the lines and by the whole paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from questionbank.papers import phrases
from questionbank.papers.answer_keys import key_entries
from questionbank.papers.line_context import LONG_HEADING, Surroundings, formulas, numbered_rules
from questionbank.papers.marks import NO_MARK, Mark, read_mark
from questionbank.papers.numbering import Items, Numbering, Run, is_above_others
from questionbank.papers.paper_lines import Line, Role, full_text, row_cells
from questionbank.papers.points import ENDS_QUESTION, POINTS_ALONE, TITLED_POINTS, paper_totals, without_points
from questionbank.papers.tasks import WORD_BANK, is_given, is_order, matching_rows

Count = Callable[[Sequence[Line], Sequence[Mark]], Numbering]
_ITEM_KINDS = frozenset({"upper", "lower", "roman", "digits", "box", "bullet", "levels", "Roman"})
_OPTION_NAMED = re.compile(r"[(]?(?:[A-H](?:, [A-H])*|[ivx]{1,4})[)]?|[(]\d[)]")
_LATEST_FIRST = 16  # latest first letter (p) of a list whose earlier items were not recognised
_X = 24  # its position in the alphabet
_LOOKED_AHEAD = 8  # lines within which the options of an unnumbered question must begin
_EMPHASISED = re.compile(r"\*{1,2}[^*]+\*{1,2}.{0,30}")
_STATES = {Role.QUESTION: "stem", Role.PART: "item", Role.OPTION: "item"} | {
    role: role.value for role in (Role.ANSWER, Role.SOLUTION, Role.STIMULUS, Role.HEADING)
}
"""State after a line of each role; other roles leave it unchanged."""


def read_roles(lines: Sequence[Line], key: frozenset[int], count: Count) -> tuple[list[Role], list[str]]:
    """Return a role for each line, and the name in `ROLE_REASONS` of the rule that decided.

    Args:
        key: the lines of the lists of answers.
        count: determines which marks number the questions.
    """
    marks = [read_mark(line.number) for line in lines]
    rules = numbered_rules(lines, marks) | formulas(lines)
    matches = matching_rows([full_text(line) for line in lines])
    to_match = frozenset(place for rows in matches for place in rows[1:])
    inside = [
        mark if place not in key and place not in rules and place not in to_match else NO_MARK
        for place, mark in enumerate(marks)
    ]
    guess = _Guess(lines, inside, count(lines, inside))
    questions = sorted(guess.numbering.questions)
    numbers = [marks[place].value for place in questions]
    listed = ((place, lines[place]) for place in sorted(key))
    for entry in key_entries(listed, numbers, [lines[place].number for place in questions]):
        if entry.slot >= 0:
            is_letter = bool(_OPTION_NAMED.fullmatch(entry.answer))
            guess.key[questions[entry.slot]] = 3.0 * (is_letter - (len(entry.parts) > 1))
    guess.matches = frozenset(rows[0] for rows in matches)
    for place in range(len(lines)):
        if place in key:
            role, rule = Role.KEY, "answer_list"
        elif place in rules:
            role, rule = Role.NOTHING, "front_matter"
        elif place in to_match:
            role, rule = Role.MORE, "row_to_match"
        else:
            role, rule = guess.role(place)
        guess.roles.append(role)
        guess.rules.append(rule)
    Items(lines, inside, guess.roles, guess.runs, guess.key, guess.headings).settle()
    for place, role in enumerate(guess.roles):
        if role in (Role.PART, Role.RIGHT_OPTION):
            guess.rules[place] = role.name.lower()
    for place in paper_totals(lines, guess.roles):
        guess.roles[place], guess.rules[place] = Role.NOTHING, "total"
    return guess.roles, guess.rules


@dataclass(frozen=True, slots=True)
class _Spot:
    """The line whose role is being decided.

    Attributes:
        text: the line's text without emphasis.
        kind: kind of its mark; empty if it has none.
        is_open: whether a question has begun above and has not ended.
    """

    place: int
    line: Line
    mark: Mark
    text: str
    kind: str
    is_open: bool


class _Guess(Surroundings):
    """Assigns roles line by line: the first rule in `_RULES` that returns a role decides."""

    def role(self, place: int) -> tuple[Role, str]:
        line, mark = self.lines[place], self.marks[place]
        text = line.text.replace("**", "")
        if TITLED_POINTS.fullmatch(text) and not mark:
            self.awaits_answers = phrases.TYPED_ANSWER.fullmatch(text) is not None or (
                self.awaits_answers and self.state == "outside"
            )
        at = _Spot(place, line, mark, text, mark.kind, self.question >= 0)
        role, rule = next((role, name) for name, rule in _RULES.items() if (role := rule(self, at)) is not None)
        if role in _STATES and (role is not Role.OPTION or self.question >= 0):
            self.state = _STATES[role]
        if role is Role.HEADING:
            self.heading, self.heading_at = line.text, place
        if role is Role.QUESTION:
            self.headings[place] = self.heading
            self.has_typed_answers, self.awaits_answers = self.awaits_answers, False
            self.question, self.is_matching, self.open_runs = place, False, []
        elif role in (Role.HEADING, Role.STIMULUS) or ENDS_QUESTION.fullmatch(line.text):
            self.question = -1
        return role, rule

    # -- rules, in the order of `_RULES` ---------------------------------------------------------------------------

    def _question(self, at: _Spot) -> Role | None:
        """The line has a question number, begins with "Bonus", or asks to match the rows below."""
        bonus = phrases.BONUS.match(at.text) if not at.mark and self.numbering.is_numbered else None
        if bonus and not at.text[bonus.end() :].strip("★☆*! ") and self._heads_numbered(at.place):
            return Role.HEADING
        is_numbered = self.numbering.is_question(at.place)
        if not (is_numbered or bonus or at.place in self.matches):
            return None
        is_below_stem = self.state == "stem" and self.question == at.place - 1
        is_named = is_below_stem and not without_points(self.lines[at.place - 1].text)[0]
        return Role.MORE if is_named and not is_numbered else Role.QUESTION

    def _numbered_heading(self, at: _Spot) -> Role | None:
        """The number belongs to a numbered heading: "Exercise 1: choose the right answer"."""
        return Role.HEADING if at.place in self.numbering.headings else None

    def _mark_above_others(self, at: _Spot) -> Role | None:
        """The questions' numbers continue the line's own; the line names the questions or states what is given."""
        if not is_above_others(at.place, self.marks):
            return None
        return Role.HEADING if at.kind == "word" and not is_given(at.text) else Role.STIMULUS

    def _number_alone(self, at: _Spot) -> Role | None:
        """A number without text repeats the question's number, or gives its points: "(2)"."""
        if not at.mark or at.text or not at.is_open or self.state == "answer":
            return None
        number = self.marks[self.question]
        is_same = bool(number) and number.value == at.mark.value and at.kind == "digits"
        if is_same and at.line.number.isdigit():
            return Role.NOTHING  # "1" of "1(a)" below "1. A cube has edges of 5 cm."
        return Role.MORE if at.mark.series == "digits()" else None

    def _styled_heading(self, at: _Spot) -> Role | None:
        """The document styles the line as a heading, and it is not a lettered item of a question."""
        is_item = at.kind in ("lower", "upper") and at.is_open
        return Role.HEADING if at.line.heading and not is_item else None

    def _points(self, at: _Spot) -> Role | None:
        """The line states the points, sums them up, or ends the question with its total."""
        if not at.mark and (phrases.tells_points(at.text) or self._sums_marks(at.place)):
            return Role.NOTHING
        return Role.MORE if at.is_open and ENDS_QUESTION.fullmatch(at.text) else None

    def _shared_text(self, at: _Spot) -> Role | None:
        """The line introduces something that questions share: "Questions 3-5 refer to the graph", a word bank."""
        is_item = at.is_open and at.kind not in ("", "digits")
        if phrases.is_stimulus(at.text) and not is_item:
            return Role.STIMULUS
        is_bank = not at.is_open and WORD_BANK.match(at.text)
        return Role.STIMULUS if not at.mark and (self._announces(at.place, at.text) or is_bank) else None

    def _directions(self, at: _Spot) -> Role | None:
        """The line gives instructions for the questions below: to decide on statements, or what is a part of each."""
        if at.mark:
            return None
        if at.is_open and self._asks_truth(at.place, at.text):
            return Role.HEADING
        if not self._directs(at.place, at.text):
            return None
        return Role.STIMULUS if is_order(at.text) else Role.NOTHING

    def _section_name(self, at: _Spot) -> Role | None:
        """A line is the name of a section: "Part B", "二、填空题"."""
        is_name = at.kind in ("", "han", "Roman", "upper", "han()", "word") and (
            phrases.SECTION.fullmatch(f"{at.line.number} {at.text}".strip()) or phrases.SECTION.fullmatch(at.text)
        )
        return Role.HEADING if is_name else None

    def _counted_heading(self, at: _Spot) -> Role | None:
        """A Chinese numeral or capital numbers headings: a question follows, or the last heading precedes it."""
        if at.kind == "han":
            return Role.HEADING if len(at.text) < LONG_HEADING else None
        if not at.mark.label.isupper():
            return None
        if self._heads(at.place, at.mark):
            return Role.HEADING
        if not self._counts_headings(at.mark):
            return None
        return Role.QUESTION if self._is_matching_task(at.place) else Role.HEADING

    def _label_of_answer(self, at: _Spot) -> Role | None:
        """The line contains only "Answer:", and an answer follows."""
        is_label = phrases.ANSWER.fullmatch(at.text) or phrases.KEY_TITLE.fullmatch(at.text)
        if not (at.is_open and not at.mark and is_label and self._answer_follows(at.place + 1)):
            return None
        return Role.SOLUTION if phrases.SOLUTION.fullmatch(at.text) else Role.ANSWER

    def _text_of_answer(self, at: _Spot) -> Role | None:
        """The line continues the paragraph of an answer."""
        goes_on = at.is_open and self.roles[-1:] == [Role.ANSWER] and at.line.is_joined
        return Role.MORE if goes_on and not at.mark and at.text else None

    def _space_for_answer(self, at: _Spot) -> Role | None:
        """The line is answer space; it may give the points of the question."""
        can_be = not at.mark or (at.text and at.kind in ("digits", "word"))
        if not (phrases.is_answer_space(at.text) and can_be):
            return None
        return Role.MORE if at.is_open and not at.mark and without_points(at.text)[1] else Role.NOTHING

    def _noise(self, at: _Spot) -> Role | None:
        """The line appears on every page: a page number, a name field."""
        is_noise = (
            at.kind in ("", "bullet")
            and phrases.NOISE.fullmatch(full_text(at.line).replace("**", "").strip("*"))
            and not (at.is_open and POINTS_ALONE.fullmatch(at.text))
        )
        return Role.NOTHING if is_noise else None

    def _below_shared_text(self, at: _Spot) -> Role | None:
        """The line continues a shared text, or is a shared option: "Both (A) and (R) are true"."""
        if self.state != "stimulus":
            return None
        if not at.mark:
            return Role.QUESTION if self._begins_unnumbered(at.place) else Role.MORE
        if at.kind not in ("lower", "upper"):
            return None
        stimulus = next(place for place in reversed(range(at.place)) if self.roles[place] is Role.STIMULUS)
        return Role.OPTION if phrases.STATEMENTS.search(self.lines[stimulus].text) else None

    def _said(self, at: _Spot) -> Role | None:
        """The line's own wording shows its role."""
        text = at.text
        if not at.is_open or at.mark:
            return None
        if phrases.NUMERIC.fullmatch(text) or phrases.INTERVAL.fullmatch(text):
            return Role.ANSWER if self.state in ("stem", "answer") else None
        if match := phrases.ANSWER.match(text):
            return Role.NOTHING if phrases.is_left_blank(text[match.end() :]) else Role.ANSWER
        if phrases.SOLUTION.match(text):
            return Role.SOLUTION
        return Role.NOTHING if TITLED_POINTS.fullmatch(text) and self.state != "stem" else None

    def _answer_below(self, at: _Spot) -> Role | None:
        """The line names the right option, was written in by a teacher, or continues an answer."""
        if not at.is_open:
            return None
        if self._names_option(at.line) or self._is_written_in(at.place):
            return Role.ANSWER
        is_number = self.state == "answer" and full_text(at.line).isdigit()
        return Role.MORE if is_number or self._repeats_part(at.place) else None

    def _item(self, at: _Spot) -> Role | None:
        """The mark numbers items within the question: options or parts, rows to match, or typed answers."""
        is_step = at.kind == "bullet" and self.state == "solution"
        if not at.is_open or at.kind not in _ITEM_KINDS or is_step:
            return None
        is_first = 1 in (at.mark.value, at.mark.roman) and not self.open_runs
        if is_first and self._asks_to_match(at.place, at.mark):
            self.is_matching = True
        if self.is_matching:
            return Role.MORE
        return Role.ANSWER if self.has_typed_answers else self._counted(at.place, at.mark)

    def _unnumbered_question(self, at: _Spot) -> Role | None:
        """An unnumbered line has options below it, or is the only question below a heading."""
        return Role.QUESTION if self._begins_unnumbered(at.place) else None

    def _outside_questions(self, at: _Spot) -> Role | None:
        """No question is open that the line could belong to."""
        if at.is_open:
            return None
        return Role.STIMULUS if self._is_shared(at.place) else Role.NOTHING

    def _title(self, at: _Spot) -> Role | None:
        """A short line after a question is a title: it is not a sentence, and a question comes next."""
        line = at.line
        if line.is_joined or line.number or len(line.text) > LONG_HEADING or row_cells(line.text) is not None:
            return None
        if not self.numbering.is_question(at.place + 1) or POINTS_ALONE.fullmatch(line.text):
            return None
        return Role.HEADING if self._stands_out(at.place, line) else None

    def _rest_of_question(self, at: _Spot) -> Role:
        """The line continues the question, or introduces its next part."""
        return Role.BELOW if self._leads(at.place) else Role.MORE

    # -- questions without a number -------------------------------------------------------------------------------

    def _begins_unnumbered(self, place: int) -> bool:
        """Return whether an unnumbered line is followed by options, after the options of another question."""
        line, mark = self.lines[place], self.marks[place]
        if mark or self.state == "stem" or line.is_joined or row_cells(line.text) is not None:
            return False
        if self._is_matching_task(place) or self._is_all_of_section(place):
            return True
        if self.state == "item" and (self._item_goes_on(place) or self.runs[-1].series.startswith(("Roman", "digits"))):
            return False
        if self.numbering.is_numbered and self.state in ("outside", "heading"):
            return False
        for ahead in range(place + 1, min(place + 1 + _LOOKED_AHEAD, len(self.lines))):
            following = self.marks[ahead]
            if self.numbering.is_question(ahead) or self.lines[ahead].heading:
                return False
            if following.kind in ("upper", "lower", "box", "bullet"):
                return following.value <= 1
            text = self.lines[ahead].text
            if phrases.NUMERIC.fullmatch(text) or phrases.ANSWER.match(text):
                return not self.numbering.is_numbered
        return False

    def _is_all_of_section(self, place: int) -> bool:
        """Return whether a line asks something and is, apart from its answer, the only line below its heading."""
        if self.roles[-1:] != [Role.HEADING] or not self.lines[place].text.endswith(("?", "？")):
            return False
        following = self.lines[place + 1].text.replace("*", "") if place + 1 < len(self.lines) else ""
        ends = (phrases.SECTION, phrases.KEY_TITLE)
        return bool(
            any(pattern.fullmatch(following) for pattern in ends)
            or phrases.SOLUTION.match(following)
            or phrases.ANSWER.match(following)
        )

    def _is_matching_task(self, place: int) -> bool:
        """Return whether a line below a heading asks to match the items of a table below it."""
        following = self.lines[place + 1].text if place + 1 < len(self.lines) else ""
        return (
            (self.state in ("outside", "heading") or bool(self.marks[place]))
            and phrases.MATCHING.search(self.lines[place].text) is not None
            and row_cells(following) is not None
        )

    def _stands_out(self, place: int, line: Line) -> bool:
        """Return whether a line above a question looks like a title, unlike the text above it."""
        follows_mark = self.lines[place - 1].is_marked
        has_picture = "![" in line.text
        if self.state != "stem" and (line.is_marked or _EMPHASISED.fullmatch(line.text)) and not has_picture:
            return not phrases.BLANK.search(line.text) and not follows_mark
        ends_sentence = line.text.endswith((".", "?", "。", "？", ";", ",", "!", "$", "=", "____"))
        if ends_sentence or has_picture or "[image]" in line.text:
            return False
        mark = self.marks[place + 1]
        if mark.value == 1:
            return line.text[:1].isupper() or not line.text.isascii()  # "Quiz 2": the numbering restarts
        is_marked_alone = line.is_marked and not follows_mark
        is_behind_answer = line.text[:1].isupper() and self.state == "answer"
        return self.state != "stem" and (is_marked_alone or is_behind_answer)

    # -- options and parts ----------------------------------------------------------------------------------------

    def _counted(self, place: int, mark: Mark) -> Role:
        """Return the role of an item and add it to the run that it continues; options are identified later."""
        series, value = self._counts_in(place, mark)
        run = next((run for run in reversed(self.open_runs) if run.continues(series, value)), None)
        if run is None and self._answers_part(mark):
            return Role.ANSWER
        if run is None:
            run = Run(self.question, series)
            if series == "bullet" and self.open_runs and self.open_runs[-1].series != "bullet":
                return Role.MORE
            if series.startswith("lower") and value > _LATEST_FIRST:
                return Role.MORE  # "(t) = 3": not the start of a list
            self.runs.append(run)
            self.open_runs.append(run)
        run.places.append(place)
        run.value = value
        return Role.OPTION

    def _counts_in(self, place: int, mark: Mark) -> tuple[str, int]:
        """Return an item's series and value: "(i)" either follows "(h)" or is a numeral."""
        series, value = mark.series, mark.value
        if self.lines[place].number == "(x)" and self._goes_on("lower()", _X):
            return "lower()", _X  # after "(w)", so not a crossed box
        if mark.roman and mark.kind in ("lower", "upper") and not self._goes_on(series, value):
            roman = series.replace("lower", "roman").replace("upper", "Roman")
            if mark.roman == 1 or self._goes_on(roman, mark.roman):
                return roman, mark.roman
        return series, value

    def _goes_on(self, series: str, value: int) -> bool:
        """Return whether a run of the question's items continues with the given one."""
        return any(run.continues(series, value) for run in self.open_runs)


_RULES: dict[str, Callable[[_Guess, _Spot], Role | None]] = {
    rule.__name__.lstrip("_"): rule
    for rule in (
        _Guess._question,
        _Guess._numbered_heading,
        _Guess._mark_above_others,
        _Guess._number_alone,
        _Guess._styled_heading,
        _Guess._points,
        _Guess._shared_text,
        _Guess._directions,
        _Guess._section_name,
        _Guess._counted_heading,
        _Guess._label_of_answer,
        _Guess._text_of_answer,
        _Guess._space_for_answer,
        _Guess._noise,
        _Guess._below_shared_text,
        _Guess._said,
        _Guess._answer_below,
        _Guess._item,
        _Guess._unnumbered_question,
        _Guess._outside_questions,
        _Guess._title,
        _Guess._rest_of_question,
    )
}
"""Applied in this order; a rule's docstring gives the condition for its role. The last rule always returns a role."""

ROLE_REASONS = {name: rule.__doc__ or "" for name, rule in _RULES.items()} | {
    "answer_list": "The line is in the list of answers.",
    "front_matter": "The line is in the instructions or the list of formulas, before the questions.",
    "row_to_match": "The line is a row of items to match, below a line that asks to match them.",
    "part": "The mark numbers a part: the items ask something, or their numbering and length are those of parts.",
    "right_option": "The line is the option that is ticked, starred or set in another style.",
    "total": "The line gives the total of the points above.",
    "pointed": "You chose the language model’s reading of this line.",
}
"""Why a line got its role, by the name of the rule that decided; shown to reviewers."""
