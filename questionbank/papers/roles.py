"""Guess what each line of a paper is.

First what numbers the questions (`1.`, `Q1`, `第1题` ...), then line by line; what
letters mark in a question, options or parts, is told by what the lines say and by what the whole paper does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from questionbank.papers import phrases, point_phrases
from questionbank.papers.directions import WORD_BANK, is_given, is_order
from questionbank.papers.item_runs import Items, Run
from questionbank.papers.keys import full_text, key_entries, row_cells
from questionbank.papers.marks import Mark, read_mark
from questionbank.papers.matching import matching_rows
from questionbank.papers.numbering import Numbering, formulas, is_above_others, numbered_rules, numbering
from questionbank.papers.paper import Line, Role
from questionbank.papers.points import paper_totals, without_points
from questionbank.papers.surroundings import LONG_HEADING, Surroundings

Count = Callable[[Sequence[Line], Sequence[Mark | None]], Numbering]
_ITEM_KINDS = frozenset({"upper", "lower", "roman", "digits", "box", "bullet", "levels", "Roman"})
_OPTION_NAMED = re.compile(r"[(]?(?:[A-H](?:, [A-H])*|[ivx]{1,4})[)]?|[(]\d[)]")
_LATEST_FIRST = 16  # letter with which a list may begin where its first ones were not seen: p
_X = 24  # as a letter
_LOOKED_AHEAD = 8  # lines in which the options of a question without a number must begin
_EMPHASISED = re.compile(r"\*{1,2}[^*]+\*{1,2}.{0,30}")


def read_roles(lines: Sequence[Line], key: frozenset[int], count: Count = numbering) -> list[Role]:
    """Return a role for each line.

    Args:
        key: the lines of the lists of answers.
        count: says what numbers the questions.
    """
    marks = [read_mark(line.number) for line in lines]
    rules = numbered_rules(lines, marks) | formulas(lines)
    matches = matching_rows([full_text(line) for line in lines])
    to_match = frozenset(place for rows in matches for place in rows[1:])
    inside = [
        mark if place not in key and place not in rules and place not in to_match else None
        for place, mark in enumerate(marks)
    ]
    guess = _Guess(lines, inside, count(lines, inside))
    questions = sorted(guess.numbering.questions)
    numbers = [mark.value if (mark := marks[place]) is not None else 0 for place in questions]
    listed = ((place, lines[place]) for place in sorted(key))
    for entry in key_entries(listed, numbers, [lines[place].number for place in questions]):
        if entry.slot >= 0:
            is_letter = bool(_OPTION_NAMED.fullmatch(entry.answer))
            guess.key[questions[entry.slot]] = 3.0 * (is_letter - (len(entry.parts) > 1))
    guess.matches = frozenset(rows[0] for rows in matches)
    for place in range(len(lines)):
        if place in key or place in rules:
            guess.roles.append(Role.KEY if place in key else Role.NOTHING)
        elif place in to_match:
            guess.roles.append(Role.MORE)
        else:
            guess.roles.append(guess.role(place))
    Items(lines, inside, guess.roles, guess.runs, guess.key, guess.headings).settle()
    for place in paper_totals(lines, guess.roles):
        guess.roles[place] = Role.NOTHING
    return guess.roles


class _Guess(Surroundings):
    """Gives one line after another its role."""

    def role(self, place: int) -> Role:
        line, mark = self.lines[place], self.marks[place]
        role = self._role(place, line, mark)
        is_shared = role is Role.OPTION and self.question < 0
        if not is_shared and role in (
            Role.QUESTION,
            Role.PART,
            Role.OPTION,
            Role.ANSWER,
            Role.SOLUTION,
            Role.STIMULUS,
            Role.HEADING,
        ):
            self.state = {Role.QUESTION: "stem", Role.PART: "item", Role.OPTION: "item"}.get(role, role.value)
        if role is Role.HEADING:
            self.heading, self.heading_at = line.text, place
        if role is Role.QUESTION:
            self.headings[place] = self.heading
            self.has_typed_answers, self.awaits_answers = self.awaits_answers, False
            self.question, self.is_matching, self.open_runs = place, False, []
        elif role in (Role.HEADING, Role.STIMULUS) or point_phrases.ENDS_QUESTION.fullmatch(line.text):
            self.question = -1
        return role

    def _role(self, place: int, line: Line, mark: Mark | None) -> Role:
        text = line.text.replace("**", "")
        is_open = self.question >= 0
        if point_phrases.TITLED_POINTS.fullmatch(text) and mark is None:
            self.awaits_answers = phrases.TYPED_ANSWER.fullmatch(text) is not None or (
                self.awaits_answers and self.state == "outside"
            )
        is_bonus = mark is None and self.numbering.is_numbered and phrases.BONUS.match(text)
        if is_bonus and not is_bonus.string[is_bonus.end() :].strip("★☆*! ") and self._heads_numbered(place):
            return Role.HEADING
        if self.numbering.is_question(place) or is_bonus or place in self.matches:
            above = self.lines[place - 1].text
            is_named = self.state == "stem" and self.question == place - 1 and not without_points(above)[0]
            return Role.MORE if is_named and not self.numbering.is_question(place) else Role.QUESTION
        if place in self.numbering.headings:
            return Role.HEADING
        if is_above_others(place, self.marks):
            is_title = mark is not None and mark.kind == "word" and not is_given(text)
            return Role.HEADING if is_title else Role.STIMULUS
        if mark is not None and not text and is_open and self.state != "answer":
            number = self.marks[self.question]
            if (
                number is not None
                and number.value == mark.value
                and mark.kind == "digits"
                and line.number.isdigit()
            ):
                return Role.NOTHING  # "1" of "1(a)" below "1. A cube has edges of 5 cm."
            if mark.series == "digits()":
                return Role.MORE  # "(2)": the marks that it gives
        if line.heading and not (mark is not None and mark.kind in ("lower", "upper") and is_open):
            return Role.HEADING
        if mark is None and (phrases.tells_points(text) or self._sums_marks(place)):
            return Role.NOTHING
        if is_open and point_phrases.ENDS_QUESTION.fullmatch(text):
            return Role.MORE
        if phrases.is_stimulus(text) and not (is_open and mark is not None and mark.kind != "digits"):
            return Role.STIMULUS
        if mark is None and (self._announces(place, text) or (not is_open and WORD_BANK.match(text))):
            return Role.STIMULUS
        if is_open and mark is None and self._asks_truth(place, text):
            return Role.HEADING
        if mark is None and self._directs(place, text):
            return Role.STIMULUS if is_order(text) else Role.NOTHING
        if (mark is None or mark.kind in ("han", "Roman", "upper", "han()", "word")) and (
            phrases.SECTION.fullmatch(f"{line.number} {text}".strip()) or phrases.SECTION.fullmatch(text)
        ):
            return Role.HEADING
        if mark is not None and mark.label.isupper() and self._heads(place, mark):
            return Role.HEADING
        if mark is not None and mark.label.isupper() and self._counts_headings(mark):
            return Role.QUESTION if self._is_matching_task(place) else Role.HEADING
        if mark is not None and mark.kind == "han" and len(text) < LONG_HEADING:
            return Role.HEADING
        says_answer = phrases.ANSWER.fullmatch(text) or phrases.KEY_TITLE.fullmatch(text)
        if is_open and mark is None and says_answer and self._answer_follows(place + 1):
            return Role.SOLUTION if phrases.SOLUTION.fullmatch(text) else Role.ANSWER
        if is_open and self.roles[-1:] == [Role.ANSWER] and line.is_joined and mark is None and text:
            return Role.MORE  # below "Answer:"
        if phrases.is_answer_space(text) and (mark is None or (text and mark.kind in ("digits", "word"))):
            return Role.MORE if is_open and mark is None and without_points(text)[1] else Role.NOTHING
        if (
            (mark is None or mark.kind == "bullet")
            and phrases.NOISE.fullmatch(full_text(line).replace("**", "").strip("*"))
            and not (is_open and point_phrases.POINTS_ALONE.fullmatch(text))
        ):
            return Role.NOTHING
        if self.state == "stimulus" and mark is not None and mark.kind in ("lower", "upper"):
            stimulus = next(at for at in reversed(range(place)) if self.roles[at] is Role.STIMULUS)
            if phrases.STATEMENTS.search(self.lines[stimulus].text):
                return Role.OPTION  # of each question: "Both (A) and (R) are true"
        if self.state == "stimulus" and mark is None:
            return Role.QUESTION if self._begins_unnumbered(place) else Role.MORE
        if is_open and mark is None and (role := self._said(text)):
            return role
        if is_open and self._names_option(line):
            return Role.ANSWER
        if is_open and self._is_written_in(place):
            return Role.ANSWER
        if is_open and (self._repeats_part(place) or (self.state == "answer" and full_text(line).isdigit())):
            return Role.MORE
        if (
            mark is not None
            and is_open
            and mark.kind in _ITEM_KINDS
            and not (mark.kind == "bullet" and self.state == "solution")
        ):
            return self._item(place, mark)
        if self._begins_unnumbered(place):
            return Role.QUESTION
        if not is_open:
            return Role.STIMULUS if self._is_shared(place) else Role.NOTHING
        if self._is_title(place):
            return Role.HEADING
        return Role.BELOW if self._leads(place) else Role.MORE

    def _said(self, text: str) -> Role | None:
        """Return the role of a line that says itself what it is."""
        if phrases.NUMERIC.fullmatch(text) or phrases.INTERVAL.fullmatch(text):
            return Role.ANSWER if self.state in ("stem", "answer") else None
        if match := phrases.ANSWER.match(text):
            return Role.NOTHING if phrases.is_left_blank(text[match.end() :]) else Role.ANSWER
        if phrases.SOLUTION.match(text):
            return Role.SOLUTION
        return Role.NOTHING if point_phrases.TITLED_POINTS.fullmatch(text) and self.state != "stem" else None

    # -- questions without a number -------------------------------------------------------------------------------

    def _begins_unnumbered(self, place: int) -> bool:
        """Return whether options follow a line that nothing numbers, behind the options of another question."""
        line, mark = self.lines[place], self.marks[place]
        if mark is not None or self.state == "stem" or line.is_joined or row_cells(line.text) is not None:
            return False
        if self._is_matching_task(place) or self._is_all_of_section(place):
            return True
        if self.state == "item" and (
            self._item_goes_on(place) or self.runs[-1].series.startswith(("Roman", "digits"))
        ):
            return False
        if self.numbering.is_numbered and self.state in ("outside", "heading"):
            return False
        for ahead in range(place + 1, min(place + 1 + _LOOKED_AHEAD, len(self.lines))):
            following = self.marks[ahead]
            if self.numbering.is_question(ahead) or self.lines[ahead].heading:
                return False
            if following is not None and following.kind in ("upper", "lower", "box", "bullet"):
                return following.value <= 1
            if phrases.NUMERIC.fullmatch(self.lines[ahead].text):
                return not self.numbering.is_numbered
            if phrases.ANSWER.match(self.lines[ahead].text):
                return not self.numbering.is_numbered
        return False

    def _is_all_of_section(self, place: int) -> bool:
        """Return whether a line asks something and stands alone below its heading but for its answer."""
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
        """Return whether a line below a heading asks to match what a table below it holds."""
        following = self.lines[place + 1].text if place + 1 < len(self.lines) else ""
        return (
            (self.state in ("outside", "heading") or self.marks[place] is not None)
            and phrases.MATCHING.search(self.lines[place].text) is not None
            and row_cells(following) is not None
        )

    def _is_title(self, place: int) -> bool:
        """Return whether a line behind a question names what follows: short, no sentence, and a question comes next."""
        line, following = self.lines[place], place + 1
        if line.is_joined or line.number or len(line.text) > LONG_HEADING or row_cells(line.text) is not None:
            return False
        if not self.numbering.is_question(following) or point_phrases.POINTS_ALONE.fullmatch(line.text):
            return False
        if (
            self.state != "stem"
            and (line.is_marked or _EMPHASISED.fullmatch(line.text))
            and "![" not in line.text
        ):
            return not phrases.BLANK.search(line.text) and not self.lines[place - 1].is_marked
        ends_sentence = line.text.endswith((".", "?", "。", "？", ";", ",", "!", "$", "=", "____"))
        if ends_sentence or "![" in line.text or "[image]" in line.text:
            return False
        mark = self.marks[following]
        if mark is not None and mark.value == 1:
            return line.text[:1].isupper() or not line.text.isascii()  # "Quiz 2": the numbers begin anew
        stands_out = line.is_marked and not self.lines[place - 1].is_marked
        return self.state != "stem" and (stands_out or (line.text[:1].isupper() and self.state == "answer"))

    # -- options and parts ----------------------------------------------------------------------------------------

    def _item(self, place: int, mark: Mark) -> Role:
        if 1 in (mark.value, mark.roman) and not self.open_runs and self._asks_to_match(place, mark):
            self.is_matching = True
        if self.is_matching:
            return Role.MORE
        if self.has_typed_answers:
            return Role.ANSWER
        open_runs = self.open_runs
        series, value = mark.series, mark.value
        if self.lines[place].number == "(x)" and any(run.continues("lower()", _X) for run in open_runs):
            series, value = "lower()", _X  # behind "(w)", and no box that is crossed
        if (
            mark.roman
            and mark.kind in ("lower", "upper")
            and not any(run.continues(series, value) for run in open_runs)
        ):
            roman = series.replace("lower", "roman").replace("upper", "Roman")
            if mark.roman == 1 or any(run.continues(roman, mark.roman) for run in open_runs):
                series, value = roman, mark.roman
        run = next((run for run in reversed(open_runs) if run.continues(series, value)), None)
        if run is None and self._answers_part(mark):
            return Role.ANSWER
        if run is None:
            run = Run(self.question, series)
            if series == "bullet" and open_runs and open_runs[-1].series != "bullet":
                return Role.MORE
            if series.startswith("lower") and value > _LATEST_FIRST:
                return Role.MORE  # "(t) = 3": no list begins there
            self.runs.append(run)
            self.open_runs.append(run)
        run.places.append(place)
        run.value = value
        return Role.OPTION
