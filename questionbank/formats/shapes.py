"""Convert published shapes of answers, options and concepts to ours.

GSM8K ends its answers with ``#### 10`` (Cobbe et al. 2021); AQuA lists options as ``A)8``; MathQA writes them in one
text, ``a ) 38 , b ) 27``; TAL-SCQ5K nests them; MATH boxes the answer in the solution; Moodle starts categories with
``$course$/top``.
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from questionbank.formats.csv_files import split_paths
from questionbank.formats.kinds import option_label
from questionbank.formats.written_numbers import decimal_text

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LABELLED = re.compile(r"\s*[(（\[]?([A-Za-z]|\d{1,2})\s*[)）\].:、．]\s*(.*)", re.DOTALL)
_IN_ONE_TEXT = re.compile(
    r"(?:^|[\s,;，；])[(（\[]?([A-Za-z])\s*[)）\].、．]\s*(.*?)(?=[\s,;，；]+[(（\[]?[A-Za-z]\s*[)）\].、．]|$)",
    re.DOTALL,
)
_LABEL_KEYS = ("label", "aoVal", "key", "letter", "option", "id", "name")
_TEXT_KEYS = ("text", "content", "value", "answer", "body")
_FINAL = re.compile(r"(.*?)\n?\s*####\s*(.+?)\s*", re.DOTALL)
_CALCULATION = re.compile(r"<<([^<>]*)>>")
# Only between two words: "x → 0" is the name of a single concept.
_ARROWS = re.compile(
    r"(?:(?<=[^\W\d_]{2})|(?<=[\u4e00-\u9fff]))\s*(?:->|→|::|»|›|＞|=>)\s*(?=[^\W\d_]{2}|[\u4e00-\u9fff])"
)
_MOODLE = re.compile(r"\s*\$(?:course|system|module|cat|coursecat)\d*\$\s*/\s*(?:top\s*/?)?|\s*top/")
_ANSWER_LABEL = re.compile(
    r"\s*(?:(?:option|choice|answer|antwort|réponse|reponse|opción|opcion|选项|选)\s*)?"
    r"[(（\[]?([A-Za-z])[)）\].:、．]?\s*",
    re.IGNORECASE,
)  # fmt: skip


def option_list(value: Any) -> Any:
    """Return options as a list of objects with label and text; other shapes are returned unchanged.

    >>> option_list(["A)8", "B)9"]) == option_list({"A": "8", "B": "9"}) == option_list(["8", "9"])
    True
    >>> option_list([[{"aoVal": "A", "content": "8"}], [{"aoVal": "B", "content": "9"}]])[1]
    {'label': 'B', 'text': '9'}
    """
    if type(value) is dict:
        texts, labels = value.get("text"), value.get("label")
        if type(texts) is list and type(labels) is list and len(texts) == len(labels):
            return [{"label": str(label), "text": _as_text(text)} for label, text in zip(labels, texts, strict=True)]
        if value and all(type(text) in (str, int, float) for text in value.values()):
            return [{"label": label, "text": _as_text(text)} for label, text in value.items()]
        return value
    if type(value) is not list or not value:
        return value
    if all(type(item) is list for item in value):
        value = [inner for item in value for inner in item]
    if all(type(item) is dict for item in value):
        return [_own_keys(item) for item in value]
    if all(type(item) in (str, int, float) for item in value):
        return _labelled([_as_text(item) for item in value])
    return value


def _as_text(value: Any) -> Any:
    return decimal_text(value) if type(value) in (int, float) else value


def _own_keys(item: Mapping[str, Any]) -> dict[str, Any]:
    if "label" in item and "text" in item:
        return dict(item)
    label = next((item[key] for key in _LABEL_KEYS if key in item), None)
    text = next((item[key] for key in _TEXT_KEYS if key in item), None)
    rest = {name: item[name] for name in ("misconception", "weight", "feedback") if name in item}
    found = {"label": _as_text(label), "text": _as_text(text)}
    return {name: value for name, value in found.items() if value is not None} | rest


def _labelled(texts: Sequence[str]) -> list[dict[str, str]]:
    """Return options with the labels that precede their texts, or else with letters."""
    matches = [_LABELLED.fullmatch(text) for text in texts]
    labels = [match[1].upper() for match in matches if match]
    if len(labels) == len(texts) and labels == list(_LETTERS[: len(labels)]) and len(labels) > 1:
        return [{"label": match[1].upper(), "text": match[2].strip()} for match in matches if match]
    return [{"label": option_label(place), "text": text.strip()} for place, text in enumerate(texts)]


def options_of_text(text: str) -> Any:
    """Return the options in a cell: JSON, a Python list, ``a ) 38 , b ) 27``, or one per line.

    Raises:
        ValueError: the cell does not list options.

    >>> [option["text"] for option in options_of_text("a ) 38 , b ) 27.675 , c ) 30")]
    ['38', '27.675', '30']
    """
    text = text.strip()
    if text.startswith(("[", "{")):
        try:
            return option_list(json.loads(text))
        except (ValueError, RecursionError):
            pass
        try:
            return option_list(ast.literal_eval(text))
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            raise ValueError("options must be JSON, a list of objects with label and text") from error
    matches = _IN_ONE_TEXT.findall(text)
    if len(matches) > 1 and [label.upper() for label, _text in matches] == list(_LETTERS[: len(matches)]):
        return [{"label": label.upper(), "text": option.strip()} for label, option in matches]
    for separator in ("\n", "|", ";", "；"):
        parts = [part.strip() for part in text.split(separator) if part.strip()]
        if len(parts) > 1:
            return _labelled(parts)
    raise ValueError("options must be JSON, a list of objects with label and text, or one option a line")


def answer_label(answer: str, options: Sequence[Mapping[str, str]]) -> str:
    """Return the label of the option that an answer names, by text or as "(B)"; empty unless it names exactly one.

    >>> options = [{"label": "A", "text": "$8$"}, {"label": "B", "text": "9 cm"}]
    >>> answer_label("8", options), answer_label("b)", options), answer_label("Option B", options)
    ('A', 'B', 'B')
    """
    wanted = _plain(answer)
    same = [option["label"] for option in options if _plain(option["text"]) == wanted]
    if same:
        return same[0] if len(same) == 1 else ""
    found: list[str] = []
    if match := _ANSWER_LABEL.fullmatch(answer):
        found = [option["label"] for option in options if option["label"].lower() == match[1].lower()]
    elif (value := _number(answer)) is not None:  # 5.0, as pandas writes 5
        found = [option["label"] for option in options if _number(option["text"]) == value]
    elif match := _LABELLED.fullmatch(answer):  # "B) 9 cm"
        named = (match[1].lower(), _plain(match[2]))
        found = [option["label"] for option in options if (option["label"].lower(), _plain(option["text"])) == named]
    return found[0] if len(found) == 1 else ""


def _number(text: str) -> float | None:
    try:
        return float(_plain(text))
    except ValueError:
        return None


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace("$", " ").split()).lower()


def final_answer(answer: str) -> tuple[str, str, list[str]]:
    r"""Split a GSM8K answer into answer, worked solution and calculations; other answers are returned unchanged.

    >>> final_answer("She buys 2*5=<<2*5=10>>10.\n#### 10")
    ('10', 'She buys 2*5=10.', ['2*5=10'])
    """
    match = _FINAL.fullmatch(answer) if "####" in answer else None
    if match is None or "####" in match[2] or "\n" in match[2]:
        return answer, "", []
    return match[2], _CALCULATION.sub("", match[1]).strip(), _CALCULATION.findall(match[1])


def boxed_answer(solution: str) -> str:
    r"""Return the contents of the last ``\boxed{...}`` of a solution; empty if there is none.

    >>> boxed_answer(r"So $x = \boxed{\frac{1}{2}}$.")
    '\\frac{1}{2}'
    """
    start = solution.rfind(r"\boxed{")
    if start < 0:
        return ""
    depth, begin = 1, start + len(r"\boxed{")
    for place in range(begin, len(solution)):
        sign = solution[place]
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return solution[begin:place].strip()
    return ""


def concept_paths(value: Any, *, has_arrows: bool = True) -> Any:
    """Return concepts given as text or a list of texts as a list of paths; other values are returned unchanged.

    Args:
        has_arrows: whether an arrow between two words separates levels, like ``>``.

    >>> concept_paths("$course$/top/Algebra/Inequalities"), concept_paths(["Algebra -> Sums", "Sets"])
    ([['Algebra', 'Inequalities']], [['Algebra', 'Sums'], ['Sets']])
    """
    if type(value) is str:
        match = _MOODLE.match(value)
        if match:
            names = [name.replace("\0", "/").strip() for name in value[match.end() :].replace("//", "\0").split("/")]
            return [[name for name in names if name]] if any(names) else []
        return split_paths(_ARROWS.sub(" > ", value) if has_arrows else value)
    if type(value) is list and value and all(type(item) is str for item in value):
        return [path for item in value for path in concept_paths(item, has_arrows=has_arrows)]
    return value
