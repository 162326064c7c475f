from __future__ import annotations

import subprocess
import sys
from dataclasses import is_dataclass

import pytest

from analytics.catalog import CAPABILITIES, lenses, main_lens


@pytest.mark.parametrize("word", list(CAPABILITIES))
def test_what_can_be_trained_has_a_configuration_with_working_defaults(word):
    config = CAPABILITIES[word].config
    assert is_dataclass(config)
    config()


def test_one_lens_is_the_main_one_and_every_stand_in_exists():
    assert [lens for lens in lenses().values() if lens.is_main] == [main_lens()]
    assert {lens.stand_in for lens in lenses().values()} <= {"", *lenses()}


def test_the_classes_and_every_loader_of_the_web_process_need_no_torch(tmp_path):
    script = (
        "import sys, pathlib\n"
        "from analytics.catalog import CAPABILITIES\n"
        "from analytics.errors import ArtifactError\n"
        "for row in CAPABILITIES.values():\n"
        "    try:\n"
        f"        row.serves == 'web' and row.load(pathlib.Path({str(tmp_path)!r}))\n"
        "    except ArtifactError:\n"
        "        pass\n"
        "print(sorted({'torch', 'transformers'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
