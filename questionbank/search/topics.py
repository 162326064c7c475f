"""Names of topics in German, French, Spanish and Chinese, and the concepts with questions on a topic.

A search in one of these languages is rewritten with the English names of its topics from `topics.toml`: "Brüche
addieren" becomes "adding and subtracting fractions". Words are compared without accents, capitals and endings; in
German compounds both parts count: "Kegelvolumen" is "cone volume".
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files

from rapidfuzz import process
from rapidfuzz.distance import OSA

from analytics.language.en.words import word_family
from analytics.languages import CHINESE
from analytics.text.tokens import search_tokens
from questionbank.search.query import Vocabulary, is_english

Key = tuple[str, ...]  # folded words of a name

_LONGEST = 5  # words of a name that count
_ENDINGS = "ensrxm"  # letters that endings consist of, in all three languages
_SHORTEST_STEM = 4
_SHORTEST_MISSPELT = 6
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ELIDED = re.compile(r"\b(?:[ldnsjcm]|qu)['’]", re.IGNORECASE)  # "l'aire"
_LITTLE: Mapping[str, frozenset[str]] = {  # conjunctions, and words that only ask for questions
    "de": frozenset(
        str.split(
            """
            der die das den dem des ein eine einen einem einer und oder mit von vom zu zum zur im in am an auf für bei
            aus nach über durch als wie aufgabe aufgaben übung übungen arbeitsblatt klassenarbeit klausur test mathe
            mathematik lösen löse berechnen berechne bestimmen umwandeln beispiel beispiele thema einfache prüfung
            """
        )
    ),
    "fr": frozenset(
        str.split(
            """
            le la les un une des du de et ou en au aux à avec pour par sur dans d l exercice exercices problème
            calculer résoudre déterminer trouver évaluation contrôle devoir maths mathématiques fiche simple convertir
            transformer
            """
        )
    ),
    "es": frozenset(
        str.split(
            """
            el la los las un una unos unas de del y o en al a con para por sobre ejercicio ejercicios calcular resolver
            hallar problema examen ficha matemáticas mates hoja convertir pasar transformar
            """
        )
    ),
    "zh": frozenset(
        "的 与 和 及 求 练习题 练习 题目 习题 试题 计算 解法 例题 问题 数学 关于 有关 怎么 如何".split()
    ),
}  # fmt: skip
_TELLING_WORDS: Mapping[str, frozenset[str]] = {  # words that identify the language of a search
    "de": frozenset(str.split("abitur abi oberstufe klasse klassenarbeit klausur aufgaben übungen mit und für")),
    "fr": frozenset(str.split("brevet lycée collège terminale seconde exercices exercice avec et du des les")),
    "es": frozenset(str.split("eso bachillerato primaria ejercicios ejercicio con y del los las")),
}
_TURNING = frozenset(
    str.split("umwandeln umrechnen umformen convertir conversion conversión transformer transformar pasar")
)
_INTO: Mapping[str, frozenset[str]] = {  # prepositions between two names: "Brüche in Dezimalzahlen"
    "de": frozenset({"in", "zu", "nach"}),
    "fr": frozenset({"en"}),
    "es": frozenset({"a", "en"}),
}
_CHINESE_INTO = re.compile("化成|化为|转化为|换算成|化")
_GENERIC_TAILS = frozenset(  # second parts of German compounds that do not identify the topic
    str.split(
        "aufgabe aufgaben übung übungen rechnung rechnungen rechnen berechnung berechnungen problem probleme test"
        " arbeit blatt lehre regel regeln klausur training textaufgaben"
    )
)
_LINKS = ("", "s", "es", "n", "en", "e", "er")  # between the parts of a compound


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic.

    Attributes:
        name: in English.
        names: all of its English names.
        found_in: names of the concepts with questions on it.
    """

    name: str
    names: tuple[str, ...]
    found_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Translated:
    """A search with its topics in English.

    Attributes:
        language: the language it was typed in.
        names: each topic as typed, by its English name.
    """

    text: str
    language: str
    names: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    text: str
    key: str


@cache
def topics() -> tuple[Topic, ...]:
    """Return all topics."""
    return tuple(topic for topic, _names in _entries())


def translated(text: str, vocabulary: Vocabulary, names: Collection[str] = frozenset()) -> Translated | None:
    """Return a search with its topics in English; None if it names none in another language.

    A name made of English words only does not count as foreign.

    Args:
        vocabulary: the bank's words, which are not misspelt.
        names: words of concepts' names, as candidates for corrections.
    """
    if CHINESE.marks.search(text):
        return _from_chinese(text)
    found = [
        (sum(end - start for start, end, _english in spans) + _little(text, language), language, words, spans)
        for language in ("de", "fr", "es")
        if (words := _words(text, language, vocabulary, names))
        and (spans := list(_spans(words, language)))
        and _is_foreign(text, words, spans, language, names)
    ]
    if not found:
        return None
    _size, language, words, spans = max(found, key=lambda one: one[0])
    return _rewritten(text, language, words, spans)


def _from_chinese(text: str) -> Translated | None:
    pieces: list[str] = []
    names: dict[str, str] = {}
    place = 0
    while place < len(text):
        name = next((name for name in _chinese_names() if text.startswith(name, place)), "")
        if name and (len(name) > 1 or _stands_alone(text, place)):
            english = _names("zh")[(name,)]
            names[english] = name
            pieces.append(f" {english} ")
            place += len(name)
        else:
            pieces.append(text[place])
            place += 1
    if not names:
        return None
    kept = _CHINESE_INTO.sub(" to ", "".join(pieces))
    for word in sorted(_LITTLE["zh"], key=len, reverse=True):
        kept = kept.replace(word, " ")
    return Translated(" ".join(kept.split()), "zh", names)


def _stands_alone(text: str, place: int) -> bool:
    around = text[max(0, place - 1) : place] + text[place + 1 : place + 2]
    return all(not CHINESE.marks.match(letter) or letter in _LITTLE["zh"] for letter in around)


def _words(text: str, language: str, vocabulary: Vocabulary, names: Collection[str]) -> list[_Word]:
    """Return the words of a search that may belong to names, with spelling mistakes corrected."""
    words = []
    for match in _WORD.finditer(text):
        elided = _ELIDED.match(match[0])
        start = match.start() + (elided.end() if elided else 0)
        word = text[start : match.end()]
        if word.casefold() not in _LITTLE[language]:
            words.append(_Word(start, match.end(), word, _meant(word, language, vocabulary, names)))
    return words


def _meant(word: str, language: str, vocabulary: Vocabulary, names: Collection[str]) -> str:
    key = folded(word)
    known = _known_words(language)
    if key in known or len(key) < _SHORTEST_MISSPELT or not _is_unknown(word, vocabulary):
        return key
    if vocabulary.corrections(word.casefold(), names=names) or (language == "de" and _parts(key)):
        return key
    near = process.extractOne(key, known, scorer=OSA.distance, score_cutoff=1 + (len(key) > 8))
    return str(near[0]) if near else key


def _spans(words: Sequence[_Word], language: str) -> Iterator[tuple[int, int, str]]:
    """Yield names, the longest first at each position: indices of their first and last word, and the English name."""
    names = _names(language)
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST, len(words) - place), 0, -1):
            key = tuple(word.key for word in words[place : place + size])
            english = names.get(key) or (_compound(key[0]) if language == "de" and size == 1 else "")
            if english:
                yield place, place + size, english
                place += size
                break
        else:
            place += 1


def _is_foreign(
    text: str, words: Sequence[_Word], spans: Sequence[tuple[int, int, str]], language: str, names: Collection[str]
) -> bool:
    """Return whether a name has a non-English word, or the search also has a word typical of the language."""
    named = [word.text for start, end, _english in spans for word in words[start:end]]
    beside = [word for word in _WORD.findall(text) if word.casefold() in _TELLING_WORDS[language]]
    return bool(beside) or any(
        not is_english(word) and not any(form in names for token in search_tokens(word) for form in word_family(token))
        for word in named
    )


def _little(text: str, language: str) -> int:
    return sum(word.casefold() in _LITTLE[language] for word in _WORD.findall(_ELIDED.sub(" ", text)))


def _is_unknown(word: str, vocabulary: Vocabulary) -> bool:
    return not is_english(word) and not any(vocabulary.count(token) for token in search_tokens(word))


def _rewritten(text: str, language: str, words: Sequence[_Word], spans: Sequence[tuple[int, int, str]]) -> Translated:
    pieces: list[str] = []
    names: dict[str, str] = {}
    done = 0
    is_turned = any(word.casefold() in _TURNING for word in _WORD.findall(text))
    for start, end, english in spans:
        first, last = words[start].start, words[end - 1].end
        into = is_turned and done and text[done:first].strip().casefold() in _INTO[language]
        pieces += ["to" if into else _without_little_words(text[done:first], language), english]
        names[english] = text[first:last]
        done = last
    pieces.append(_without_little_words(text[done:], language))
    return Translated(" ".join(" ".join(pieces).split()), language, names)


def _without_little_words(text: str, language: str) -> str:
    text = _ELIDED.sub(" ", text) if language == "fr" else text
    return _WORD.sub(lambda match: "" if match[0].casefold() in _LITTLE[language] else match[0], text)


def folded(word: str) -> str:
    """Return a word without accents, capitals and German, French or Spanish endings.

    >>> [folded(word) for word in ("Brüche", "Brüchen", "Bruch", "équations", "Flaeche", "Fläche")]
    ['bruch', 'bruch', 'bruch', 'equatio', 'flach', 'flach']
    """
    plain = unicodedata.normalize("NFKD", word.casefold().replace("-", ""))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    plain = plain.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    while len(plain) > _SHORTEST_STEM and plain[-1] in _ENDINGS:
        plain = plain[:-1]
    return plain


def _compound(key: str) -> str:
    """Return the English names of both parts of a German compound; empty if one is not known."""
    if parts := _parts(key):
        head, tail = parts
        return " ".join(filter(None, (_names("de")[(head,)], _names("de").get((tail,), ""))))
    return ""


@lru_cache(maxsize=1_000)
def _parts(key: str) -> tuple[str, str] | None:
    """Return the folded parts of a compound, with the longest known first part."""
    names = _names("de")
    generic = {folded(tail) for tail in _GENERIC_TAILS}
    for end in range(len(key) - 3, 2, -1):
        tail = folded(key[end:])
        if (tail,) not in names and tail not in generic:
            continue
        for link in _LINKS:
            head = folded(key[:end].removesuffix(link)) if key[:end].endswith(link) else ""
            if (head,) in names:
                return head, tail
    return None


@cache
def _names(language: str) -> Mapping[Key, str]:
    """Return the English names by folded words in a language; a Chinese name is a single word."""
    names: dict[Key, str] = {}
    for topic, by_language in _entries():
        for name in by_language.get(language, ()):
            key = (name,) if language == "zh" else _key(name, language)
            names.setdefault(key, topic.name)
    return names


def _key(name: str, language: str) -> Key:
    words = [_ELIDED.sub("", word) for word in _WORD.findall(name)]
    telling = [word for word in words if word.casefold() not in _LITTLE[language]]
    return tuple(folded(word) for word in telling or words)


@cache
def _known_words(language: str) -> Collection[str]:
    return frozenset(word for key in _names(language) for word in key)


@cache
def _chinese_names() -> Sequence[str]:
    return sorted((name for (name,) in _names("zh")), key=len, reverse=True)


@cache
def _entries() -> Sequence[tuple[Topic, Mapping[str, tuple[str, ...]]]]:
    table = tomllib.loads(files("questionbank.search").joinpath("topics.toml").read_text(encoding="utf-8"))
    entries = []
    for key, values in table.items():
        names = _listed(key)
        by_language = {language: _listed(value) for language, value in values.items() if language != "in"}
        entries.append((Topic(names[0], names, _listed(values.get("in", ""))), by_language))
    return entries


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())
