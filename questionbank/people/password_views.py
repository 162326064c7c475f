"""django-allauth's pages about passwords, which are missing where accounts have none of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.forms import ReauthenticateForm
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse

View = Callable[..., HttpResponse]
NO_PASSWORDS = "This site has no passwords of its own: log in as the log-in page offers."


class ConfirmForm(ReauthenticateForm):
    """The password, typed once more; its help leads to the page that resets passwords, if there is one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SIGN_ON.local_passwords:
            self.fields["password"].help_text = ""


def of_all(view: View) -> View:
    """Let everybody open a page, unless local passwords are off."""
    return _unless_off(view, lambda _request: settings.SIGN_ON.local_passwords)


def of_own(view: View) -> View:
    """Let people open a page if the password of their own account works."""
    return _unless_off(view, lambda request: settings.SIGN_ON.takes_password_of(request.user.get_username()))


def _unless_off(view: View, is_on: Callable[[Any], bool]) -> View:
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_on(request):
            raise Http404(NO_PASSWORDS)
        return view(request, *args, **kwargs)

    return answered
