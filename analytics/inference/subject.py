"""Detect whether a text looks like a mathematics question, unlike a letter to parents or a history question.

It is a logistic regression on signs of the text (`subject_signs`) and on its hashed character n-grams. It
does not use an encoder's vectors, so it works the same with every encoder (comparison in decision 141).
``python -m worker.subject`` fits it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from analytics.analysed_text import is_invented
from analytics.inference.encode import HashedNgramEncoder
from analytics.languages import evident_language

NOT_MATHEMATICS = "This does not look like a mathematics question."
WEIGHTS = Path(__file__).with_name("subject.npz")
LANGUAGES = frozenset({"en", "de", "fr", "es", "zh"})
"""Languages that it was trained on; texts in other languages are never rejected."""

THRESHOLD, THRESHOLD_UNREAD = 0.4, 0.1
"""Probability below which a text is not mathematics: in one of the languages, and if the language is unclear."""

NGRAMS = 4096
NGRAM_SCALE = 5.0  # rows of unit length have entries of about 1 / sqrt(n-grams)
_LONGEST = 2_000  # characters that are read

_LATEX = re.compile(r"\$|\\[a-zA-Z]{2,}|\\[(\[]")
_OPERATION = re.compile(
    r"\d\s*[+×÷*^=<>≤≥√]|\d\s?[xX]\s?\d|\d\s*[-−]\s*\(|[+×÷^=<>≤≥√]\s*\d|\d\s+[-−–/:]\s+\d"
    r"|\b[a-z]\s*[=+^²³<>≤≥]|[a-zA-Z][²³]|\b\d+[a-fhi-kn-z]\b"
    r"|(?:\d+(?:\.\d+)?\s?[,;]\s?){3}(?:\d|_|\.\.|…)|\b[a-zA-Z]\([a-zA-Z0-9]\)"
    r"|\b(?:sqrt|gcd|lcm|log|ln|sin|cos|tan|lim|det)\b|\d!|\d\s?°(?!\s?[CF])"
    r"|[-−]\s?[-−]\s?\d|\(\s?[-−]?\d+\s?,\s?[-−]?\d+\s?\)|[√π∞∑∫≤≥≠±∪∩∈∠△⊥≅⇒]|\b\d+/\d+\b(?!/)"
)
_SHARE = re.compile(r"\d\s?(?:%|per cent)|[€£¥]|\$\s?\d")
_QUANTITY = re.compile(
    r"\bhow (?:many|much|long|far|old|tall|high|big|fast|heavy|wide|deep|often|few)\b"
    r"|\bwhat (?:time|day|percent|percentage|fraction|number)\b|\bat what\b"
    r"|\bwhat(?:'s| is| was| are| will| would)(?: be)? (?:(?:the|his|her|its|their|your) )?(?:total|new|cost|price"
    r"|length|height|weight|width|perimeter|greatest|smallest|combined|percentage|ratio|sum|value|duration|rate"
    r"|temperature|difference between|equivalent|distance|area|average|probability)\b"
    r"|\bwhen (?:does|will|did) (?:it|he|she|they)\b"
    r"|\bwie ?(?:viele?|lange|alt|groß|hoch|weit|teuer|schwer)|\bum wie ?viel|\bcombien"
    r"|\bquel(?:le)? (?:est|sera) (?:la|le|son|sa) (?:nouveau|prix|durée|longueur|nombre)|cuánt|多少|几|多长|多高|多重"
)
_OTHER_QUESTION = re.compile(
    r"\b(?:who|whose|whom|where|why|which (?:country|river|city|ocean|continent|king|queen|animals?|word|gas|element"
    r"|organ|planet|festival|author)|wer|wo|warum|wieso|qui|où|pourquoi|quién|dónde|por qué)\b|谁|哪[里儿位国]|为什么"
)
_DESCRIBES = re.compile(
    r"\b(?:describe|discuss|summari[sz]e|rewrite|underline|compare|name|label|explain|list"
    r"|give (?:one|two|three|a) (?:reason|advantage|example|cause)s?|beschreibe|nenne|erkläre|unterstreiche|décri[st]"
    r"|cite[rz]?|nomme|explique|souligne|nombra|subraya|explica)\b|简述|说说|谈谈"
)
_ASKS = re.compile(
    r"[?？=]|_{2,}|[求算]|[(（]\s*[)）]|\b(?:find|solve|calculate|work out|evaluate|show that|prove|write|draw|state"
    r"|simplify|determine|round|express|convert|complete|estimate|berechne|bestimme|löse|zeige|zeichne|calcule|résou"
    r"|démontr|détermin|trace|halla|resuelve|demuestra|dibuja)"
)
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d\b|\d\s?h\s?\d\d|\d点|\d ?[ap]\.?m\b")
_DATE = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|januar|februar|märz|juni|juli|oktober|dezember|montag|dienstag|mittwoch|donnerstag"
    r"|freitag|samstag|janvier|février|mars|avril|juin|juillet|août|septembre|lundi|mardi|mercredi|jeudi|vendredi"
    r"|samedi|enero|febrero|marzo|abril|junio|julio|octubre|diciembre|lunes|martes|miércoles|jueves|viernes|sábado)\b"
    r"|\d月|周[一二三四五六日]|星期"
)
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b(?!\s*[a-z$%°])")
_ADDRESSES = re.compile(
    r"\b(?:please|dear|kind regards|welcome|thanks?|sorry|bitte|liebe[rs]?|sehr geehrte|chers?|chère|merci|n'oubliez"
    r"|estimad|querid|gracias|por favor|we|your|our|i am|i'm|my)\b|请|亲爱|谢谢|您|我们"
)
_NUMBER = re.compile(
    r"\d+|[二两三四五六七八九十百半]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|\w+teen|twenty|(?:thir|for|fif|six|seven|eigh|nine)ty|hundred|dozen|half|third|quarter"
    r"|zwei|drei|vier|fünf|sechs|deux|trois|quatre|cinq|dos|tres|cuatro|cinco)\b"
)
_WORD = re.compile(r"[^\W\d_]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_VOWEL = re.compile("[aeiouyà-ÿ]")
_FOREIGN_LETTER = re.compile(r"(?![a-zäöüßàâæçéèêëîïôœùûÿñáíóúªº\u3400-\u9fff])[^\W\d_]")
"""Letters that none of our languages uses: Polish, Greek, mathematical alphabets."""

_SAYS_ANYTHING = re.compile(r"[^\W_]|[+×÷=<>≤≥√∞∑∫]")
_HEADING = re.compile(
    r"\W*(?:question|problem|exercise|task|item|aufgabe|exercice|ejercicio|image|picture|figure|diagram)\W*[\d.]*\W*",
    re.IGNORECASE,
)
"""Instructions above a question that is missing from the text, for example because it is in a picture."""

_SHORTEST_WORD = 3  # letters; shorter ones are variables and units


def _pattern(words: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern that matches a word of any language, in lower case."""
    latin, chinese = [], []
    for language, listed in words.items():
        for word in (" ".join(each.split()) for each in listed.split(",")):
            if language == "zh":
                chinese.append(re.escape(word))
            else:
                stem = re.escape(word).replace(r"\*", r"\w*")
                latin.append(stem if language == "de" or word.endswith("*") else f"{stem}(?:e?s)?")
    return re.compile(rf"\b(?:{'|'.join(latin)})\b|{'|'.join(chinese)}")


_WORDS = tomllib.loads(Path(__file__).with_name("subject_words.toml").read_text(encoding="utf-8"))
_MATHEMATICS, _OTHER_SUBJECTS = _pattern(_WORDS["mathematics"]), _pattern(_WORDS["other_subjects"])


def looks_like_mathematics(text: str) -> bool:
    """Return whether a text may be a mathematics question; True if unclear.

    >>> looks_like_mathematics("How many tiles of 20 cm does a path of 6 m need?"), looks_like_mathematics("3x + 1 = 7")
    (True, True)
    >>> looks_like_mathematics("Please bring your swimming things on Monday, the bus leaves at 9:15.")
    False
    """
    if not text.strip() or is_invented(text) or _HEADING.fullmatch(text):
        return True
    if not _SAYS_ANYTHING.search(text):
        return False
    if max(map(len, _WORD.findall(text)), default=0) < _SHORTEST_WORD and not _CHINESE.search(text):
        return True  # a formula, a number, a letter
    excerpt = _excerpt(text)
    language = evident_language(excerpt)
    if (language and language not in LANGUAGES) or _FOREIGN_LETTER.search(excerpt.lower()):
        return True
    return mathematics_probability(text) >= (THRESHOLD if language else THRESHOLD_UNREAD)


@lru_cache(maxsize=2_048)
def mathematics_probability(text: str) -> float:
    """Return the probability that a text is a mathematics question, from 0 to 1."""
    weights = _weights()
    logit = float(subject_features([text])[0] @ weights.values) + weights.constant
    return float(1 / (1 + np.exp(-logit)))


def subject_features(texts: list[str]) -> np.ndarray:
    """Return the classifier's features for each text, (texts, signs + NGRAMS) float32."""
    excerpts = [_excerpt(text) for text in texts]
    signs = np.array([list(subject_signs(text).values()) for text in excerpts], dtype=np.float32)
    ngrams = HashedNgramEncoder(NGRAMS).encode(excerpts) * np.float32(NGRAM_SCALE)
    return np.concatenate([signs, ngrams], axis=1)


def _excerpt(text: str) -> str:
    """Return a text's beginning and, for a long one, its end, which often contains the actual question."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n{text[-half:]}"


def subject_signs(text: str) -> dict[str, float]:
    """Return the signs of a text's subject by name: flags as 0 or 1, shares, and logarithms of counts."""
    lower = text.lower()
    mathematics, others = set(_MATHEMATICS.findall(lower)), set(_OTHER_SUBJECTS.findall(lower))
    words = _WORD.findall(text)
    size = len(words) + len(_CHINESE.findall(text)) / 2 + 1
    numbers = len(_NUMBER.findall(lower))
    operations = len(_OPERATION.findall(text))
    asks_quantity = bool(_QUANTITY.search(lower))
    asks = asks_quantity or bool(_ASKS.search(lower))
    has_latex = bool(_LATEX.search(text))
    return {
        "latex": has_latex,
        "operation": operations > 0,
        "operations per word": operations / size,
        "share": bool(_SHARE.search(lower)),
        "no mathematics word": not mathematics,
        "one mathematics word": len(mathematics) == 1,
        "mathematics words": np.log1p(len(mathematics)),
        "mathematics words per word": len(mathematics) / size,
        "word of another subject": bool(others),
        "words of other subjects": np.log1p(len(others)),
        "more of other subjects": len(others) > len(mathematics),
        "asks a quantity": asks_quantity,
        "asks a quantity of two numbers": asks_quantity and numbers >= 2,
        "asks of several numbers": asks and numbers >= 3,
        "asks a quantity of one number": asks_quantity and numbers == 1,
        "asks a quantity of none": asks_quantity and numbers == 0,
        "asks a quantity of another subject": asks_quantity and bool(others),
        "another question": bool(_OTHER_QUESTION.search(lower)),
        "asks for a description": bool(_DESCRIBES.search(lower)),
        "asks": asks,
        "asks nothing": not (asks or mathematics or operations or has_latex),
        "time": bool(_CLOCK.search(lower)),
        "date": bool(_DATE.search(lower)),
        "year": bool(_YEAR.search(lower)),
        "addresses": bool(_ADDRESSES.search(lower)),
        "numbers": np.log1p(numbers),
        "digits": sum(character.isdigit() for character in text) / max(len(text), 1),
        "length": np.log(size),
        "long": size > 80,
        **_letters(words),
    }


def _letters(words: list[str]) -> dict[str, float]:
    """Return features of the letters in a text's words: variables, names, and random key presses."""
    count = max(len(words), 1)
    latin = [word for word in words if word.isascii() and len(word) >= _SHORTEST_WORD]
    return {
        "single letters": sum(len(word) == 1 for word in words) / count,
        "capitals": sum(word[0].isupper() for word in words) / count,
        "words without a vowel": sum(not _VOWEL.search(word.lower()) for word in latin) / max(len(latin), 1),
    }


@dataclass(frozen=True, slots=True)
class SubjectWeights:
    """A fitted classifier: `values` for each of `subject_features`, and a constant."""

    values: np.ndarray
    constant: float

    def save(self, path: Path) -> None:
        """Write the weights in half precision."""
        np.savez_compressed(
            path, allow_pickle=False, values=self.values.astype(np.float16), constant=np.float32(self.constant)
        )


@lru_cache(maxsize=1)
def _weights() -> SubjectWeights:
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        return SubjectWeights(stored["values"].astype(np.float32), float(stored["constant"]))
