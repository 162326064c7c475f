"""Clearing away the checkpoints of trainings that nobody will go on with."""

from __future__ import annotations

import re
import shutil
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from questionbank.models import Run
from questionbank.selectors.registry.checkpoints import checkpoints_root

KEPT_FOR = timedelta(days=30)  # after a training failed or was cancelled

_NAME = re.compile(r"run-(\d{1,18})")


def checkpoints_clear() -> int:
    """Delete the checkpoints of runs that succeeded, are gone, or stopped long ago; returns how many.

    Only those in this machine's `VAR_DIR`.
    """
    folders = {
        int(match[1]): path
        for path in sorted(checkpoints_root().glob("run-*"))
        if (match := _NAME.fullmatch(path.name)) and path.is_dir()
    }
    stopped_lately = Q(state__in=(Run.State.FAILED, Run.State.CANCELLED)) & Q(
        finished_at__gte=timezone.now() - KEPT_FOR
    )
    # Asked after the folders were listed: a run that has a folder has its row.
    resumable = set(
        Run.objects.filter(Q(pk__in=folders) & (~Q(state__in=Run.FINISHED) | stopped_lately)).values_list(
            "pk", flat=True
        )
    )
    abandoned = [path for number, path in folders.items() if number not in resumable]
    for path in abandoned:
        shutil.rmtree(path, ignore_errors=True)
    return len(abandoned)
