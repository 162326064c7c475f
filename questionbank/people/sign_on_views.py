"""django-allauth's log-in through providers, whose failures become one sentence, and its pages about passwords.

The pages about passwords are missing where accounts have no passwords of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import structlog
from allauth.account.forms import ReauthenticateForm
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from requests import RequestException

from questionbank.people.providers import OpenIdAdapter, Refused, refuse, unusable
from questionbank.people.sign_on import OpenId, Provider, Saml

logger = structlog.get_logger(__name__)

View = Callable[..., HttpResponse]
_UNREADABLE = (AssertionError, AttributeError, LookupError, SyntaxError, TypeError, ValueError)
"""What reading a malformed answer raises; a broken XML document is a SyntaxError, and python3-saml asserts some."""


def _step(kind: type[Provider]) -> Callable[[View], View]:
    """Make a view a step of a log-in through a provider of this kind."""

    def decorate(view: View) -> View:
        @login_not_required
        @wraps(view)
        def answered(request: HttpRequest, provider_id: str = "", organization_slug: str = "") -> HttpResponse:
            slug = provider_id or organization_slug  # django-allauth's names of it
            provider = settings.SIGN_ON.providers.get(slug)
            if not isinstance(provider, kind):
                raise Http404
            try:
                return _attempted(request, provider, lambda: view(request, slug))
            except ImmediateHttpResponse as refusal:
                return refusal.response

        return answered

    return decorate


def _attempted(request: HttpRequest, provider: Provider, step: Callable[[], HttpResponse]) -> HttpResponse:
    try:
        return step()
    except PermissionDenied:
        refuse(request, f"This log-in at {provider.name} was used already or is too old: log in again.")
    except Refused as error:
        refuse(request, unusable(provider.name, str(error)))
    except (RequestException, OSError):  # of metadata too, which python3-saml fetches by itself
        refuse(request, f"{provider.name} does not answer: try again in a few minutes.", status=503)
    except _UNREADABLE as error:
        logger.warning("sign_on_failed", provider=provider.name, error=type(error).__name__, exc_info=True)
        refuse(request, f"The answer of {provider.name} cannot be read: tell an admin of your school.", status=502)


@_step(OpenId)
def openid_login(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the browser to a provider of OpenID Connect."""
    return OAuth2LoginView.adapter_view(OpenIdAdapter(request, slug))(request)


@_step(OpenId)
def openid_callback(request: HttpRequest, slug: str) -> HttpResponse:
    """Log in the person whom the provider sends back."""
    return OAuth2CallbackView.adapter_view(OpenIdAdapter(request, slug))(request)


def saml_step(name: str) -> View:
    """Return django-allauth's view of a step of SAML; it needs the packages of the extra `saml`."""

    @_step(Saml)
    def step(request: HttpRequest, slug: str) -> HttpResponse:
        from allauth.socialaccount.providers.saml import views
        from onelogin.saml2.errors import OneLogin_Saml2_Error

        if (
            name == "sls" and "Signature" not in request.GET
        ):  # python3-saml would take it; any page could hold such a link
            refuse(request, "Nobody was logged out: the provider did not sign this.")
        view: Any = getattr(views, name)
        try:
            answer: HttpResponse = view(request, organization_slug=slug)
        except OneLogin_Saml2_Error as error:
            raise ValueError(str(error)) from error
        return answer

    # The provider's page sends its answer by a form, which has none of our tokens.
    return csrf_exempt(step) if name in ("acs", "sls") else step


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
