"""Reversal of an English problem: the question becomes a statement, and a statement asks for one of its numbers.

Reversed Operation based Data Augmentation (Liu et al., 2021) as described by Textual-CL (2022), section 3.1.2.
English questions change word order and verb forms; only sentences of a few common shapes are rewritten, and all
others are rejected. Torch-free.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from analytics.language.contract import NotReversibleError, Statement, number_text
from analytics.language.en.words import BASES, base_of_past, base_of_present, past_of, third_person
from analytics.text.clauses import split_sentences

_BE = frozenset({"is", "are", "was", "were"})
_MODALS = frozenset({"can", "could", "will", "would", "should", "must", "may", "might"})
_DO = frozenset({"do", "does", "did"})
_PRONOUNS = frozenset({"he", "she", "they", "it", "we", "you", "i"})
_ADVERBS = frozenset({"still", "now", "already", "also", "then", "just", "only", "about", "exactly", "another"})
_PHRASE_ENDS = frozenset(
    """
    in on at for to from with into by than and but or then when while if because as so that who which after before
    each every per yesterday today last this now left total altogether already remaining during over around under
    out away more how there were was are is has have had all together , ; . more ? does do did would will can could
    """.split()
)
_NO_NAMES = frozenset(
    "the a an he she they it we you i each his her their its my our your there every some all one this that".split()
)
_BEFORE_SUBJECTS = frozenset(
    """
    at in on for after while later during before since by with to from left when if that who of each now then once
    """.split()
)
_INSIDE_NO_SUBJECT = frozenset({"to", "for", "left", "and", "if", "when", "that", "who", "n't", "after", *_PRONOUNS})
_MOST_BETWEEN = 3  # words allowed between verb and number
_JOINING = frozenset({"and", "but", "if", "so", "because", "while", "when", "then", ",", ";", "or"})
_PARTICLES = frozenset({"up", "away", "out", "back"})
_TRAILING = frozenset({"up", "away", "out", "off", "back", "down", "with", "for", "into", "to", "on", "in"})
_CONDITION = re.compile(r"^(?:if|since|because|when)\s+(?P<condition>.+?)\s*,?\s+(?P<question>(?:how|what)\b.+)$", re.I)
_TRAILING_CONDITION = re.compile(r"^(?P<question>(?:how|what)\b.+?)\s*,?\s+if\s+(?P<condition>.+)$", re.I)
_WHAT_IS = re.compile(r"^what\s*(?:is|was|'s)\s+(?P<thing>the .+)$", re.I)
_BEFORE_NOUNS = frozenset({"the", "a", "an", "his", "her", "their", "each", "every", "of", "than"})
_UNKNOWN_QUESTION = "the question has a shape that is not known"
_UNKNOWN_SENTENCE = "the sentence has a shape that is not known"
_LONGEST_PHRASE = 6
_LONGEST_SUBJECT = 6


def statements_of(text: str) -> list[Statement]:
    """Split a problem into sentences, with a condition of the question separated; the last one is the question."""
    statements = []
    for sentence in split_sentences(text):
        body = sentence.text.rstrip()
        plain = body.rstrip(".?!; ")
        if plain:
            statements.append(Statement(plain, body[len(plain) :] or ".", sentence.start))
    if not statements:
        return []
    *story, question = statements
    for pattern in (_CONDITION, _TRAILING_CONDITION):
        parts = pattern.match(question.text)
        if parts:
            start = question.start + parts.start("condition")
            mark = " ." if question.mark.startswith(" ") else "."
            condition = Statement(parts["condition"], mark, start)
            final = Statement(parts["question"], question.mark, question.start + parts.start("question"))
            return [*story, condition, final]
    return [*story, question]


def answer_statement(question: str, answer: Fraction, text: str) -> str:
    """Return a question as a statement that contains its answer.

    >>> answer_statement("how many pens does Ann have now", Fraction(9), "")
    'Ann has 9 pens now'
    >>> answer_statement("how much did she spend", Fraction(5, 2), "It cost $ 3.")
    'she spent $ 2.5'

    Raises:
        NotReversibleError: the question has none of the known shapes.
    """
    amount = number_text(answer, "en")
    words = question.split()
    lowered = [word.lower() for word in words]
    if lowered[:2] == ["how", "many"]:
        return _quantity_statement(words[2:], amount)
    if lowered[:2] == ["how", "much"]:
        return _price_statement(words[2:], amount, text)
    if lowered[:2] == ["how", "old"] and len(words) > 3:
        return " ".join([*words[3:], words[2], amount, "years old"])
    if what := _WHAT_IS.match(question):
        return f"{what['thing']} is {amount}"
    raise NotReversibleError(_UNKNOWN_QUESTION)


def _price_statement(words: Sequence[str], amount: str, text: str) -> str:
    thing = list(words[: next((n for n, word in enumerate(words) if word.lower() in _auxiliaries()), 0)])
    if [word.lower() for word in thing] not in ([], ["money"], ["more"], ["more", "money"], ["money", "total"]):
        raise NotReversibleError("the question names no unit")
    more = ["more"] if "more" in thing else []
    if "$" in text:
        return _quantity_statement(words[len(thing) :], f"$ {amount}", more)
    if re.search(r"\bdollars\b", text, re.I):
        return _quantity_statement(words[len(thing) :], amount, [*more, "dollars"])
    raise NotReversibleError("the question names no unit")


def _auxiliaries() -> frozenset[str]:
    return _BE | _MODALS | _DO


def _quantity_statement(words: Sequence[str], amount: str, phrase: Sequence[str] | None = None) -> str:
    """Return the statement for a question after ``how many``: noun phrase, auxiliary, subject, verb, the rest."""
    place = next((n for n, word in enumerate(words) if word.lower() in _auxiliaries()), -1)
    if place < 0 or place > _LONGEST_PHRASE:
        raise NotReversibleError(_UNKNOWN_QUESTION)
    thing = list(words[:place]) if phrase is None else list(phrase)
    auxiliary, rest = words[place].lower(), list(words[place + 1 :])
    if "n't" in rest[:1] or not rest:
        raise NotReversibleError(_UNKNOWN_QUESTION)
    if auxiliary in _BE:
        if rest[0].lower() == "there" or rest[:2] == ["now", "there"]:
            rest = rest[1:] if rest[0].lower() == "there" else rest[2:]
            return " ".join(["there", auxiliary, amount, *thing, *rest])
        if rest[0].lower() in {*_PRONOUNS, "that", "this"} or phrase is not None:
            raise NotReversibleError(_UNKNOWN_QUESTION)
        return " ".join([amount, *thing, auxiliary, *rest])
    if auxiliary in _MODALS and rest[:2] == ["there", "be"]:
        return " ".join(["there", auxiliary, "be", amount, *thing, *rest[2:]])
    if auxiliary in _MODALS and rest[0].lower() == "be":
        return " ".join([amount, *thing, auxiliary, *rest])
    subject, verb, tail = _subject_and_verb(rest)
    if not subject:
        if auxiliary in _MODALS:
            return " ".join([amount, *thing, auxiliary, *rest])
        raise NotReversibleError(_UNKNOWN_QUESTION)
    chain, tail = _statement_verb(auxiliary, verb, tail)
    return " ".join([*subject, *chain, amount, *thing, *tail])


def _statement_verb(auxiliary: str, verb: Sequence[str], tail: list[str]) -> tuple[list[str], list[str]]:
    """Return a question's verb in the form of a statement, such as "need to buy" or "went out", and what follows."""
    conjugated = {"did": past_of, "does": third_person}.get(auxiliary, str)(verb[-1])
    chain = [*verb[:-1], auxiliary, verb[-1]] if auxiliary in _MODALS else [*verb[:-1], conjugated]
    while len(tail) > 1 and tail[0] == "to" and tail[1].lower() in BASES | {"be"}:  # need to buy
        chain, tail = [*chain, *tail[:2]], tail[2:]
    if tail and all(word.lower() in _TRAILING for word in tail[:2]):
        particles = 2 if len(tail) > 1 else 1
        chain, tail = [*chain, *tail[:particles]], tail[particles:]
    elif tail and (tail[0].lower() in _PARTICLES or tail[1:2] in (["altogether"], ["total"], ["now"])):
        chain, tail = [*chain, tail[0]], tail[1:]
    if tail[-1:] and tail[-1].lower() in ("with", "for", "into", "on", "to", "it"):
        raise NotReversibleError(_UNKNOWN_QUESTION)
    return chain, tail


def _subject_and_verb(words: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the subject, the adverbs with the verb's base form, and the rest; the subject is empty if not found."""
    for place, word in enumerate(words[: _LONGEST_SUBJECT + 2]):
        if word.lower() in BASES and place:
            start = place
            while start > 1 and words[start - 1].lower() in _ADVERBS:
                start -= 1
            _check_subject(words[:start])
            return list(words[:start]), list(words[start : place + 1]), list(words[place + 1 :])
    return [], [], []


def _check_subject(words: Sequence[str]) -> None:
    """Reject what is more than a subject: "at the fair Ann", "the next day she"."""
    low = [word.lower() for word in words]
    if low[0] in _BEFORE_SUBJECTS - {"each"} or _INSIDE_NO_SUBJECT & set(low[1:]) or len(low) > _LONGEST_SUBJECT:
        raise NotReversibleError(_UNKNOWN_SENTENCE)


def asking_question(clause: str, start: int, end: int) -> str:
    """Turn a sentence into the question for the number at ``clause[start:end]``.

    >>> asking_question("Ann bought 7 red pens at the shop", 11, 12)
    'how many red pens did Ann buy at the shop'
    >>> asking_question("there are 4 boxes on the table", 10, 11)
    'how many boxes are there on the table'

    Raises:
        NotReversibleError: the sentence has none of the known shapes.
    """
    before, after = clause[:start].split(), clause[end:].split()
    if before and before[0].lower() in _NO_NAMES:
        before[0] = before[0].lower()
    if (clause[:start] and clause[start - 1] not in " $") or (clause[end:] and clause[end] != " "):
        raise NotReversibleError("the number is part of a word")
    if re.search(r"\d", " ".join([*before, *after])):
        raise NotReversibleError("the sentence has several numbers")
    if after[:2] in (["times", "as"], ["times", "more"], ["times", "the"], ["times", "fewer"]):
        raise NotReversibleError("the number compares")
    if before and before[-1] in ("if", "If"):
        before = before[:-1]
    is_price = bool(before) and before[-1] == "$"
    opening = ["how", "much"] if is_price else ["how", "many"]
    before = before[:-1] if is_price else before
    phrase, tail = ([], after) if is_price else _noun_phrase(after)
    if any(word.lower() in _JOINING for word in [*before, *tail]):
        raise NotReversibleError("the sentence has several parts")
    opening += phrase
    if not before:
        if not phrase or not tail:
            raise NotReversibleError(_UNKNOWN_SENTENCE)
        return " ".join([*opening, *tail])
    return _inverted(opening, before, tail)


def _noun_phrase(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that belong to a number, and those after them."""
    phrase: list[str] = []
    for word in words:
        low = word.lower()
        ends = low in _PHRASE_ENDS and not (low == "more" and not phrase)
        is_verb = bool(phrase) and bool(base_of_past(low)) and phrase[-1].lower() != "of"
        if ends or is_verb or len(phrase) >= _LONGEST_PHRASE:
            break
        phrase.append(word)
    return phrase, list(words[len(phrase) :])


def _inverted(asked: Sequence[str], before: Sequence[str], tail: Sequence[str]) -> str:
    """Return the question for a number after a subject and a verb."""
    place, auxiliary, verb = _question_verb(before)
    subject, middle = list(before[:place]), list(before[place + 1 :])
    while middle and middle[-1].lower() in _ADVERBS:
        middle.pop()
    if subject[:1] and subject[0].lower() in ("now", "then", "later"):
        subject.pop(0)
    if not subject or len(middle) > _MOST_BETWEEN:
        raise NotReversibleError(_UNKNOWN_SENTENCE)
    _check_subject(subject)
    if [word.lower() for word in subject] in (["the"], ["a"], ["each"]):
        raise NotReversibleError(_UNKNOWN_SENTENCE)
    if middle and middle[-1].lower() in _BEFORE_NOUNS:
        raise NotReversibleError(_UNKNOWN_SENTENCE)
    participles = [word for word in middle if word.lower() not in _ADVERBS]
    if verb == ["have"] and participles and (base_of_past(participles[0].lower()) or participles[0] == "been"):
        auxiliary, verb = [before[place].lower()], []
    return " ".join([*asked, *auxiliary, *subject, *verb, *middle, *tail])


def _question_verb(before: Sequence[str]) -> tuple[int, list[str], list[str]]:
    """Return the verb's index, the auxiliary of the question, and the verb's base form unless it is the auxiliary."""
    for place, word in enumerate(before):
        low = word.lower()
        if low in _BE | _MODALS:
            auxiliary, verb = [low], []
        elif base := base_of_past(low):
            auxiliary, verb = ["did"], [base]
        elif base := base_of_present(low):
            auxiliary, verb = ["does"], [base]
        elif low in BASES and place and _is_plural(before[place - 1].lower()):
            auxiliary, verb = ["do"], [low]
        else:
            continue
        if place or (low in _BE and before[0].lower() == "there"):
            return place, auxiliary, verb
    raise NotReversibleError(_UNKNOWN_SENTENCE)


def _is_plural(word: str) -> bool:
    """Return whether a subject that ends with this word takes a verb in its base form."""
    return word in ("they", "we", "you", "i", "people", "children") or (word.endswith("s") and not word.endswith("'s"))


def rebuild(statements: Sequence[Statement], place: int, statement: str, question: str) -> str:
    """Replace a sentence by the statement, and put the question at the end."""
    if place == 0:
        statement, question = _named_first(statements[0].text, statement, question)
    spaced = " " if statements[-1].mark.startswith(" ") else ""
    story = [(clause.text, clause.mark) for clause in statements[:-1]]
    story[place] = (statement, f"{spaced}.")
    capital = any(character.isupper() for clause in statements for character in clause.text)
    sentences = [*story, (question, f"{spaced}?")]
    return " ".join(f"{_capital(body) if capital else body}{mark}" for body, mark in sentences)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _named_first(first: str, statement: str, question: str) -> tuple[str, str]:
    """Move a person's name from the question to the first sentence."""
    pronoun = statement.split()[0].lower()
    name = first.split()[0]
    if pronoun not in ("he", "she") or name.lower() in _NO_NAMES | _BEFORE_SUBJECTS or name.endswith("."):
        return statement, question
    if f" {name} " not in f" {question} ":
        return statement, question
    rest = statement.split()[1:]
    renamed = [pronoun if word == name else word for word in question.split()]
    return " ".join([name, *rest]), " ".join(renamed)
