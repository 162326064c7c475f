"""The supported languages, a row for each, what a language's code means, and in which language a text is written.

To add a language, write a folder like `analytics.language.en` and add a row here.

The models know English and Chinese. A text in another language must be recognised, so that nobody is shown a prediction
based on words that no model knows; naming the language explains why. The words are those that occur in nearly every
sentence, and those with which mathematics exercises begin; a word shared by several languages counts as a fraction for
each. Words of one unaccented letter are left out: in a question they are variables. Torch-free.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice

from analytics.language.contract import Language
from analytics.language.en import numbers as en_numbers
from analytics.language.en import relations as en_relations
from analytics.language.en import units as en_units
from analytics.language.en import words as en_words
from analytics.language.zh import numbers as zh_numbers
from analytics.language.zh import relations as zh_relations
from analytics.language.zh import units as zh_units
from analytics.language.zh import words as zh_words

ENGLISH = Language(
    code="en",
    name="English",
    marks=re.compile(r"(?!)"),
    space=" ",
    numbers=en_numbers,
    units=en_units,
    words=en_words,
    relations=en_relations,
)
CHINESE = Language(
    code="zh",
    name="Chinese",
    marks=re.compile(r"[\u3400-\u9fff]"),
    space="",
    numbers=zh_numbers,
    units=zh_units,
    words=zh_words,
    relations=zh_relations,
)
LANGUAGES: tuple[Language, ...] = (ENGLISH, CHINESE)

LANGUAGE_NAMES = {language.code: language.name for language in LANGUAGES}
"""English names of the languages that have models."""

UNDETERMINED = "und"
"""Code for an unknown language: a text in a script that no model knows (BCP 47)."""


def languages() -> tuple[Language, ...]:
    """Return all languages, English first."""
    return LANGUAGES


def language_of(text: str) -> Language:
    """Return the language whose marks a text contains; English if there are none.

    >>> language_of("小明有5支笔。").code, language_of("5 + 3").code
    ('zh', 'en')
    """
    return next((language for language in LANGUAGES if language.marks.search(text)), LANGUAGES[0])


def language_named(code: str) -> Language:
    """Return the language with a primary code (ISO 639-1); English for a code that is not in the table."""
    return next((language for language in LANGUAGES if language.code == code), LANGUAGES[0])


def primary_language(code: str) -> str:
    """Return the primary language of a code, without script and region.

    >>> [primary_language(code) for code in ("zh-Hans", "en", "")]
    ['zh', 'en', '']
    """
    return code.partition("-")[0].lower()


_CJK = "\u3400-\u9fff\uf900-\ufaff"
_WORDS: dict[str, str] = {
    "en": """the an of to in on at for and with from by was is are were be has have had do does did he she they it his
        her their its this that there how many much what which who if each more than as or not will would can all into
        out up one two your you find per solve work calculate simplify write when then let show given find value where
        after before many number""",
    "de": """der die das den dem des ein eine einen einem einer und ist sind war in im mit auf für von zu zum zur nicht
        wie viele viel hat haben er sie es man wird werden dass wenn wo was welche welcher bei aus nach jede jeder noch
        berechne berechnen bestimme löse gib zeige zeichne gleichung zahl zahlen kostet an so um
        sich auch über unter zwischen durch als zwei drei vier dieser diese dieses ihr wir kann soll muss sei gegeben
        gesucht vereinfache vereinfachen ermittle ermitteln begründe ergänze kürze rechne schreibe runde ordne
        vergleiche dreieck rechteck kreis fläche flächeninhalt umfang bruch brüche prozent gleichungen lösung lösungen
        länge breite wahrscheinlichkeit beträgt""",
    "fr": """le la les un une des du de et est sont dans en avec pour par sur qui que quel quelle quels quelles combien
        il elle ils elles on ont au aux ce cette ces se son sa ses ne pas plus si calculer calcule calculez résoudre
        résous déterminer trouver trouve équation nombre à où
        nous vous deux trois entre chaque même leur leurs être cette donner donne montrer montrez simplifier simplifie
        développer développe factoriser résolvez compléter complète aire périmètre cercle côté côtés longueur largeur
        coûte probabilité""",
    "es": """el la los las un una unos unas de del es son en con para por que qué cuál cuánto cuántos cuánta cuántas
        se su sus al lo no si más tiene tienen hay calcula calcular resuelve resolver halla encuentra ecuación número
        como cada dos tres entre cuesta halle hallar encontrar escribe simplifica simplificar desarrolla triángulo
        rectángulo área perímetro lado lados función probabilidad""",
    "it": """il lo la gli le un una uno di del della dei delle è sono in con per che quale quanti quanto quante si
        non ha hanno al alla da dal nel nella calcola risolvi trova determina equazione numero più ogni""",
    "pt": """os as um uma uns umas de do da dos das é são em no na nos nas com para por que qual quantos quanto
        quantas se não tem têm ao à calcule resolva encontre determine equação número mais cada""",
    "nl": """de het een en is zijn van in op met voor aan dat die niet hoeveel wat welke hij zij ze er wordt heeft
        hebben bij uit naar bereken los bepaal vergelijking getal te als om""",
    "pl": """na do jest są nie się ile jak który która które ma mają oblicz rozwiąż liczba równanie dla od po
        jeśli każdy oraz""",
    "sv": """och att det som en ett på är av för med till den har hur många mycket om vad vilken beräkna lös ekvation
        tal de inte""",
    "tr": """ve bir bu kaç ne ile için olan kadar hangi tane sayı sayısı denklem çöz hesapla bulunuz nedir var
        toplam""",
}
_SCRIPTS = (  # each belongs to one language, or nearly so
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("ru", re.compile(r"[\u0400-\u052f]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
FOREIGN_LANGUAGES = frozenset((*_WORDS, *(language for language, _ in _SCRIPTS))) - {"en"}
"""Codes of the languages other than English and Chinese that can be recognised."""

_LATIN_WORD = re.compile(r"[^\W\d_]+")
_NO_WORDS = re.compile(r"\\[A-Za-z]+|\$[^$]*\$")  # LaTeX
_LOOKED_AT = 60  # words read
_FEWEST_LETTERS = 4  # per script
_CLEARLY = 1.5  # times the score of English

_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in _WORDS.items():
    for _word in set(_words.split()):
        _LANGUAGES_OF.setdefault(_word, []).append(_language)
_LANGUAGE_LETTERS = re.compile(rf"[{_CJK}]|\\[A-Za-z]+|[A-Za-z]+")
_ENGLISH_WORD = re.compile(r"[^\W\d_]{2,}|\ba\b", re.IGNORECASE)
_LEAST_COMMON = 0.1
_ANY_WORD = re.compile(rf"[{_CJK}]|[^\W\d_]{{2,}}")
_FEWEST_WORDS, _WORDS_LOOKED_AT = 6, 40
_OTHER_SCRIPTS = re.compile(  # Cyrillic, Hebrew, Arabic, those of South and South-East Asia, kana, Hangul
    "[\u0400-\u052f\u0590-\u08ff\u0900-\u0fff\u1000-\u109f\u3040-\u30ff\uac00-\ud7af]"
)


def detect_language(text: str) -> str:
    r"""Return the code of a question's language; "und" if it is unknown.

    A text in Latin script is in another language if that language's most common words indicate it. The language is
    unknown if fewer than a tenth of the words are among the most common in English; fewer than six unknown words count
    as English.

    >>> detect_language("已知$\\triangle ABC$, find"), detect_language("Find $x$."), detect_language("")
    ('zh', 'en', 'en')
    >>> detect_language("У Ани 5 яблок."), detect_language("Ein Bauer hat 24 Hühner. Wie viele hat er jetzt?")
    ('ru', 'de')
    """
    language = script_language(text)
    if language == "zh":
        return language
    evident = evident_language(text)
    if evident not in ("en", "zh", ""):
        return evident
    if language != "en":
        return language
    matches = islice(_ENGLISH_WORD.finditer(_NO_WORDS.sub(" ", text)), _WORDS_LOOKED_AT)
    words = [match[0].lower() for match in matches]
    is_foreign = len(words) >= _FEWEST_WORDS and (
        sum(word in ENGLISH.words.COMMON for word in words) < _LEAST_COMMON * len(words)
    )
    return "und" if is_foreign else "en"


def script_language(text: str) -> str:
    r"""Return the language indicated by the scripts of a text outside LaTeX; Latin script counts as English.

    >>> script_language("quadratic equations word problems"), script_language("How many letters has привет?")
    ('en', 'en')
    """
    chinese = latin = latin_letters = 0
    for piece in _LANGUAGE_LETTERS.findall(text):
        if piece[0] > "\u3000":
            chinese += 1
        elif piece[0] != "\\":
            latin += len(piece) > 2
            latin_letters += len(piece)
    if len(_OTHER_SCRIPTS.findall(text)) > chinese + latin_letters:
        return "und"
    return "zh" if chinese > 0 and chinese >= latin else "en"


def written_language(text: str, tagged: str) -> str:
    """Return the language that a text is written in: the tagged one unless the words contradict it.

    Only tags of languages that `detect_language` knows are checked, and only if the text has words.

    >>> [written_language(text, tag) for text, tag in (("小明有5支笔。", "en"), ("4/5 - 1/2", "zh"), ("5 Hunde", "de"))]
    ['zh', 'zh', 'de']
    """
    if primary_language(tagged) not in LANGUAGE_NAMES or not _ANY_WORD.search(text):
        return tagged
    detected = detect_language(text)
    return tagged if detected == primary_language(tagged) else detected


def evident_language(text: str) -> str:
    """Return the ISO 639-1 code of the language that a text is evidently in; empty if its words are inconclusive.

    >>> texts = ("Ein Bauer hat 24 Hühner. Wie viele?", "Il y a 24 élèves dans la classe.", "Find x.", "x + 1 = 3")
    >>> [evident_language(text) for text in texts]
    ['de', 'fr', 'en', '']
    """
    prose = _NO_WORDS.sub(" ", text)
    letters = len(_LATIN_WORD.findall(prose))
    if len(CHINESE.marks.findall(prose)) > letters and not _SCRIPTS[0][1].search(prose):
        return "zh"
    for language, script in _SCRIPTS:
        count = len(script.findall(prose))
        if count >= _FEWEST_LETTERS and count >= letters:
            return language
    words = [match[0].lower() for match in _LATIN_WORD.finditer(prose)][:_LOOKED_AT]
    evidence: defaultdict[str, float] = defaultdict(float)
    for word in words:
        languages = _LANGUAGES_OF.get(word, ())
        for language in languages:
            evidence[language] += 1 / len(languages)
    if not evidence:
        return ""
    best = max(evidence, key=lambda language: evidence[language])
    if best == "en" or evidence[best] < max(1, _CLEARLY * evidence["en"]):
        return "en" if evidence["en"] >= 1 or best == "en" else ""
    return best
