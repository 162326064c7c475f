"""The viewer for whom rows are read (`questionbank.models.visibility`): a request's or job's person, or the system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from questionbank.models import Run, User
from questionbank.models.visibility import EVERYBODY, Audiences, viewing
from questionbank.people.permissions import is_admin


def audiences_of(user: User | AnonymousUser) -> Audiences:
    """Return the audiences that a person belongs to; None for an admin, who sees everything."""
    if isinstance(user, AnonymousUser):
        return ()
    if is_admin(user):
        return None
    return (-user.pk, EVERYBODY, *user.school_ids)


def viewing_as(user: User | None) -> AbstractContextManager[None]:
    """Read rows for a person; None is the system."""
    return viewing(None if user is None else partial(audiences_of, user))


def viewing_for(run: Run) -> AbstractContextManager[None]:
    """Read rows as a job does: for the person who requested it if it works on what they see, else as the system."""
    return viewing_as(run.requested_by if run.kind in Run.PERSONAL else None)


class ViewerMiddleware:
    """Reads rows for the person of a request, asked at each query because a key replaces the person of a session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        def audiences() -> Audiences:
            return audiences_of(request.user)

        with viewing(audiences):
            response = self.get_response(request)
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            response.streaming_content = _read_for(audiences, response.streaming_content)
        return response


def _read_for(audiences: Callable[[], Audiences], pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a response, which are read after the middleware has returned."""
    remaining = iter(pieces)
    while True:
        with viewing(audiences):
            piece = next(remaining, None)
        if piece is None:
            return
        yield piece
