"""Replace a trained retriever's datastore."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from analytics.analogy.datastore import Datastore, kept_examples, save_datastore
from analytics.analogy.retriever import load_retriever
from analytics.artifacts import artifact_amend, artifact_read
from analytics.errors import DataError
from analytics.problem_files import read_problems


def give_datastore(model: Path, problems: Path) -> Datastore:
    """Write a datastore of a file's problems, or of a folder's training problems, into a retriever's folder.

    Raises:
        ArtifactError, DataError: the model or the problems cannot be read, or no problem has a graph.
    """
    retriever = load_retriever(model)
    examples = kept_examples(read_problems(problems).learned)
    if not examples:
        raise DataError(f"No problem of {problems} has an equation, a program or calculations that can be read.")
    datastore = Datastore.of(examples, retriever.encode([example.problem.text for example in examples]))
    artifact_amend(model, artifact_read(model), partial(save_datastore, datastore))
    return datastore
