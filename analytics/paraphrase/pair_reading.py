r"""Read pairs with an exported cross-encoder, and find the words that it marks as changed. Torch-free.

Equal quantities are first written in equal words, so that the comparison sees no false differences.
`canonical_quantities` unifies different spellings: clock times ("3:00 pm", "15:00"), durations in hours and
minutes ("an hour and a half", "1 h 30 min", "90 minutes"), bounds ("5 or more", "at least 5"), per cent, and
formula symbols (``\ge``, ">="). `in_words_of` then writes each quantity of a paraphrase as in its original:
1500 m as 1.5 km.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from analytics.inference.encode import batches_by_length, padded_arrays, shared_tokenizer
from analytics.inference.onnx import GraphSession, open_session
from analytics.language.en.numbers import english_value
from analytics.languages import language_of
from analytics.paraphrase.findings.pair import Finding, Words, align_quantities
from analytics.paraphrase.words.reading import read
from analytics.paraphrase.words.wording import overlaps

Span = tuple[int, int]


@dataclass(frozen=True)
class Rewritten:
    """A text in which some spans were rewritten.

    Attributes:
        text: the rewritten text.
        pieces: (start and end before, start and end now) of each changed span, in order.
    """

    text: str
    pieces: tuple[tuple[int, int, int, int], ...] = ()

    def span_before(self, start: int, end: int) -> Span:
        """Return the original span of a span in the new text; a changed span counts as a whole."""
        return self._before(start, is_end=False), self._before(end, is_end=True)

    def _before(self, place: int, *, is_end: bool) -> int:
        at = bisect_right([piece[2] for piece in self.pieces], place) - 1
        if at < 0:
            return place
        start, end, new_start, new_end = self.pieces[at]
        if place == new_start and is_end:
            return start
        if place < new_end:
            return end if is_end else start
        return end + place - new_end


def rewritten(text: str, edits: list[tuple[int, int, str]]) -> Rewritten:
    """Return a text with spans replaced.

    Args:
        text: any text.
        edits: start, end and replacement of non-empty spans; edits that overlap an earlier one are ignored.
    """
    parts: list[str] = []
    pieces: list[tuple[int, int, int, int]] = []
    done = length = 0
    for start, end, new in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start < done or text[start:end] == new:
            continue
        length += start - done
        parts += [text[done:start], new]
        pieces.append((start, end, length, length + len(new)))
        length += len(new)
        done = end
    return Rewritten("".join((*parts, text[done:])), tuple(pieces))


_N = r"(?P<n>\d[\d,]*(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a dozen|twenty)"
_HOUR, _MINUTE = r"(?:hours?|hrs?|h)\b", r"(?:minutes?|mins?|min)\b"
_NO_UNIT = r"(?![\w$%]|\.\d)"


_ENDS_SENTENCE = re.compile(r"\.\s*(?:$|[A-Z])")


def _minutes(value: Fraction) -> str:
    return f"{value} minutes" if value.denominator == 1 else f"{float(value):g} minutes"


def _number(text: str) -> Fraction:
    plain = text.replace(",", "")
    if plain[0].isdigit():
        return Fraction(plain)
    return english_value(text) or Fraction(1)


Make = Callable[[re.Match[str]], str]
_RULES: tuple[tuple[str, re.Pattern[str], Make], ...] = tuple(
    (trigger, re.compile(pattern, re.IGNORECASE), make)
    for trigger, pattern, make in (
        ("quarter", r"\b(?:a|one) quarter of an hour\b|\ba quarter[- ]hour\b", lambda _: "15 minutes"),
        ("quarter", r"\bthree[- ]quarters of an hour\b", lambda _: "45 minutes"),
        ("quarter", r"\bquarter of an hour\b", lambda _: "15 minutes"),
        ("half", r"\b(?:half an hour|a half[- ]hour|one half hour|half hour)\b", lambda _: "30 minutes"),
        ("and a half", r"\b(?:an|one) hour and a half\b|\b(?:one|1) and a half hours\b", lambda _: "90 minutes"),
        ("and a half", rf"\b{_N} and a half hours\b", lambda m: _minutes(_number(m["n"]) * 60 + 30)),
        (
            "h",
            rf"\b(?:{_N}|an) {_HOUR},? (?:and )?(?P<m>\d+) {_MINUTE}|\b(?P<h>\d+) ?{_HOUR} ?(?P<m2>\d+) ?{_MINUTE}",
            lambda m: _minutes(_number(m["n"] or m["h"] or "1") * 60 + _number(m["m"] or m["m2"])),
        ),
        ("or more", rf"\b{_N} or more\b", lambda m: f"at least {m['n']}"),
        ("or ", rf"\b{_N} or (?:less|fewer)\b", lambda m: f"at most {m['n']}"),
        ("m", r"\b(?:no more than|not more than|a maximum of|up to and including)\b", lambda _: "at most"),
        ("n", r"\b(?:no less than|no fewer than|not less than|not fewer than|a minimum of)\b", lambda _: "at least"),
        ("", r"\s?(?:\bper cent\b|\bpercent\b|\\%)", lambda _: "%"),
        ("", r"\\(?:leq?|leqslant)(?![a-z])|<=", lambda _: "≤"),
        ("", r"\\(?:geq?|geqslant)(?![a-z])|>=", lambda _: "≥"),
        ("\\lt", r"\\lt(?![a-z])", lambda _: "<"),
        ("\\gt", r"\\gt(?![a-z])", lambda _: ">"),
        ("\\", r"\\(?:times|cdot)(?![a-z]) ?", lambda _: "× "),
        ("\\div", r"\\div(?![a-z]) ?", lambda _: "÷ "),
        ("", r"\^\{?\\circ\}?|\s?\bdegrees\b", lambda _: "°"),
        ("frac", r"\\[dt]?frac ?\{(?P<a>[^{}]*)\}\{(?P<b>[^{}]*)\}", lambda m: _fraction(m["a"], m["b"])),
        ("sqrt", r"\\sqrt\{(?P<r>[^{}]*)\}", lambda m: f"√({m['r']})"),
        ("{", r"(?<=[\^_])\{(?P<s>\w)\}", lambda m: m["s"]),
        ("\\", r"\\(?:left|right)(?![a-z])|\\[,;!]", lambda _: ""),
    )
)  # fmt: skip


def _fraction(top: str, bottom: str) -> str:
    return "/".join(part if re.fullmatch(r"\w+", part) else f"({part})" for part in (top, bottom))


def canonical_quantities(text: str) -> Rewritten:
    """Return the text with clock times, durations, bounds and signs in canonical spelling.

    >>> canonical_quantities("From 3:00 pm, an hour and a half for 5 or more.").text
    'From 15:00, 90 minutes for at least 5.'
    """
    edits = [
        (time.start, time.end, f"{time.minutes // 60 % 24}:{time.minutes % 60:02d}")
        for time in language_of(text).numbers.find_clock_times(text)
        if time.end > time.start
    ]
    edits = [(start, end - (_ENDS_SENTENCE.match(text, end - 1) is not None), new) for start, end, new in edits]
    lowered = text.lower()
    for trigger, pattern, make in _RULES:
        if trigger not in lowered:
            continue
        edits += [(match.start(), match.end(), make(match)) for match in pattern.finditer(text)]
    return rewritten(text, edits)


def in_words_of(original: str, paraphrase: str) -> Rewritten:
    """Return the paraphrase with each quantity that equals one in the original written as it is there.

    >>> in_words_of("It is 1.5 km long.", "Its length is 1500 m.").text
    'Its length is 1.5 km.'
    """
    before, after = read(original), read(paraphrase)
    if [quantity.text for quantity in before.quantities] == [quantity.text for quantity in after.quantities]:
        return Rewritten(paraphrase)
    return rewritten(
        paraphrase,
        [
            (match.paraphrase.start, match.paraphrase.end, match.original.text)
            for match in align_quantities(before, after).matches
            if match.original.text.lower() != match.paraphrase.text.lower()
        ],
    )


GRAPH_NAME, WEIGHTS_NAME = "pairs.onnx", "pair_reader.safetensors"
PAIR_TOKENS = 256
"""Maximum tokens of both texts together; longer pairs are not read."""

_BATCH_TOKENS = 4096
_WORD = re.compile(r"\$[^$\s]*|[^\W_]+(?:['’.,/][^\W_]+)*|[^\w\s]")
_CHANGED = 0.0  # log-odds above which a word counts as changed

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairReading:
    """A cross-encoder's output for a pair.

    Attributes:
        log_odds: log-odds that the pair is valid.
        original, paraphrase: spans of the words that differ in meaning from the other text.
    """

    log_odds: float
    original: tuple[Span, ...] = ()
    paraphrase: tuple[Span, ...] = ()


@dataclass(frozen=True)
class _Side:
    """One order of a pair: the tokenised text, and how its positions map back to the input."""

    tokens: Encoding
    first: tuple[Rewritten, ...]
    second: tuple[Rewritten, ...]


class ServedPairReader:
    """An exported cross-encoder. Thread-safe."""

    def __init__(self, tokenizer: Tokenizer, session: GraphSession, pad_id: int) -> None:
        self._tokenizer, self._session, self._pad_id = tokenizer, session, pad_id

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[PairReading | None]:
        """Read pairs of (original, paraphrase); None for a pair that is longer than `PAIR_TOKENS`."""
        sides = [side for pair in pairs for side in self._sides(*pair)]
        lengths = [len(side.tokens.ids) for side in sides]
        is_short = [max(lengths[row : row + 2]) <= PAIR_TOKENS for row in range(0, len(lengths), 2)]
        rows = [row for row in range(len(sides)) if is_short[row // 2]]
        tables = dict(zip(rows, self._tables([sides[row].tokens.ids for row in rows]), strict=True))
        readings: list[PairReading | None] = []
        for number, (original, paraphrase) in enumerate(pairs):
            if not is_short[number]:
                readings.append(None)
                continue
            there, back = sides[2 * number : 2 * number + 2]
            table, back_table = tables[2 * number], tables[2 * number + 1]
            first = _letters(original, there, table, 0) + _letters(original, back, back_table, 1)
            second = _letters(paraphrase, there, table, 1) + _letters(paraphrase, back, back_table, 0)
            readings.append(
                PairReading(
                    float(table[0] + back_table[0]) / 2,
                    _changed_words(original, first / 2),
                    _changed_words(paraphrase, second / 2),
                )
            )
        return readings

    def is_too_long(self, original: str, paraphrase: str) -> bool:
        """Return whether a pair is longer than `PAIR_TOKENS`."""
        return any(len(side.tokens.ids) > PAIR_TOKENS for side in self._sides(original, paraphrase))

    def _sides(self, original: str, paraphrase: str) -> tuple[_Side, _Side]:
        one, two = canonical_quantities(original), canonical_quantities(paraphrase)
        two_as_one, one_as_two = in_words_of(one.text, two.text), in_words_of(two.text, one.text)
        return (
            _Side(self._tokenizer.encode(one.text, two_as_one.text), (one,), (two, two_as_one)),
            _Side(self._tokenizer.encode(two.text, one_as_two.text), (two,), (one, one_as_two)),
        )

    def _tables(self, rows: Sequence[Sequence[int]]) -> list[Array]:
        """Return the log-odds of each row's tokens; the first is that of the whole pair."""
        tables: list[Array] = [np.zeros(0)] * len(rows)
        for members in batches_by_length([len(row) for row in rows], tokens=_BATCH_TOKENS):
            ids, mask = padded_arrays([rows[member] for member in members], self._pad_id)
            out = self._session.run(ids, mask)
            for line, member in enumerate(members):
                tables[member] = out[line, : len(rows[member])].astype(np.float64)
        return tables


def _letters(text: str, side: _Side, table: Array, segment: int) -> Array:
    """Return the log-odds of each character of the original text, -10 where there is no token."""
    letters = np.full(len(text), -10.0)
    rewritings = side.second if segment else side.first
    for (start, end), of, odds in zip(side.tokens.offsets, side.tokens.sequence_ids, table, strict=True):
        if of != segment:
            continue
        for rewriting in reversed(rewritings):
            start, end = rewriting.span_before(start, end)
        letters[start:end] = np.maximum(letters[start:end], odds)
    return letters


def _changed_words(text: str, letters: Array) -> tuple[Span, ...]:
    """Return the words in which any letter counts as changed, merging adjacent ones."""
    spans: list[Span] = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        if letters[start:end].max() <= _CHANGED:
            continue
        if spans and not text[spans[-1][1] : start].strip():
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return tuple(spans)


def load_served_pair_reader(folder: Path, sha256: str, pad_id: int) -> ServedPairReader:
    """Load the cross-encoder of a scorer's folder.

    Args:
        folder: the folder with its graph and tokenizer.
        sha256: SHA-256 of the graph.
        pad_id: token id used for padding.

    Raises:
        ArtifactError: its files cannot be read.
    """
    session = open_session(folder / GRAPH_NAME, sha256)
    return ServedPairReader(shared_tokenizer(folder), session, pad_id)


_MOST_PLACES = 3  # changed places in a text; with more, the model indicates nothing specific


def with_changed_words(
    findings: Sequence[Finding], reading: PairReading | None, original: str, paraphrase: str
) -> tuple[Finding, ...]:
    """Return the findings, adding words that the reading of an invalid pair marks if no finding locates any yet.

    Args:
        findings: the rules' findings.
        reading: the reading of the pair, if available.
        original, paraphrase: both texts.
    """
    if reading is None or reading.log_odds > 0:
        return tuple(findings)
    serious = [finding for finding in findings if finding.is_serious]
    taken = [finding.original for finding in serious if finding.original]
    new_taken = [finding.paraphrase for finding in serious if finding.paraphrase]
    places = [span for span in reading.original if not overlaps(*span, taken)]
    new_places = [span for span in reading.paraphrase if not overlaps(*span, new_taken)]
    if max(len(places), len(new_places)) > _MOST_PLACES:
        return tuple(findings)
    words = [Words.at(place, original) for place in places]
    new_words = [Words.at(place, paraphrase) for place in new_places]
    if len(words) == len(new_words) == 1 and words[0].text.lower() != new_words[0].text.lower():
        sentence = f"“{words[0].text}” became “{new_words[0].text}”."
        return (*findings, Finding.of("wording", sentence, words[0], new_words[0]))
    said, new_said = ({word.text.lower() for word in side} for side in (words, new_words))
    missing = "The paraphrase does not say “{}” in the same sense."
    added = "The original does not say “{}” in the same sense."
    return (
        *findings,
        *(
            Finding.of("wording", missing.format(word.text), word, None)
            for word in words
            if word.text.lower() not in new_said
        ),
        *(
            Finding.of("wording", added.format(word.text), None, word)
            for word in new_words
            if word.text.lower() not in said
        ),
    )
