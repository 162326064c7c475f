"""Files as teachers, platforms and published sets have them: recognised, read, and what is changed is said."""

from __future__ import annotations

import json

import pytest

from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.catalog import layout_of, read
from tests.questionbank.formats.files import saved


def _file(tmp_path, content, name="q.csv", encoding="utf-8"):
    return saved(tmp_path, content.encode(encoding), name)


TABLES = {
    "German Excel": (
        "Nr.;Aufgabe;Lösung;Thema;Schwierigkeitsgrad;Klasse\r\n1;Größe von ½?;0,5;Zahlen > Brüche;1,5;7\r\n",
        "windows-1252",
        {
            "id": "1",
            "text": "Größe von ½?",
            "answer": "0,5",
            "concepts": (("Zahlen", "Brüche"),),
            "difficulty": 1.5,
            "grade": "7",
        },
    ),
    "French Excel": (
        "sep=;\r\nÉnoncé;Réponse correcte;Thème\r\nCombien font 3 × 4 ?;12;Calcul\r\n",
        "windows-1252",
        {"text": "Combien font 3 × 4 ?", "answer": "12", "concepts": (("Calcul",),)},
    ),
    "Spanish Unicode text": (
        "Pregunta\tRespuesta\tTema\r\n¿Cuánto es 2 + 2?\t4\tSuma\r\n",
        "utf-16",
        {"text": "¿Cuánto es 2 + 2?", "answer": "4", "concepts": (("Suma",),)},
    ),
    "UTF-16 without a mark": (
        "Question;Answer\r\nWhat is ½ + ½?;1\r\n",
        "utf-16-le",
        {"text": "What is ½ + ½?", "answer": "1"},
    ),
    "Excel for Mac": ("Frage;Antwort\rGröße von 8?;2\r", "mac-roman", {"text": "Größe von 8?", "answer": "2"}),
    "Chinese": (
        "题目,选项A,选项B,答案,知识点\n若x+1=3，则x等于多少？,1,2,B,代数→方程\n",
        "gb18030",
        {"text": "若x+1=3，则x等于多少？", "answer": "B", "concepts": (("代数", "方程"),), "kind": "choice"},
    ),
    "Numbers with its table's name": (
        'Table 1\n\nQuestion,Choice A,Choice B,Correct Answer,Topic\n"2, 2?",3,4,4,Sums\n',
        "utf-8",
        {"text": "2, 2?", "answer": "B", "concepts": (("Sums",),)},
    ),
    "pipes": ("text|answer\nWhat is 2+2?|4\n", "utf-8", {"text": "What is 2+2?", "answer": "4"}),
    "title rows": (
        'Mathematics 7b\t\t\nAs of May 2024\t\t\nFrage\tAntwort\tKategorie\n"Berechne\n3 + 4"\t7\tRechnen\n',
        "utf-8",
        {"text": "Berechne\n3 + 4", "answer": "7", "concepts": (("Rechnen",),)},
    ),
    "Moodle": (
        'questiontext,answer,category\n"<p>5 &times; 6?</p>",30,$course$/top/Numbers/Products\n',
        "utf-8",
        {"text": "5 × 6?", "answer": "30", "concepts": (("Numbers", "Products"),)},
    ),
    "Eedi": (
        "QuestionId,ConstructName,SubjectName,CorrectAnswer,QuestionText,AnswerAText,AnswerBText\n"
        "0,Order of operations,BIDMAS,A,Where?,\\( 3 \\),4\n",
        "utf-8",
        {"id": "0", "text": "Where?", "answer": "A", "concepts": (("Order of operations",),)},
    ),
    "MathQA": (
        ",Problem,Rationale,options,correct,linear_formula,category\n"
        '0,60 km per hour for 3 hours?,60*3,"a ) 180 , b ) 20",a,"multiply(n0,n1)|",physics\n',
        "utf-8",
        {"text": "60 km per hour for 3 hours?", "answer": "A", "equation": "60*3", "concepts": (("physics",),)},
    ),
    "a range in the header": (
        "Question text,Answer,Difficulty (1-5)\n2 + 2,4,3\n",
        "utf-8",
        {"text": "2 + 2", "difficulty": 3.0},
    ),
    "a number beside the text": (
        "Question,Problem,Answer\n1,What is 2 + 2?,4\n",
        "utf-8",
        {"text": "What is 2 + 2?", "answer": "4"},
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_other_programs_are_read(tmp_path, name):
    content, encoding, expected = TABLES[name]
    records = [
        entry for _, entry in read(_file(tmp_path, content, "q.txt", encoding)) if isinstance(entry, QuestionRecord)
    ]
    assert [{field: getattr(record, field) for field in expected} for record in records] == [expected]


OBJECTS = {
    "GSM8K": (
        {"question": "Tom has 2 apples and buys 5. How many?", "answer": "He has 2+5=<<2+5=7>>7.\n#### 7"},
        {"answer": "7", "solution": "He has 2+5=7.", "equation": "2+5"},
    ),
    "AQuA": (
        {"question": "2*4?", "options": ["A)8", "B)9"], "rationale": "2*4 = 8", "correct": "A"},
        {"text": "2*4?", "answer": "A", "solution": "2*4 = 8", "kind": "choice"},
    ),
    "MATH": (
        {"problem": "Solve $x+1=3$.", "level": "Level 2", "type": "Algebra", "solution": r"So $\boxed{\frac{4}{2}}$."},
        {
            "answer": r"\frac{4}{2}",
            "concepts": (("Algebra",),),
            "difficulty": 2.0,
            "difficulty_scale": "1-5",
            "kind": "open",
        },
    ),
    "SVAMP": (
        {
            "ID": "c1",
            "Body": "A pack costs 76 dollars. ",
            "Question": "How much are 3?",
            "Equation": "( 76 * 3 )",
            "Answer": 228,
            "Type": "Multiplication",
        },
        {
            "id": "c1",
            "text": "A pack costs 76 dollars. How much are 3?",
            "answer": "228",
            "concepts": (("Multiplication",),),
        },
    ),
    "Math23K": (
        {"id": "1", "original_text": "路的一边植树。", "equation": "x=(32-1)*2", "ans": "62"},
        {"text": "路的一边植树。", "equation": "(32-1)*2", "answer": "62"},
    ),
    "ARC": (
        {"question": "2+2?", "choices": {"text": ["3", "4"], "label": ["A", "B"]}, "answerKey": "B"},
        {"answer": "B"},
    ),
    "TAL-SCQ5K": (
        {
            "problem": "2+2?",
            "qtype": "single_choice",
            "answer_option_list": [[{"aoVal": "A", "content": "3"}], [{"aoVal": "B", "content": "4"}]],
            "answer_value": "B",
            "answer_analysis": "Count.",
        },
        {"answer": "B", "solution": "Count."},
    ),
    "pandas": (
        {"Question": "2+2?", "A": 4, "B": 5, "Answer": 4.0, "tags": ["sums", "easy ones"]},
        {"answer": "A", "concepts": (("sums",), ("easy ones",))},
    ),
}


@pytest.mark.parametrize("shape", ["lines", "list", "indented"])
@pytest.mark.parametrize("name", OBJECTS)
def test_published_sets_are_read_as_they_are_published(tmp_path, name, shape):
    found, expected = OBJECTS[name]
    content = {
        "lines": json.dumps(found) + "\n",
        "list": json.dumps([found], ensure_ascii=False),
        "indented": json.dumps([found], indent=2),
    }[shape]
    (record,) = (e for _, e in read(_file(tmp_path, content, "q.json")) if isinstance(e, QuestionRecord))
    assert {field: getattr(record, field) for field in expected} == expected


def test_objects_of_a_list_have_the_lines_they_begin_on_and_bad_ones_are_named(tmp_path):
    content = '[\n {"text": "1"},\n {"text": 2},\n {"text": "a } \\" {"}, {"text"\n: "4"}\n]'
    entries = list(read(_file(tmp_path, content, "q.json")))
    assert [(line, getattr(entry, "text", "")) for line, entry in entries] == [
        (2, "1"),
        (3, ""),
        (4, 'a } " {'),
        (4, "4"),
    ]
    ((_, cut),) = read(_file(tmp_path, '[{"text": "1"', "cut.json"))
    assert cut == LineProblem(1, "not JSON: the object that begins here is never closed")


def test_unknown_fields_of_objects_are_named_as_columns_are(tmp_path):
    path = _file(tmp_path, '{"text": "1", "author": "Jo"}\n{"question": "2", "page": 3, "author": "Al"}\n', "q.jsonl")
    file = read(path)
    assert [entry.text for _, entry in file] == ["1", "2"]
    assert file.unread == ["author", "page"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("5", "B"),
        ("$5$", "B"),
        ("b", "B"),
        ("(B)", "B"),
        ("B.", "B"),
        ("Option B", "B"),
        ("B) 5", "B"),
        ("5.0", "B"),
        ("Antwort B", "B"),
        ("选项B", "B"),
        ("7", None),
        ("4", None),
        ("E", None),
    ],
)
def test_an_answer_may_name_its_option_by_text(tmp_path, answer, expected):
    entries = [e for _, e in read(_file(tmp_path, f"question;A;B;C;D;correct\n?;4;5;6;4;{answer}\n"))]
    if expected:
        assert entries[-1].answer == expected
        assert isinstance(entries[0], LineWarning)
    else:
        assert "is not the label of an option" in entries[0].reason


def test_a_choice_without_options_becomes_an_open_question_and_says_so(tmp_path):
    path = _file(tmp_path, "text,type\n2 + 2?,Multiple Choice\nWhich? A. 3 B. 4,multichoice\n")
    (_, warning), (_, first), (_, second) = read(path)
    assert "the question has no options" in warning.reason
    assert (first.kind, second.kind) == ("open", "choice")


def test_columns_can_be_corrected_and_left_out(tmp_path):
    path = _file(tmp_path, "Autor;Frage;Punkte\n1 + 1;egal;hart\n")
    layout = layout_of(path, columns={"Autor": "text", "Punkte": "difficulty"})
    assert layout.pairs == [("Autor", "text"), ("Punkte", "difficulty")]
    ((_, record),) = read(path, layout=layout, without=["difficulty"])
    assert (record.text, record.difficulty) == ("1 + 1", None)
    with pytest.raises(ImportRefused, match="cannot be imported without 'text'"):
        read(path, without=["text"])


def test_a_table_without_a_header_can_be_read(tmp_path):
    path = _file(tmp_path, "What is 1 + 1?,2\nWhat is 2 + 2?,4\n")
    with pytest.raises(ImportRefused, match="--header-row 0"):
        read(path)
    layout = layout_of(path, "csv", header_line=0, columns={"Column 1": "text", "Column 2": "answer"})
    assert [(entry.text, entry.answer) for _, entry in read(path, layout=layout)] == [
        ("What is 1 + 1?", "2"),
        ("What is 2 + 2?", "4"),
    ]


@pytest.mark.parametrize(
    ("content", "bad"),
    [
        ('text,answer\nfine,1\n"broken,2\nok "x" y,3\nlast,4\n', [3]),
        ('text,answer\n"What is 2+2?,4\n"What is 3+3?",6\nlast,4\n', [2]),
        ('text,answer\na,"1\nb,2\nc,3\n', [2]),
        ('text,answer\n"a,1\n"b,2\nc,3\n', [2, 3]),
    ],
)
def test_an_open_quotation_mark_costs_its_line_alone(tmp_path, content, bad):
    entries = list(read(_file(tmp_path, content)))
    assert [line for line, entry in entries if isinstance(entry, LineProblem)] == bad
    assert len(entries) == content.count("\n") - 1
    assert all("is never closed" in e.reason for _, e in entries if isinstance(e, LineProblem))


def test_lists_of_texts_become_one_as_tal_and_mawps_publish_them(tmp_path):
    content = '[{"sQuestion": "How many?", "lEquations": ["X=70-27"], "lSolutions": [43.0], "explanation": ["a", "b"]}]'
    path = _file(tmp_path, content, "set.json")
    record = next(entry for _line, entry in read(path) if isinstance(entry, QuestionRecord))
    assert (record.answer, record.equation, record.solution) == ("43", "70-27", "a\n\nb")
