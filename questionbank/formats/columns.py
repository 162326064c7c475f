"""The columns of a question: the one list of how files, the import page and the bank name its fields.

A column needs a model field, an entry here, and a check in `questionbank.formats.fields`. Below the list is what
other programs call each column: English, German, French, Spanish and Chinese names; the exports of learning platforms
(Moodle, Eedi); and the published names of GSM8K, MATH, AQuA, MathQA, SVAMP, ASDiv, MAWPS, Math23K, Ape210K, CMATH and
TAL-SCQ5K.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from analytics.records import ObservedFigures
from questionbank.formats.kinds import kind_of_name


@dataclass(frozen=True, slots=True)
class Column:
    """A field of a question, or of a concept, that a column of a file can hold.

    Attributes:
        label: its name where a person chooses what a column holds.
        sql: its type in the table of questions; empty if it is stored elsewhere or not at all.
        lost: what is lost without it, in words for teachers.
        companion: a field that means nothing without it.
        own_name: its name in `QuestionRecord`, if different.
        stored_name: its name in the table of questions, if different from that.
        fills: the columns of a question that it states, if not only its own.
        is_optional: whether a file can be imported without it.
        is_written: whether our own tables and JSON have it.
    """

    name: str
    label: str
    sql: str = ""
    lost: str = ""
    companion: str = ""
    own_name: str = ""
    stored_name: str = ""
    fills: tuple[str, ...] = ()
    is_optional: bool = True
    is_written: bool = True

    @property
    def attribute(self) -> str:
        return self.own_name or self.name

    @property
    def stored(self) -> str:
        return self.stored_name or self.attribute


COLUMNS = (
    Column("id", "Identifier", "text", stored_name="source_id"),
    Column("text", "Question", "text", "the wording as it is in the bank", is_optional=False),
    Column("context", "Text before the question", fills=("text",), is_written=False),
    Column("language", "Language", "text", "the language"),
    Column("kind", "Type of question", "text", "the type of question: the file has a similar one"),
    Column("options", "Options, all in one column", "jsonb", fills=("options", "kind"), is_optional=False),
    Column("answer", "Answer", "text", "the answer as it is in the bank", is_optional=False),
    Column("solution", "Worked solution", "text", "the worked solution"),
    Column("equation", "Equation", lost="the equation"),
    Column("program", "Operation program (MathQA)", fills=("equation",), is_written=False),
    Column("calculations", "Calculations of the solution", fills=("equation",), is_written=False),
    Column("numbers", "Numbers", lost="the numbers of the equation"),
    Column("concepts", "Concepts", lost="the concepts"),
    Column("difficulty", "Difficulty", "double precision", "the difficulty", "difficulty_scale"),
    Column("difficulty_scale", "Difficulty scale", "text", "the difficulty", "difficulty"),
    Column("grade", "Grade", "text", "the grade"),
    Column("stage", "Stage", "text", "the stage"),
    Column("facility", "Share of correct responses", "double precision", "how students did", "responses"),
    Column("responses", "Number of responses", "integer", "how students did", "facility"),
    Column("set", "Name of the set", "text", "the name of the set", own_name="source"),
    Column("grading", "Grading, as Kindred writes it", "jsonb", own_name="content"),
    Column("path", "Concept path (not a question)", is_optional=False, is_written=False),
    Column("name", "Name of a concept (no question)", is_optional=False, is_written=False),
    Column("parent", "Parent of a concept (no question)", is_optional=False, is_written=False),
)
OPTION_COLUMNS = tuple("ABCDEFGH")
"""The columns that hold one option each."""
CONCEPT_FIELDS = frozenset({"path", "name", "parent"})

WRITTEN = tuple(column for column in COLUMNS if column.is_written)
STORED = tuple(column for column in COLUMNS if column.sql)


def _names(columns: Iterable[Column], letters: Iterable[str]) -> Iterator[str]:
    for column in columns:
        if column.name == "options":
            yield from letters
        yield column.name


COLUMN_FIELDS = tuple(_names(COLUMNS, OPTION_COLUMNS))
"""The names of the fields that a column can hold."""
WRITTEN_LETTERS = OPTION_COLUMNS[:5]
OBSERVED_FIELDS = tuple(f"observed_{figure.name}" for figure in fields(ObservedFigures))
"""The columns of the bank's own figures: they are only written, so that no response is counted twice."""
WRITTEN_FIELDS = (*_names(WRITTEN, WRITTEN_LETTERS), *OBSERVED_FIELDS)
"""The columns of the tables that we write."""
OPTIONAL_FIELDS = {column.name: column.companion for column in COLUMNS if column.is_optional}
"""The fields that an import can leave out, each with the field that means nothing without it, or ""."""


_ALIASES: dict[str, str] = {  # field -> plain names, as `plain_name` returns them; a literal table
    "text": (
        "question | questions | question text | questiontext | question stem | question body | problem | problems"
        " | problem text | problem statement | stem | item | item text | prompt | exercise | task | statement"
        " | word problem | original text | s question | query | text of question"
        " | frage | fragen | fragetext | fragestellung | aufgabe | aufgaben | aufgabentext | aufgabenstellung"
        " | question posee | enonce | enonce de la question | texte | texte de la question | exercice | probleme"
        " | pregunta | preguntas | enunciado | texto | texto de la pregunta | ejercicio | problema"
        " | 题目 | 题干 | 问题 | 试题 | 题目内容 | 试题内容 | 内容 | 题目文本 | 原题"
    ),
    "context": "body | passage | stimulus | introduction | text before question | 背景 | 材料",
    "id": (
        "question id | questionid | qid | item id | problem id | identifier | number | no | nr | num | nummer | numero"
        " | id number | idnumber | i index | index | aufgabennummer | fragenummer | lfd nr"
        " | 编号 | 题号 | 序号 | 题目编号"
    ),
    "answer": (
        "answers | correct | correct answer | right answer | correct option | correct choice | key | answer key"
        " | solution key | answer value | ans | final answer | golden | gold | target | label answer | l solutions"
        " | antwort | antworten | losung richtig | richtige antwort | korrekte antwort"
        " | ergebnis | resultat | richtig | losungswort"
        " | reponse | reponses | bonne reponse | reponse correcte | reponse attendue | resultat attendu"
        " | respuesta | respuestas | respuesta correcta | resultado"
        " | 答案 | 正确答案 | 参考答案 | 标准答案 | 正确选项 | 结果"
    ),
    "solution": (
        "worked solution | explanation | rationale | working | workings | worked answer | steps | reasoning"
        " | general feedback | generalfeedback | feedback | answer analysis | hint and solution"
        " | losung | loesung | losungen | losungsweg | loesungsweg | rechenweg | erklarung | musterlosung | begrundung"
        " | correction | corrige | explication | solution detaillee | resolution"
        " | solucion | explicacion | desarrollo | resolucion"
        " | 解析 | 解答 | 分析 | 解题过程 | 答案解析 | 详解 | 解题思路"
    ),
    "concepts": (
        "concept | topic | topics | skill | skills | subject | subjects | subject name | category | categories"
        " | construct name | knowledge point | knowledge points | knowledge concept | chapter | unit | strand | domain"
        " | tag | tags | subtopic | learning objective | standard | knowledge point routes | question category"
        " | thema | themen | themengebiet | themenbereich | bereich | kategorie | kapitel | lerngebiet | kompetenz"
        " | stichwort | sujet | theme | themes | chapitre | categorie | notion | notions | competence | domaine"
        " | tema | temas | categoria | capitulo | unidad | competencia | contenido"
        " | 知识点 | 考点 | 章节 | 主题 | 知识点标签 | 类别 | 分类"
    ),
    "difficulty": (
        "level | difficulty level | level of difficulty | hardness | difficulty rating | rating"
        " | schwierigkeit | schwierigkeitsgrad | niveau | stufe | anforderungsniveau"
        " | difficulte | niveau de difficulte | dificultad | nivel | nivel de dificultad"
        " | 难度 | 难度系数 | 难易度 | 难度等级"
    ),
    "difficulty_scale": "difficulty scale | scale | skala | echelle | escala",
    "grade": (
        "year | year group | class | grade level | school year | klasse | klassenstufe | jahrgang | jahrgangsstufe"
        " | schuljahr | classe | annee | niveau scolaire | curso | ano | grado | 年级"
    ),
    "language": "lang | language code | sprache | langue | idioma | lengua | 语言",
    "kind": (
        "type | question type | questiontype | item type | qtype | problem type | fragetyp | art | typ | aufgabentyp"
        " | type de question | tipo | tipo de pregunta | 题型 | 类型 | 题目类型"
    ),
    "options": (
        "choices | answer choices | answer options | alternatives | answer option list | antwortmoglichkeiten"
        " | auswahl | optionen | choix | propositions | opciones | alternativas | 选项 | 候选答案"
    ),
    "set": "dataset | data set | collection | sammlung | datensatz | 数据集",
    "equation": "expression | l equations | gleichung | expresion | ecuacion | 方程 | 算式 | 列式",
    "program": "linear formula",
    "stage": "key stage | phase | schulstufe | schulform | cycle | etapa | 学段",
    "facility": (
        "p value | facility index | proportion correct | share correct | percent correct | correct rate"
        " | losungsquote | taux de reussite | indice de facilidad | 正确率 | 得分率"
    ),
    "responses": "attempts | number of responses | n responses | antworten gesamt | nombre de reponses | 作答人数",
}  # fmt: skip
_LETTER_FORMS = (  # {0}: the letter of an option
    "option {0}", "choice {0}", "answer {0}", "answer {0} text", "{0} text", "option text {0}", "alternative {0}",
    "antwort {0}", "antwortmoglichkeit {0}", "auswahl {0}", "choix {0}", "reponse {0}", "proposition {0}",
    "opcion {0}", "respuesta {0}", "选项{0}", "选项 {0}", "{0}选项", "{0}",
)  # fmt: skip
_NUMBERED = [
    f"{name}{{0}}" for name in ("option ", "choice ", "opcion ", "choix ", "antwortmoglichkeit ", "选项", "选项 ")
]


@lru_cache(maxsize=4_096)
def plain_name(name: str) -> str:
    """Return a column name normalised for comparison: case, accents, punctuation and camel case.

    >>> plain_name(" Topic(s) "), plain_name("AnswerAText"), plain_name("Énoncé"), plain_name("题目（中文）")
    ('topics', 'answer a text', 'enonce', '题目 中文')
    """
    name = unicodedata.normalize("NFKC", name).replace("(s)", "s").replace("ß", "ss")
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    name = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return " ".join(re.sub(r"[\W_]+", " ", name).lower().split())


def _field_of_name() -> dict[str, str]:
    table = {name.strip(): field for field, names in _ALIASES.items() for name in names.split("|") if name.strip()}
    table |= {plain_name(field): field for field in COLUMN_FIELDS if len(field) > 1 and field not in CONCEPT_FIELDS}
    for place, letter in enumerate(OPTION_COLUMNS, start=1):
        table |= {form.format(letter.lower()): letter for form in _LETTER_FORMS}
        table |= {form.format(place): letter for form in _NUMBERED}
    return table


_FIELD_OF_NAME = _field_of_name()
# These name the answer if no other column does; beside an answer column, they name the worked solution.
_ANSWER_IF_ALONE = frozenset({"losung", "loesung", "losungen", "solucion", "resolution", "corrige", "correction"})
_LEVELS = frozenset({"level", "niveau", "nivel", "stufe"})  # the grade beside a difficulty, else the difficulty
_BRACKETS = re.compile(r"[(（\[][^()（）\[\]]*[)）\]]")
_SHORT_ANSWER = 40  # characters


def guess_fields(
    names: Sequence[str], sample: Sequence[Any] | None = None, *, mixes_rows: bool = False
) -> tuple[str, ...]:
    """Return the field of each column by its name; no field appears twice, and our own names take precedence.

    >>> guess_fields(["Frage", "Option A", "Richtige Antwort", "Autor"])
    ('text', 'A', 'answer', '')

    Args:
        sample: the values of one row by column, which show what a column "type" holds; values may be missing.
        mixes_rows: whether the names may belong to both questions and concepts, as in a JSON file.
    """
    plain = [_known_name(str(name)) for name in names]
    values = dict(enumerate(sample or ()))
    fields = _own_fields(names)
    if "text" not in fields:
        _name_text(fields, plain, values)
    _name_known(fields, plain, values)
    if "text" not in fields and "context" in fields:
        fields[fields.index("context")] = "text"
    if "answer" not in fields:
        _name_answer(fields, plain, values)
    if "text" in fields and not mixes_rows:
        fields = ["" if field in CONCEPT_FIELDS else field for field in fields]
    return tuple(fields)


def _own_fields(names: Iterable[str]) -> list[str]:
    """Return the fields of the columns that use our own names; the first of two such columns wins."""
    fields: list[str] = []
    for name in names:
        field = _own_name(name)
        fields.append("" if field in fields else field)
    return fields


def _name_text(fields: list[str], plain: Sequence[str], values: Mapping[int, Any]) -> None:
    """Take the column with the longest value as the question's text: "Question" may be a number beside "Problem"."""
    texts = [place for place, name in enumerate(plain) if _FIELD_OF_NAME.get(name) == "text"]
    if texts:
        fields[max(texts, key=lambda place: len(_said(values, place)))] = "text"


def _name_known(fields: list[str], plain: Sequence[str], values: Mapping[int, Any]) -> None:
    """Assign the remaining columns the fields that their names mean, unless another column has the field."""
    has_difficulty = "difficulty" in fields or any(
        _FIELD_OF_NAME.get(name) == "difficulty" for name in plain if name not in _LEVELS
    )
    for place, name in enumerate(plain):
        field = _FIELD_OF_NAME.get(name, "")
        if name in _LEVELS and has_difficulty:
            field = "grade"
        if field == "kind" and _is_kind_of_problem(_said(values, place)):
            field = "concepts"
        if field and not fields[place] and field not in fields:
            fields[place] = field


def _name_answer(fields: list[str], plain: Sequence[str], values: Mapping[int, Any]) -> None:
    """Take the answer from a column that may also name a worked solution, if its value is short."""
    for place, name in enumerate(plain):
        if name in _ANSWER_IF_ALONE and len(_said(values, place)) <= _SHORT_ANSWER:
            fields[place] = "answer"
            return


def _said(values: Mapping[int, Any], place: int) -> str:
    return str(values.get(place) or "")


def _is_kind_of_problem(value: str) -> bool:
    """Return whether a column "type" holds types of problem ("Algebra", "Subtraction") rather than of question."""
    return bool(value) and not kind_of_name(value)


def _known_name(name: str) -> str:
    """Return the plain name of a column, without its brackets if only the bare name is known."""
    plain = plain_name(name)
    return plain if plain in _FIELD_OF_NAME else plain_name(_BRACKETS.sub(" ", name)) or plain


def _own_name(name: str) -> str:
    name = str(name).strip()
    if name in OPTION_COLUMNS:
        return name
    return name.lower() if name.lower() in COLUMN_FIELDS and len(name) > 1 else ""


def holds_rows(fields: Iterable[str]) -> bool:
    """Return whether columns with these fields make up questions or concepts."""
    return bool({"text", "path", "name"} & {*fields})
