# ruff: noqa: E501 - items as other systems write them
"""A package as Canvas exports it, made here: every type of question, a bank, a picture, equations."""

from __future__ import annotations

import io
import zipfile
from xml.sax.saxutils import escape

from tests.pictures import png

GRAPH = png(3, 2)


def _meta(**fields: str) -> str:
    return "".join(
        f"<qtimetadatafield><fieldlabel>{name}</fieldlabel><fieldentry>{value}</fieldentry></qtimetadatafield>\n"
        for name, value in fields.items()
    )


def _html(text: str) -> str:
    return f'<material>\n<mattext texttype="text/html">{escape(text)}</mattext>\n</material>'


def _plain(text: str) -> str:
    return f'<material><mattext texttype="text/plain">{escape(text)}</mattext></material>'


def _item(number: int, kind: str, text: str, asked: str = "", right: str = "", feedback: str = "") -> str:
    processing = (
        f'<resprocessing>\n<outcomes>\n<decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/>'
        f"</outcomes>{right}</resprocessing>"
        if right
        else ""
    )
    meta = _meta(
        question_type=kind,
        points_possible="2.0",
        original_answer_ids="",
        assessment_question_identifierref=f"g{number}q",
    )
    return (
        f'<item ident="g{number}" title="Question">\n<itemmetadata><qtimetadata>{meta}</qtimetadata></itemmetadata>\n'
        f"<presentation>{_html(f'<div>{text}</div>')}\n{asked}</presentation>\n{processing}{feedback}</item>"
    )


def _lid(ident: str, labels: dict[str, str], cardinality: str = "Single", name: str = "", is_html: bool = False) -> str:
    inner = "".join(
        f'<response_label ident="{key}">{_html(text) if is_html else _plain(text)}</response_label>'
        for key, text in labels.items()
    )
    kind = f' rcardinality="{cardinality}"' if not name else ""
    return f'<response_lid ident="{ident}"{kind}>{name}<render_choice>{inner}</render_choice></response_lid>'


def _equal(value: str, respondent: str = "response1") -> str:
    return f'<varequal respident="{respondent}">{value}</varequal>'


def _right(condition: str, score: str = "100", action: str = "Set") -> str:
    return (
        f'<respcondition continue="No"><conditionvar>{condition}</conditionvar>'
        f'<setvar action="{action}" varname="SCORE">{score}</setvar></respcondition>'
    )


def _fib(kind: str = "") -> str:
    return (
        f'<response_str ident="response1" rcardinality="Single"><render_fib{kind}>'
        '<response_label ident="answer1" rshuffle="No"/></render_fib></response_str>'
    )


def _feedback(ident: str, text: str) -> str:
    return f'<itemfeedback ident="{ident}"><flow_mat>{_html(text)}</flow_mat></itemfeedback>'


def _bounds(low: str, least: float, most: float) -> str:
    return f'<and><{low} respident="response1">{least}</{low}><varlte respident="response1">{most}</varlte></and>'


_EQUATION = (
    '<img class="equation_image" title="\\frac{1}{2}" src="/equation_images/%255Cfrac%257B1%257D%257B2%257D"'
    ' alt="LaTeX: \\frac{1}{2}" data-equation-content="\\frac{1}{2}">'
)
_SHOWN = (
    '<respcondition continue="Yes"><conditionvar><other/></conditionvar>'
    '<displayfeedback feedbacktype="Response" linkrefid="general_fb"/></respcondition>'
    '<respcondition continue="Yes"><conditionvar><varequal respident="response1">11</varequal></conditionvar>'
    '<displayfeedback feedbacktype="Response" linkrefid="11_fb"/></respcondition>'
)
_DECIMAL = ' fibtype="Decimal"'
QUIZ = [
    _item(
        1,
        "multiple_choice_question",
        f'Which is {_EQUATION}? <img src="$IMS-CC-FILEBASE$/Uploaded%20Media/my%20graph.png" alt="a graph">',
        _lid("response1", {"11": "<p>one half</p>", "12": "two"}, is_html=True),
        _SHOWN + _right(_equal("11")),
        _feedback("general_fb", "Divide.") + _feedback("11_fb", "Yes"),
    ),
    _item(
        2, "true_false_question", "One is odd.", _lid("response1", {"21": "True", "22": "False"}), _right(_equal("21"))
    ),
    _item(
        3,
        "multiple_answers_question",
        "Which are even?",
        _lid("response1", {"31": "2", "32": "3", "33": "4"}, "Multiple"),
        _right(f"<and>{_equal('31')}<not>{_equal('32')}</not>{_equal('33')}</and>"),
    ),
    _item(4, "short_answer_question", "Ten in words?", _fib(), _right(_equal("ten") + _equal("Ten"))),
    _item(
        5,
        "numerical_question",
        "Pi?",
        _fib(_DECIMAL),
        _right(f"<or>{_equal('3.14')}{_bounds('vargte', 3.13, 3.15)}</or>")
        + _right(_bounds("vargte", 6.0, 8.0)[5:-6])
        + _right(f"<or>{_equal('13.4')}{_bounds('vargt', 13.35, 13.45)}</or>"),
    ),
    _item(
        6,
        "numerical_question",
        "Four?",
        _fib(_DECIMAL),
        _right(f"<or>{_equal('4.0')}{_bounds('vargte', 4.0, 4.0)}</or>"),
    ),
    _item(
        7,
        "fill_in_multiple_blanks_question",
        "Roses are [color1], violets are [color2].",
        _lid("response_color1", {"71": "red", "72": "Red"}, name=_plain("color1"))
        + _lid("response_color2", {"73": "blue"}, name=_plain("color2")),
        _right(_equal("71", "response_color1"), "50.00", "Add")
        + _right(_equal("73", "response_color2"), "50.00", "Add"),
    ),
    _item(
        8,
        "multiple_dropdowns_question",
        "2 + 2 is [sum].",
        _lid("response_sum", {"81": "3", "82": "4"}, name=_plain("sum")),
        _right(_equal("82", "response_sum"), "100.00", "Add"),
    ),
    _item(
        9,
        "matching_question",
        "Match.",
        _lid("response_91", {"1": "two", "2": "four", "3": "six"}, name=_plain("1 + 1"))
        + _lid("response_92", {"1": "two", "2": "four", "3": "six"}, name=_plain("2 + 2")),
        _right(_equal("1", "response_91"), "50.00", "Add") + _right(_equal("2", "response_92"), "50.00", "Add"),
    ),
    _item(
        10,
        "essay_question",
        "Prove it.",
        _fib(),
        "<respcondition continue='No'><conditionvar><other/></conditionvar></respcondition>",
    ),
    _item(11, "text_only_question", "Read this."),
    _item(12, "file_upload_question", "Upload it.", right="<!-- nothing -->"),
]
BANK = [
    _item(
        13,
        "calculated_question",
        "What is [x] + 1?",
        _fib(_DECIMAL),
        "<!-- drawn -->",
        "<itemproc_extension><calculated><formulas><formula>x + 1</formula></formulas>"
        '<vars><var name="x" scale="0"/></vars></calculated></itemproc_extension>',
    )
]  # fmt: skip
_ROOT = '<?xml version="1.0" encoding="UTF-8"?>\n<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">'
MANIFEST = (
    '<manifest identifier="m" xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"><resources>'
    '<resource identifier="q1" type="imsqti_xmlv1p2"><file href="q1/q1.xml"/></resource></resources></manifest>'
)


def package(items: list[str] | None = None, manifest: str = MANIFEST, **members: bytes) -> bytes:
    quiz = "\n".join(QUIZ if items is None else items)
    files = {
        "imsmanifest.xml": manifest.encode(),
        "q1/q1.xml": (
            f'{_ROOT}<assessment ident="q1" title="Sums &gt; 1"><qtimetadata/><section ident="root_section">{quiz}'
            "</section></assessment></questestinterop>"
        ).encode(),
        "q1/assessment_meta.xml": b"<quiz/>",
        "Uploaded Media/my graph.png": GRAPH,
        "bank.xml.qti": (
            f'{_ROOT}<objectbank ident="b"><qtimetadata>{_meta(bank_title="Drawn")}</qtimetadata>{"".join(BANK)}'
            "</objectbank></questestinterop>"
        ).encode(),
    } | members
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


# -- the same in the ways of Blackboard ----------------------------------------------------------------------------


def _formatted(text: str) -> str:
    return (
        '<flow_mat class="FORMATTED_TEXT_BLOCK"><material><mat_extension><mat_formattedtext type="HTML">'
        f"{escape(text)}</mat_formattedtext></mat_extension></material></flow_mat>"
    )


def _block(name: str, inner: str) -> str:
    return f'<flow class="{name}">{inner}</flow>'


def _blackboard(kind: str, text: str, asked: str, right: str, more: str = "") -> str:
    number = len(kind)
    shown = _block("QUESTION_BLOCK", _block("FORMATTED_TEXT_BLOCK", _formatted(text).replace("flow_mat", "flow")))
    processing = f'<resprocessing scoremodel="SumOfScores"><outcomes/>{right}{_WRONG}</resprocessing>' if right else ""
    return (
        f'<item maxattempts="0"><itemmetadata><bbmd_asi_object_id>_{number}_1</bbmd_asi_object_id><bbmd_questiontype>'
        f"{kind}</bbmd_questiontype><qmd_absolutescore_max>5.0</qmd_absolutescore_max></itemmetadata><presentation>"
        f"{_block('Block', shown + _block('RESPONSE_BLOCK', asked) + more)}</presentation>{processing}"
        f'<itemfeedback ident="correct" view="All">{_formatted("Well done")}</itemfeedback></item>'
    )


_WRONG = (
    '<respcondition title="incorrect"><conditionvar><other/></conditionvar><setvar variablename="SCORE" action="Set">0'
    '</setvar><displayfeedback linkrefid="incorrect" feedbacktype="Response"/></respcondition>'
)


def _best(condition: str) -> str:
    return (
        f'<respcondition title="correct"><conditionvar>{condition}</conditionvar><setvar variablename="SCORE"'
        ' action="Set">SCORE.max</setvar></respcondition>'
    )


def _bb_labels(labels: dict[str, str], ident: str = "response") -> str:
    inner = "".join(
        f'<flow_label class="Block"><response_label ident="{key}">{_formatted(text) if text else ""}</response_label></flow_label>'
        for key, text in labels.items()
    )
    return f'<response_lid ident="{ident}" rcardinality="Single"><render_choice>{inner}</render_choice></response_lid>'


def _bb_equal(value: str, ident: str = "response") -> str:
    return f'<varequal respident="{ident}" case="No">{value}</varequal>'


_OFFERED = {"x": "", "y": "", "z": ""}
BLACKBOARD = [
    _blackboard("Multiple Choice", "<p>2 + 2?</p>", _bb_labels({"a": "3", "b": "4"}), _best(_bb_equal("b"))),
    _blackboard("Multiple Answer", "Even?", _bb_labels({"a": "2", "b": "3", "c": "4"}),
                _best(f'<and>{_bb_equal("a")}<not>{_bb_equal("b")}</not>{_bb_equal("c")}</and>')),
    _blackboard("True/False", "9 is prime.", _bb_labels({"true": "true", "false": "false"}), _best(_bb_equal("false"))),
    _blackboard("Numeric", "Pi?", "<response_num ident='response'/>",
                _best('<vargte respident="response">3.13</vargte><varlte respident="response">3.15</varlte>'
                      + _bb_equal("3.14"))),
    _blackboard("Fill in the Blank", "Capital?", "<response_str ident='response'><render_fib/></response_str>",
                _best(_bb_equal("York")) + _best(_bb_equal("york"))),
    _blackboard("Fill in the Blank Plus", "Roses are [a], violets [b].",
                '<response_str ident="a"><render_fib/></response_str><response_str ident="b"><render_fib/></response_str>',
                _best(f'<and><or>{_bb_equal("red", "a")}{_bb_equal("Red", "a")}</or><or>{_bb_equal("blue", "b")}</or></and>')),
    _blackboard("Matching", "Match.",
                _block("Block", _formatted("1+1").replace("flow_mat", "flow") + _bb_labels(_OFFERED, "p"))
                + _block("Block", _formatted("2+2").replace("flow_mat", "flow") + _bb_labels(_OFFERED, "q")),
                f'<respcondition><conditionvar>{_bb_equal("y", "p")}</conditionvar></respcondition>'
                f'<respcondition><conditionvar>{_bb_equal("x", "q")}</conditionvar></respcondition>',
                _block("RIGHT_MATCH_BLOCK", "".join(
                    _block("Block", _formatted(text).replace("flow_mat", "flow")) for text in ("four", "two", "six")))),
    _blackboard("Ordering", "Sort.", _bb_labels({"a": "2", "b": "1"}),
                _best(f'<and>{_bb_equal("b")}{_bb_equal("a")}</and>')),
    _blackboard("Essay", "Prove it.", "<response_str ident='response'><render_fib/></response_str>", ""),
    _blackboard("Hot Spot", "Click.", "", ""),
]  # fmt: skip


def blackboard_package() -> bytes:
    stream = io.BytesIO()
    items = "\n".join(BLACKBOARD)
    pool = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<questestinterop><assessment title="Pool 1"><section>'
        f"{items}</section></assessment></questestinterop>"
    )
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("imsmanifest.xml", (
            '<manifest identifier="man00001" xmlns:bb="http://www.blackboard.com/content-packaging/"><organizations/>'
            '<resources><resource bb:file="res00001.dat" bb:title="Pool 1" identifier="res00001"'
            ' type="assessment/x-bb-qti-pool" xml:base="res00001"/></resources></manifest>'
        ))  # fmt: skip
        archive.writestr("res00001.dat", pool)
        archive.writestr(".bb-package-info", "cx.package.info.version=6.0")
    return stream.getvalue()
