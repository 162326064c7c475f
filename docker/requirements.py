"""Print the requirements of pyproject.toml, those of the extras named on the command line included."""

import sys
import tomllib
from pathlib import Path


def main(extras: list[str]) -> None:
    """Print one requirement a line."""
    here = Path(__file__).resolve().parent
    path = next(folder / "pyproject.toml" for folder in (here, here.parent) if (folder / "pyproject.toml").exists())
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    sys.stdout.write("\n".join(wanted) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
