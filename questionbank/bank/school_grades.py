"""School years in different countries: parsing them from text, and naming them on pages.

A stored grade is as the source or a person wrote it: "8", "Year 8", "Klasse 8". School years are compared as US grades,
the first of which children enter at six: "Year 8" in England, "7", "7. Klasse", "5ème" and 初一 are the same.
`SCHOOL_SYSTEM` names the system in which pages write a bare number and forms read one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from django.conf import settings

from analytics.language.zh.numbers import chinese_value

_FRENCH = ("CP", "CE1", "CE2", "CM1", "CM2", "6e", "5e", "4e", "3e", "2de", "1re", "Tle")
_CHINESE = (*(f"{numeral}年级" for numeral in "一二三四五六七八九"), "高一", "高二", "高三")
_SPANISH = (
    *(f"{year}º de Primaria" for year in range(1, 7)),
    *(f"{year}º de ESO" for year in range(1, 5)),
    *(f"{year}º de Bachillerato" for year in range(1, 3)),
)


def _listed(names: tuple[str, ...]) -> Callable[[int], str]:
    return lambda year: names[year - 1] if 1 <= year <= len(names) else f"Grade {year}"


# How each system names the school year that corresponds to a US grade.
SCHOOL_SYSTEMS: Mapping[str, Callable[[int], str]] = {
    "us": lambda year: f"Grade {year}",
    "england": lambda year: f"Year {year + 1}",
    "australia": lambda year: f"Year {year}",
    "germany": lambda year: f"Klasse {year}",
    "france": _listed(_FRENCH),
    "spain": _listed(_SPANISH),
    "china": _listed(_CHINESE),
    "india": lambda year: f"Class {year}",
}
_YEAR_IS_GRADE = frozenset({"australia"})  # elsewhere children enter Year 1 at five
_COUNTED_OTHERWISE = {"england": "Year {}", "france": "{}e"}  # meaning of a bare number there
LAST_YEAR = 13

_NUMBERS = {
    name: number
    for number, names in enumerate(
        str.split(
            "one/first two/second three/third four/fourth five/fifth six/sixth seven/seventh eight/eighth nine/ninth"
            " ten/tenth eleven/eleventh twelve/twelfth thirteen/thirteenth"
        ),
        1,
    )
    for name in names.split("/")
}
_NAMED = "|".join(_NUMBERS)
_SPANISH_ORDINALS = {"primer": 1, "segundo": 2, "tercer": 3, "cuarto": 4, "quinto": 5, "sexto": 6}
_CHINESE_STAGES = {"小": 0, "初": 6, "高": 9}  # school years before the stage's first
_SPANISH_STAGES = {"p": 0, "e": 6, "b": 10}
_FRENCH_NAMES = {"seconde": 10, "2": 10, "premiere": 11, "première": 11, "1": 11, "terminale": 12, "tle": 12}
_GRADE_WORD = "grade|class|klasse|klassenstufe|jahrgang|jahrgangsstufe|stufe|std|standard|grado|curso"
_RANGE = r"\s*(?:[-–/+&]|to|and|or|bis|und|à|a|y|至|到)\s*"
_YEAR = re.compile(
    rf"\b(?:(?P<word>{_GRADE_WORD}|year|yr)[sn]?\.?[ -]*(?P<after>\d{{1,2}}|{_NAMED})\b"
    rf"(?:{_RANGE}(?:(?:year|grade|klasse)s? ?)?(?P<until>\d{{1,2}})\b)?(?![.,]\d|\s*(?:old|ago|later)\b)"
    rf"|(?P<before>\d{{1,2}}(?:st|nd|rd|th)|{_NAMED})[ -]+grade(?:r|rs|s)?\b"
    rf"|(?P<grado>{'|'.join(_SPANISH_ORDINALS)})[ -]+grado\b"
    r"|(?P<ordinal>\d{1,2})(?:\.|te|º|°)\s*(?:klasse|schuljahr|jahrgangsstufe|grado|curso)\b)"
    r"|\b(?P<letter>[YyGg])(?P<short>1[0-3]|[1-9])\b(?=$|\s+[A-Za-z]{3})"
    r"|\b(?P<spanish>[1-6])\s?(?:[º°o]|er|ero)\.?\s*(?:de\s+)?(?P<in_spain>primaria|eso|bach(?:illerato)?)\b"
    r"|\b(?P<college>[3-6])(?:\s?[eè]me\b|[eè]\b(?!\s*[-+*/^=(]))"
    r"|\b(?P<lycee>[12])(?:n?de|[eè]?re)\b|\b(?:classe de|en) (?P<of_lycee>seconde|premi[eè]re)\b"
    r"|\b(?P<terminale>terminale|tle)\b|\b(?P<french>(?-i:CP|CE[12]|CM[12]))\b"
    r"|(?P<chinese>\d{1,2}|十[一二]?|[一二三四五六七八九])\s*年级"
    r"|(?P<stage>[小初高])(?P<in_stage>[一二三四五六])",
    re.IGNORECASE,
)

# Names of exams, stages and kinds of school, with the range of US grades of their students; 0 to 0 if the name does
# not imply a grade. "SAT" and "ACT" are also ordinary words, so they must be in capitals.
_LEVELS: tuple[tuple[str, int, int], ...] = (
    (r"\b(?:i?gcses?(?: (?:higher|foundation)(?: tier)?)?|o[ -]levels?|national 5)\b", 9, 10),
    (r"\b(?:higher|foundation) tier\b", 9, 10),
    (r"\b(?:as?[ -]?/?[ -]?(?:a2 )?levels?|a2 levels?|advanced levels?|scottish highers?)\b"
     r"|\b(?-i:AS|A2)(?= [a-z])", 11, 12),
    (r"\b(?:key stage|ks) ?1\b", 1, 1),
    (r"\b(?:key stage|ks) ?2\b", 2, 5),
    (r"\b(?:key stage|ks) ?3\b", 6, 8),
    (r"\b(?:key stage|ks) ?4\b", 9, 10),
    (r"\b(?:key stage|ks) ?5\b|\bsixth form\b", 11, 12),
    (r"\b(?-i:SATs)\b|\b(?:11|eleven)(?:\+|[ -]plus)(?= [a-z]|$)", 5, 5),
    (r"\b(?-i:P?SAT|ACT|GRE|GMAT)\b"
     r"|\b(?:p?sat|act|gre|gmat)(?= (?:maths?|style|prep|practice|exam|test|questions?)\b)", 10, 12),
    (r"\b(?:ap|ib)(?= (?:calculus|statistics|stats|precalculus|maths?|hl|sl|aa|ai)\b)"
     r"|\binternational baccalaureate\b", 11, 12),
    (r"\bamc ?8\b|\bmathcounts\b", 6, 8),
    (r"\bamc ?1[02]\b|\baime\b", 9, 12),
    (r"\b(?:regents|jee(?: (?:main|advanced))?|hsc|leaving cert(?:ificate)?)\b", 10, 12),
    (r"\b(?:junior cert(?:ificate)?|staar|mcas|naplan)\b", 6, 9),
    (r"\b(?:aqa|edexcel|ocr|wjec|eduqas|cie|caie|cbse|icse|ncert|common core)\b", 0, 0),
    (r"\bkindergarten\b|\bgrundschule\b|\bprimarstufe\b|\b(?:primary|elementary)(?: schools?)?(?= maths?\b)"
     r"|\b(?:primary|elementary) schools?\b|\bécole primaire\b|\b(?:educación )?primaria\b|小学", 1, 5),
    (r"\bmiddle schools?\b|\bmittelstufe\b|\bunterstufe\b|\bsek(?:undarstufe)? ?(?:i|1)\b|\bcollège\b|\beso\b"
     r"|初中", 6, 9),
    (r"\bhigh schools?\b|\boberstufe\b|\bsek(?:undarstufe)? ?(?:ii|2)\b|\blycée\b|\bbachillerato\b|高中", 10, 12),
    (r"\bsecondary schools?\b|\b(?:gymnasium|realschule|hauptschule|gesamtschule)\b|\bsecundaria\b", 6, 12),
    (r"\b(?:fach)?abi(?:tur)?(?:prüfung)?\b|\bmatura\b|\bmaturità\b|\bbac(?:calaur[ée]at)?\b|\bselectividad\b"
     r"|\be(?:v|b)au\b|高考|\bgao ?kao\b", 11, 12),
    (r"\bbrevet(?: des collèges)?\b|\b(?:msa|zp ?10|mittlerer schulabschluss)\b|中考|\bzhong ?kao\b", 9, 10),
    (r"小升初", 6, 6),
    (r"\b(?:university|college|undergraduate)\b(?= (?:level|maths?|algebra|calculus)\b)|大学", 12, 13),
)  # fmt: skip
_LEVEL = re.compile(
    "|".join(f"(?P<level{place}>{pattern})" for place, (pattern, *_) in enumerate(_LEVELS)), re.IGNORECASE
)
_BARE = re.compile(r"\d{1,2}")


@dataclass(frozen=True, slots=True)
class SchoolYears:
    """School years named in a text.

    Attributes:
        words: the words in the text.
        word: the lower-case noun, as in "Year 8"; empty if there is none.
        first: US grade; 0 if the name does not imply one.
        last: US grade; equals `first` if a single school year is named.
        is_level: whether it is an exam, a stage or a kind of school rather than a school year.
    """

    words: str
    word: str
    first: int
    last: int
    is_level: bool = False

    @property
    def is_one(self) -> bool:
        return 0 < self.first == self.last and not self.is_level


def named_years(text: str, system: str | None = None) -> Iterator[SchoolYears]:
    """Yield the school years named in a text, followed by the exams, stages and schools.

    >>> [(years.words, years.first, years.last) for years in named_years("Year 8 algebra", "")]
    [('Year 8', 7, 7)]
    >>> [(years.words, years.first, years.last) for years in named_years("KS3 Brüche Klasse 5-6", "")]
    [('Klasse 5-6', 5, 6), ('KS3', 6, 8)]
    """
    system = settings.SCHOOL_SYSTEM if system is None else system
    within: set[int] = set()
    for match in _YEAR.finditer(text):
        within.update(range(match.start(), match.end()))
        first, word = _year_of(match, system)
        last = first + int(match["until"]) - int(_digits(match["after"])) if match["until"] else first
        if 0 <= first <= last <= LAST_YEAR:
            yield SchoolYears(match[0], word, max(first, 1), max(last, 1))
    for match in _LEVEL.finditer(text):
        if match.start() in within:  # "4º de ESO"
            continue
        _pattern, first, last = _LEVELS[int(str(match.lastgroup).removeprefix("level"))]
        yield SchoolYears(match[0], "", first, last, is_level=True)


def school_year(grade: str, system: str | None = None) -> int | None:
    """Return the US grade of a stored grade; None if it does not name a single one.

    >>> [school_year(grade, "") for grade in ("8", "Year 8", "8. Klasse", "5ème", "初二", "4º ESO", "Advanced")]
    [8, 7, 8, 7, 8, 10, None]
    """
    grade = grade.strip()
    if _BARE.fullmatch(grade):
        return int(grade)
    years = [years for years in named_years(grade, system) if years.is_one]
    return years[0].first if len(years) == 1 and years[0].words == grade else None


def grade_name(grade: str, system: str | None = None) -> str:
    """Return how pages name a stored grade: in the school system, or else as it was written.

    >>> grade_name("7", "england"), grade_name("Year 8", "us"), grade_name("Year 8", ""), grade_name("7", "")
    ('Year 8', 'Grade 7', 'Year 8', 'Grade 7')
    """
    system = settings.SCHOOL_SYSTEM if system is None else system
    year = school_year(grade, system)
    if year is None:
        return grade
    if system:
        return SCHOOL_SYSTEMS[system](year)
    return f"Grade {grade}" if _BARE.fullmatch(grade.strip()) else grade


def grade_typed(typed: str, system: str | None = None) -> str:
    """Return the grade to store for form input; a bare number is interpreted in the school system.

    >>> grade_typed("8", "england"), grade_typed("Year 8", "england"), grade_typed("8", ""), grade_typed("Year 8", "")
    ('7', '7', '8', 'Year 8')
    """
    system = settings.SCHOOL_SYSTEM if system is None else system
    typed = typed.strip()
    if not system:
        return typed
    name = _COUNTED_OTHERWISE.get(system, "{}").format(typed) if _BARE.fullmatch(typed) else typed
    year = school_year(name, system) or school_year(typed, system)
    return typed if year is None else str(year)


def _year_of(match: re.Match[str], system: str) -> tuple[int, str]:
    """Return the US grade and the noun of a matched school year."""
    if match["chinese"]:
        return int(_digits(match["chinese"])), ""
    if match["stage"]:
        return _CHINESE_STAGES[match["stage"]] + int(_digits(match["in_stage"])), ""
    if match["spanish"]:
        stage = match["in_spain"].casefold()
        return _SPANISH_STAGES[stage[0]] + int(match["spanish"]), stage
    if match["college"]:
        return 12 - int(match["college"]), "e"
    if match["french"]:
        return _FRENCH.index(match["french"].upper()) + 1, match["french"]
    if french := match["lycee"] or match["of_lycee"] or match["terminale"]:
        return _FRENCH_NAMES[french.casefold()], "lycee"
    if match["grado"]:
        return _SPANISH_ORDINALS[match["grado"].casefold()], "grado"
    number = int(_digits(match["after"] or match["before"] or match["ordinal"] or match["short"]))
    word = (match["word"] or {"y": "year", "g": "grade"}.get((match["letter"] or "g").casefold(), "")).casefold()
    is_english_year = word in ("year", "yr") and system not in _YEAR_IS_GRADE
    return number - is_english_year, "year" if word == "yr" else word


def _digits(number: str) -> str:
    """Return a number in digits, whether written as "8", "8th", "eighth" or 八."""
    digits = re.match(r"\d+", number)
    if digits:
        return digits[0]
    return str(_NUMBERS.get(number.casefold()) or int(chinese_value(number) or 0))
