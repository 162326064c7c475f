"""What the product does, written into files, so that a later version of the code can be compared with it.

    python -m tests.golden record    write what this tree does
    python -m tests.golden check     do the same again and show what differs from the recording

A recording keeps the inputs beside the outputs. `check` reads those inputs, so tests, samples and URL names may move.
The recordings hold public data and are never committed.

    __main__.py    the commands; each part runs in a process of its own
    parts.py       the table of parts
    pages.py files.py answers.py trainings.py    what the parts do
    harvest.py     a pytest plugin that collects the files that tests read
    bank.py        the demo bank, and a copy of its database for each part
    texts.py       what does not depend on the run: normalised text, records as JSON, differences
    product.py     the only imports from modules that may move
"""
