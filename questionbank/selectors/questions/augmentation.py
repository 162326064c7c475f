"""What the encoder's training makes of a question."""

from __future__ import annotations

import threading

from analytics.encoder.augment.preview import LONGEST, Preview, augmentation_preview
from analytics.errors import DataError
from questionbank.errors import ServiceUnavailable, ValidationFailed

_AT_ONCE = threading.BoundedSemaphore(2)  # child processes of this process
_PATIENCE_SECONDS = 5.0


def question_augmented(*, text: str, seed: int, draws: int) -> Preview:
    """Return every strategy alone and the whole pipeline `draws` times, worked out in a child process.

    Raises:
        ValidationFailed: the text is too long.
        ServiceUnavailable: others ask at the same time, or the strategies took too long.
    """
    if len(text) > LONGEST:
        raise ValidationFailed(
            f"The text is longer than {f'{LONGEST:,}'} characters.",
        )
    if not _AT_ONCE.acquire(timeout=_PATIENCE_SECONDS):
        raise ServiceUnavailable("Augmentation is busy with other requests; try again in a moment.")
    try:
        return augmentation_preview(text, seed=seed, draws=draws)
    except DataError as error:
        raise ServiceUnavailable(str(error)) from error
    finally:
        _AT_ONCE.release()
