"""Standalone script, run in a separate process: typeset `worksheet.typ` with the data next to it.

    python typesetting.py FOLDER [FONTS]

FOLDER contains the templates, `content.json` and the pictures; the compiler may read nothing else, except the fonts of
the system and of the folder FONTS. Writes `worksheet.pdf` into FOLDER and prints as JSON what could not be typeset.
Imports nothing of ours, so that it starts at once.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

MEGABYTES = 3_000  # address space; a worksheet of 400 questions uses a tenth of it
SECONDS = 60  # CPU time
STANDARDS = ("ua-1",)
_HANZI = (
    "Noto Serif CJK SC", "Source Han Serif SC", "Noto Sans CJK SC", "Source Han Sans SC", "Noto Sans SC",
    "Songti SC", "PingFang SC", "SimSun", "Microsoft YaHei", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
)  # fmt: skip
_UNKNOWN_CHARACTER = re.compile(r'the text `"((?:[^"\\]|\\.)+)"` could not be displayed')
_CHINESE = re.compile("[\u3400-\u9fff]")


class _Typesetter:
    def __init__(self, folder: Path, fonts: str = "") -> None:
        import typst

        self._typst = typst
        self._folder = folder
        self._fonts = typst.Fonts(font_paths=[fonts] if fonts else [])
        self._content = (folder / "content.json").read_text(encoding="utf-8")
        families = set(self._fonts.families())
        self._hanzi = [name for name in _HANZI if name in families]
        self._refused: list[int] = []
        self._missing: list[str] = []

    def run(self) -> dict[str, object]:
        """Write the PDF; return the indices of the formulas, and the characters, that could not be typeset."""
        self._replace(self._unknown_characters())
        pdf = self._compile()
        if pdf is None:
            self._replace(_unknown(self._error))
            self._refused = self._faulty_formulas()
            pdf = self._compile()
        if pdf is None:
            raise SystemExit(self._error)
        (self._folder / "worksheet.pdf").write_bytes(pdf)
        return {"refused": self._refused, "missing": self._missing}

    def _unknown_characters(self) -> list[str]:
        """Return the characters that no font has, found by typesetting each once."""
        found = set(self._content)
        characters = sorted(sign for sign in found if not sign.isascii() and sign.isprintable())
        if not characters:
            return []
        source = self._folder / "characters.typ"
        source.write_text(_CHARACTERS_ALONE, encoding="utf-8")
        try:
            self._set(source, characters="".join(characters), hanzi=json.dumps(self._hanzi))
        except self._typst.TypstError as error:
            return _unknown(error.diagnostic)
        return []

    def _set(self, source: Path, standards: Sequence[str] = STANDARDS, **inputs: str) -> bytes:
        pdf: bytes = self._typst.compile(
            source,
            root=self._folder,
            font_paths=self._fonts,
            package_path=self._folder,
            package_cache_path=self._folder,
            pdf_standards=list(standards),
            sys_inputs=inputs,
            timestamp=0,
        )
        return pdf

    def _compile(self) -> bytes | None:
        findings = {
            "hanzi": self._hanzi,
            "refused": self._refused,
            "missing": [_numbered(character) for character in self._missing],
            "chinese": any(map(_CHINESE.match, self._missing)),
        }
        (self._folder / "content.json").write_text(self._content, encoding="utf-8")
        (self._folder / "findings.json").write_text(json.dumps(findings), encoding="utf-8")
        try:
            return self._set(self._folder / "worksheet.typ")
        except self._typst.TypstError as error:
            self._error = f"{error.message}\n{error.diagnostic}"
            return None

    def _replace(self, texts: list[str]) -> None:
        characters = sorted({character for text in texts for character in text})
        self._missing += [character for character in characters if not _narrow(character)]
        written = {character: _narrow(character) or f"[{_numbered(character)}]" for character in characters}
        self._content = self._content.translate(
            {ord(character): json.dumps(text)[1:-1] for character, text in written.items()}
        )

    def _faulty_formulas(self) -> list[int]:
        """Return the indices of the formulas that cannot be typeset, found by bisection."""
        source = self._folder / "formulas.typ"
        source.write_text(_FORMULAS_ALONE, encoding="utf-8")

        def is_sound(places: list[int]) -> bool:
            try:
                self._set(source, (), places=json.dumps(places))
            except self._typst.TypstError:
                return False
            return True

        return list(_faulty(list(range(len(json.loads(self._content)["formulas"]))), is_sound))


_CHARACTERS_ALONE = """
#set document(title: "Characters", date: none)
#set text(font: ("New Computer Modern", ..json(bytes(sys.inputs.hanzi))))
#for character in sys.inputs.characters.codepoints() { par(character) }
"""
_FORMULAS_ALONE = """
#import "formula.typ": draw
#let formulas = json("content.json").formulas
#for place in json(bytes(sys.inputs.places)) { block(math.equation(draw(formulas.at(place).drawing, false))) }
"""


def _unknown(error: str) -> list[str]:
    quoted = dict.fromkeys(_UNKNOWN_CHARACTER.findall(error))
    return [json.loads(f'"{text}"') if "\\u{" not in text else _unescaped(text) for text in quoted]


def _faulty(places: list[int], is_sound: Callable[[list[int]], bool]) -> list[int]:
    if not places or is_sound(places):
        return []
    if len(places) == 1:
        return places
    middle = len(places) // 2
    return [*_faulty(places[:middle], is_sound), *_faulty(places[middle:], is_sound)]


def _narrow(character: str) -> str:
    """Return the usual form of a full-width character, such as "．"; empty if there is none."""
    usual = unicodedata.normalize("NFKC", character)
    return usual if usual != character and (usual.isascii() or len(usual) == 1) else ""


def _numbered(character: str) -> str:
    return f"U+{ord(character):04X}"


def _unescaped(text: str) -> str:
    r"""Return a text with escapes such as ``\u{1f600}`` decoded."""
    return re.sub(r"\\u\{([0-9a-f]+)\}", lambda match: chr(int(match[1], 16)), text)


def main() -> None:
    """Typeset the content of the folder."""
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES * 2**20, MEGABYTES * 2**20))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    print(json.dumps(_Typesetter(Path(sys.argv[1]), *sys.argv[2:3]).run()))  # noqa: T201 - for the process that started this one


if __name__ == "__main__":
    main()
