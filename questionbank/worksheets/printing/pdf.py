"""Worksheets as a PDF file that passes the PDF/UA-1 check, typeset by Typst in a separate process.

The template is ours and fixed, a worksheet is passed as data, and the compiler can read a single folder: no part of a
question is executed, and there is neither network nor package access. Equal worksheets give identical bytes.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from questionbank.core.errors import PrintingRefused
from questionbank.core.storage import scratch_folder
from questionbank.worksheets.printing.content import Content
from questionbank.worksheets.printing.limits import check_sheets
from questionbank.worksheets.sheet import Sheet

logger = logging.getLogger(__name__)

SECONDS = 90
_HERE = Path(__file__).parent
_TEMPLATES = ("worksheet.typ", "formula.typ")


def worksheet_pdf(sheets: Sequence[Sheet]) -> bytes:
    """Return worksheets as one PDF file, each starting on a new page, with pages counted from 1.

    A formula that cannot be typeset is replaced by its source, and a character missing from all fonts by its number.

    Raises:
        PrintingRefused: there is nothing to print, too much, or Typst is not installed.
    """
    check_sheets(sheets)
    if importlib.util.find_spec("typst") is None:
        raise PrintingRefused("PDF files need the package typst. Install it with: pip install 'kindred[documents]'")
    content = Content()
    data = content.data(sheets)
    with scratch_folder(prefix="print-") as folder:
        for name in _TEMPLATES:
            shutil.copyfile(_HERE / name, folder / name)
        for name, picture in content.pictures.items():
            (folder / name).write_bytes(picture)
        (folder / "content.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        _typeset(folder)
        return (folder / "worksheet.pdf").read_bytes()


def _typeset(folder: Path) -> None:
    command = [sys.executable, "-I", str(_HERE / "typesetting.py"), str(folder), settings.FONT_FOLDER]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise PrintingRefused(
            f"Setting this worksheet takes longer than {SECONDS} seconds. Print fewer questions at a time."
        ) from None
    if done.returncode or not (folder / "worksheet.pdf").exists():
        logger.error("Typst failed: %s", done.stderr.decode("utf-8", "replace")[-2_000:])
        raise PrintingRefused("This worksheet cannot be set. Print fewer questions at a time, or without pictures.")
    notes = json.loads(done.stdout)
    if notes["refused"] or notes["missing"]:
        logger.warning("Printed as source or number: %d formulas, %s", len(notes["refused"]), notes["missing"])
