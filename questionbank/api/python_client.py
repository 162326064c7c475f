"""The Python client's operations, written from the schema of the API: a typed method for each, and the types of values.

`manage.py openapi` writes them to `client/kindred_client/operations.py`; `client.py` beside it sends the requests.
"""

from __future__ import annotations

import json
import keyword
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

WRITTEN_TO = Path(__file__).parent / "client" / "kindred_client" / "operations.py"
_ROOT = "/api/v1"
_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_HEAD = '''"""The operations of Kindred's API, and the types of their values.

Written by `manage.py openapi` from the API's schema: do not edit it.
"""

# ruff: noqa
# fmt: off
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NotRequired, Required, TypedDict, Unpack
from urllib.parse import quote

File = str | Path | tuple[str, bytes]
"""A path, or a name and the content."""
'''
_CLASS = '''

class Operations:
    """One method for each operation; bodies and results are dictionaries, as the types above describe them."""

    def call(
        self, method: str, path: str, *, query: Any = None, body: Any = None, files: Any = None, if_match: str = ""
    ) -> Any:
        """Send a request and return the result."""
        raise NotImplementedError
'''


def client_source(schema: Mapping[str, Any]) -> str:
    """Return the module with the types and operations of a schema."""
    operations = [
        (method, path, operation) for path, found in schema["paths"].items() for method, operation in found.items()
    ]
    used = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schema)))
    parts = [_HEAD, *(_type(*one) for one in schema["components"]["schemas"].items() if one[0] in used)]
    parts += [_query_type(operation) for _method, _path, operation in operations if _parameters(operation, "query")]
    parts += [_CLASS, *(_method(*operation) for operation in operations)]
    return "".join(parts)


def _type(name: str, described: Mapping[str, Any]) -> str:
    """Return the definition of a component: a dictionary's type, or a name for a simpler one."""
    if described.get("type") != "object" or "properties" not in described:
        return f"\n\n{_class_name(name)} = {annotation(described)}\n"
    required = described.get("required", ())
    fields = {
        field: (annotation(one) if field in required else f"NotRequired[{annotation(one)}]", one)
        for field, one in described["properties"].items()
    }
    return _typed_dict(_class_name(name), described.get("description", ""), fields)


def _query_type(operation: Mapping[str, Any]) -> str:
    fields = {}
    for parameter in _parameters(operation, "query"):
        kind = annotation(parameter["schema"])
        fields[_identifier(parameter["name"])] = (f"Required[{kind}]" if parameter.get("required") else kind, parameter)
    name = _query_name(operation)
    return _typed_dict(name, f"Parameters of `{operation['operationId']}`.", fields, bases="TypedDict, total=False")


def _typed_dict(
    name: str, description: str, fields: Mapping[str, tuple[str, Mapping[str, Any]]], bases: str = "TypedDict"
) -> str:
    if any(keyword.iskeyword(field) or not field.isidentifier() for field in fields):
        pairs = ", ".join(f'"{field}": "{kind}"' for field, (kind, _described) in fields.items())
        return f'\n\n{name} = TypedDict("{name}", {{{pairs}}})\n'
    lines = [f"\n\nclass {name}({bases}):", *_docstring(description, 4)]
    lines += [""] if description and fields else []
    lines += [
        f"    {field}: {kind}" + (f"  # {_one_line(described['description'])}" if "description" in described else "")
        for field, (kind, described) in fields.items()
    ]
    return "\n".join(lines if fields or description else [*lines, "    pass"]) + "\n"


def _method(method: str, path: str, operation: Mapping[str, Any]) -> str:
    """Return the method that calls an operation."""
    inner = {parameter["name"]: annotation(parameter["schema"]) for parameter in _parameters(operation, "path")}
    arguments = ["self", *(f"{name}: {kind}" for name, kind in inner.items())]
    given = [f'"{method.upper()}"', _path_of(path, inner)]
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        arguments.append(f"body: {annotation(content['application/json']['schema'])}")
        given.append("body=body")
    elif content:
        arguments.append("file: File")
        given.append('files={"file": file}')
    if inner and method != "get":
        arguments += ["*", 'if_match: str = ""']
        given.append("if_match=if_match")
    if _parameters(operation, "query"):
        arguments.append(f"**query: Unpack[{_query_name(operation)}]")
        given.append("query=query")
    lines = [
        f"\n    def {operation['operationId']}({', '.join(arguments)}) -> {_result(operation)}:",
        *_docstring(operation["description"], 8),
        f"        return self.call({', '.join(given)})",
    ]
    return "\n".join(lines) + "\n"


def _path_of(path: str, inner: Mapping[str, str]) -> str:
    """Return the code of a path; texts in it are quoted."""
    short = path.removeprefix(_ROOT)
    for name, kind in inner.items():
        if kind != "int":
            short = short.replace(f"{{{name}}}", f"{{quote({name}, safe='')}}")
    return f'{"f" if inner else ""}"{short}"'


def _result(operation: Mapping[str, Any]) -> str:
    """Return the type of an operation's result: that of its JSON, `bytes` of a file, `None` without a body."""
    status, response = next((code, one) for code, one in operation["responses"].items() if code.startswith("2"))
    if status == "204":
        return "None"
    content = response.get("content", {})
    return annotation(content["application/json"]["schema"]) if "application/json" in content else "bytes"


def annotation(described: Mapping[str, Any]) -> str:
    """Return the Python type of values that a schema describes.

    >>> annotation({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]})
    'list[int] | None'
    """
    if "$ref" in described:
        return _class_name(described["$ref"].rpartition("/")[2])
    if choices := described.get("enum") or [described[name] for name in ("const",) if name in described]:
        return f"Literal[{', '.join(map(json.dumps, choices))}]"
    for combined in ("anyOf", "oneOf", "allOf"):
        if combined in described:
            return " | ".join(dict.fromkeys(map(annotation, described[combined])))
    kind = described.get("type")
    if kind == "array":
        return f"list[{annotation(described.get('items', {}))}]"
    if kind == "object":
        held = described.get("additionalProperties")
        return f"dict[str, {annotation(held) if isinstance(held, dict) else 'Any'}]"
    return _SIMPLE.get(str(kind), "Any")


def _class_name(name: str) -> str:
    """Return the name of a component's type.

    >>> _class_name("Page_QuestionItem_"), _class_name("MeItem")
    ('QuestionItemPage', 'MeItem')
    """
    generic = re.fullmatch(r"(\w+?)_(\w+)_", name)
    return f"{generic[2]}{generic[1]}" if generic else name


def _query_name(operation: Mapping[str, Any]) -> str:
    return "".join(word.capitalize() for word in operation["operationId"].split("_")) + "Query"


def _parameters(operation: Mapping[str, Any], place: str) -> list[Mapping[str, Any]]:
    return [parameter for parameter in operation.get("parameters", ()) if parameter["in"] == place]


def _identifier(name: str) -> str:
    """Return a parameter's name; one that Python reserves ends in an underscore, which the client does not send."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _docstring(text: str, indent: int) -> Iterator[str]:
    """Yield the lines of a docstring."""
    margin = " " * indent
    paragraphs = [textwrap.fill(_one_line(part), 116 - indent) for part in text.split("\n\n")]
    if text:
        body = "\n\n".join(paragraphs).replace("\\", "\\\\")
        closed = f'"""{body}"""' if "\n" not in body else f'"""{body}\n"""'
        yield textwrap.indent(closed, margin)


def _one_line(text: str) -> str:
    return " ".join(text.split())
