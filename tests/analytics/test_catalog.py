from __future__ import annotations

import subprocess
import sys
from dataclasses import is_dataclass

import pytest

from analytics.catalog import CAPABILITIES, resolve


@pytest.mark.parametrize(
    ("word", "verb"),
    [
        (word, verb)
        for word, capability in CAPABILITIES.items()
        for verb in ("train", "evaluate", "export", "load")
        if getattr(capability, verb)
    ],
)
def test_every_named_function_exists(word, verb):
    assert callable(resolve(getattr(CAPABILITIES[word], verb)))


@pytest.mark.parametrize("word", [word for word, capability in CAPABILITIES.items() if capability.train])
def test_what_can_be_trained_has_a_configuration_with_working_defaults(word):
    config = CAPABILITIES[word].config
    assert is_dataclass(config)
    config()


def test_the_catalog_and_every_loader_of_the_web_process_need_no_torch():
    web = [row for row in CAPABILITIES.values() if row.load and row.serves == "web"]
    names = [row.load.partition(":")[0] for row in web]
    script = (
        "import sys, importlib, analytics.catalog\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "print(sorted({'torch', 'transformers'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
