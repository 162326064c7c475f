"""django-allauth's log-in through providers, with the checks that it leaves out and our own error pages.

It takes the providers from `SIGN_ON` alone, verifies the signature of every ID token against the provider's keys, and
checks that the token answers the request that we made (nonce) and names the person whom the user info is about.
"""

from __future__ import annotations

import secrets
from typing import Any, NoReturn

import jwt
import structlog
from allauth.account.utils import get_next_redirect_url
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.base import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from allauth.socialaccount.providers.saml.provider import SAMLProvider
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from requests import RequestException

from questionbank.core.errors import NotAllowed
from questionbank.people.sign_on import OpenId, Saml, claim_values
from questionbank.people.sign_on_services import Identity, person_sign_on

logger = structlog.get_logger(__name__)

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]
"""Algorithms of signatures; none can be forged with a public key."""
CLOCKS_DIFFER = 60  # seconds by which the clock of a provider may be off
OUT_OF_DATE = "its answer is out of date, or the clocks of the two servers differ"
_METADATA_KEPT = 3600  # seconds


class Refused(OAuth2Error):
    """The answer of a provider cannot be used; the message says why."""


class _FromOurLogIn:
    """A provider that people reach from the log-in page only, never to connect an account with another one.

    What it says about a person is not kept: `extra_data` only holds what `person_sign_on` writes there.
    """

    def redirect_from_request(self, request: HttpRequest) -> HttpResponse:
        """Send the browser to the provider; only ``next`` is read from the address."""
        return self.redirect(  # type: ignore[attr-defined]
            request, AuthProcess.LOGIN, next_url=get_next_redirect_url(request), **self.asked()
        )

    def asked(self) -> dict[str, Any]:
        """Return more arguments of the redirect: parameters for the provider, and what to remember meanwhile."""
        return {}

    def sociallogin_from_response(self, request: HttpRequest, response: Any) -> SocialLogin:
        login: SocialLogin = super().sociallogin_from_response(request, response)  # type: ignore[misc]
        login.claims = login.account.extra_data.get("id_token", login.account.extra_data)
        rows = SocialAccount.objects.filter(provider=login.account.provider, uid=login.account.uid)
        login.account.extra_data = rows.values_list("extra_data", flat=True).first() or {}
        return login


class OpenIdProvider(_FromOurLogIn, OpenIDConnectProvider):
    """OpenID Connect with a nonce and PKCE."""

    pkce_enabled_default = True

    def asked(self) -> dict[str, Any]:
        nonce = secrets.token_urlsafe(24)
        return {"auth_params": {"nonce": nonce}, "nonce": nonce}

    def get_oauth2_adapter(self, request: HttpRequest) -> OpenIDConnectOAuth2Adapter:
        return OpenIdAdapter(request, self.app.provider_id)


class SamlProvider(_FromOurLogIn, SAMLProvider):
    """SAML, begun on our log-in page."""

    def extract_uid(self, data: Any) -> str:
        """Return the provider's identifier of the person.

        Raises:
            Refused: it changes at every log-in, so that everybody would become a new person each time.
        """
        if "uid" not in self._extract(data) and str(data.get_nameid_format()).endswith(":transient"):
            raise Refused("it calls people something else at every log-in (transient NameID)")
        uid: str = super().extract_uid(data)
        return uid


class OpenIdAdapter(OpenIDConnectOAuth2Adapter):
    """What is exchanged with a provider of OpenID Connect."""

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> SocialLogin:
        """Return the log-in that the provider's answer describes.

        Raises:
            Refused: the answer is forged, out of date or meant for somebody else.
        """
        claims = self._decode_id_token(app, kwargs["response"].get("id_token") or "")
        if "userinfo_endpoint" in self.openid_config:
            info = self._fetch_user_info(token.token)
            if info.get("sub") != claims["sub"]:
                raise Refused("its user info is about somebody else")
            claims = {**info, **claims}
        return self.get_provider().sociallogin_from_response(request, {"id_token": claims})

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        issuer = app.settings["server_url"]
        if self.openid_config.get("issuer") != issuer:
            raise Refused(f"it calls itself {self.openid_config.get('issuer')}, not {issuer}")
        try:
            claims: dict[str, Any] = jwt.decode(
                id_token,
                self._key(id_token),
                algorithms=ALGORITHMS,
                audience=app.client_id,
                issuer=issuer,
                leeway=CLOCKS_DIFFER,
                options={"require": ["aud", "exp", "iat", "iss", "sub"]},
            )
        except (jwt.ExpiredSignatureError, jwt.ImmatureSignatureError) as error:
            raise Refused(OUT_OF_DATE) from error
        except jwt.PyJWTError as error:
            raise Refused(f"its answer is not valid ({type(error).__name__})") from error
        return claims

    def _key(self, id_token: str) -> jwt.PyJWK:
        """Return the provider's key with which the token says it was signed."""
        wanted = jwt.get_unverified_header(id_token).get("kid")
        with get_adapter(self.request).get_requests_session() as session:
            answer = session.get(self.openid_config["jwks_uri"])
            answer.raise_for_status()
        keys = [key for key in jwt.PyJWKSet.from_dict(answer.json()).keys if key.public_key_use in (None, "sig")]
        chosen = [key for key in keys if key.key_id == wanted] if wanted else keys
        if len(chosen) != 1:
            raise Refused("its answer is signed with an unknown key")
        return chosen[0]


class SocialAdapter(DefaultSocialAccountAdapter):
    """Gives django-allauth the providers of `SIGN_ON`, and turns a log-in into a person of the bank."""

    def list_apps(self, request: HttpRequest, provider: str | None = None, client_id: str | None = None) -> list[Any]:
        """Return the providers of `SIGN_ON`; none is in the database."""
        apps = [_app(slug, one) for slug, one in settings.SIGN_ON.providers.items() if isinstance(one, OpenId | Saml)]
        return [
            app
            for app in apps
            if provider in (None, app.provider, app.provider_id) and client_id in (None, app.client_id)
        ]

    def authenticate_by_email(self, sociallogin: SocialLogin) -> None:
        """Return None: `person_sign_on` decides who takes over which account."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find the person and settle their roles."""
        provider, claims = sociallogin.provider, sociallogin.claims
        if sociallogin.state.get("process") != AuthProcess.LOGIN:
            refuse(request, "This log-in was started elsewhere: start again on the log-in page.")
        if isinstance(provider, OpenIdProvider) and not _is_answer(claims, sociallogin.state):
            refuse(request, f"The answer of {provider.name} belongs to another log-in: log in again.")
        suggested = sociallogin.user
        identity = Identity(
            provider=sociallogin.account.provider,
            uid=sociallogin.account.uid,
            username=suggested.username,
            email=suggested.email,
            is_verified=claim_values(claims, "email_verified") == ["true"],  # some providers write it as text
            first_name=suggested.first_name,
            last_name=suggested.last_name,
            claims=claims,
        )
        try:
            sociallogin.account = person_sign_on(identity=identity)
        except NotAllowed as error:
            refuse(request, str(error))
        sociallogin.user = sociallogin.account.user

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> NoReturn:
        """Show why a log-in failed, in one sentence."""
        if isinstance(exception, RequestException):
            refuse(request, f"{provider.name} does not answer: try again in a few minutes.", status=503)
        if error == AuthError.CANCELLED:
            refuse(request, f"The log-in at {provider.name} was cancelled: log in again.")
        reason = str(exception or (extra_context or {}).get("saml_last_error_reason") or "no such log-in was begun")
        logger.warning("sign_on_failed", provider=provider.sub_id, reason=reason)
        detail = reason if isinstance(exception, Refused) else OUT_OF_DATE if "timestamp" in reason else ""
        refuse(request, unusable(provider.name, detail))


def unusable(provider: str, detail: str) -> str:
    """Return the sentence about an answer that cannot be used."""
    return f"{provider} could not be used to log in{': ' if detail else ''}{detail}; log in again."


def refuse(request: HttpRequest, sentence: str, *, status: int = 403) -> NoReturn:
    """End a log-in with a page of one sentence."""
    raise ImmediateHttpResponse(render(request, "problem.html", {"message": sentence, "status": status}, status=status))


def _is_answer(claims: dict[str, Any], state: dict[str, Any]) -> bool:
    """Return whether an ID token answers the request of this log-in."""
    return secrets.compare_digest(str(claims.get("nonce", "")), str(state.get("nonce") or secrets.token_hex()))


def _app(slug: str, provider: OpenId | Saml) -> SocialApp:
    """Return a provider as a row of django-allauth, which is never saved."""
    if isinstance(provider, OpenId):
        return SocialApp(
            provider="openid_connect",
            provider_id=slug,
            name=provider.name,
            client_id=provider.client_id,
            secret=provider.client_secret,
            settings={"server_url": provider.issuer, "scope": list(provider.scopes)},
        )
    mapping = {**SAMLProvider.default_attribute_mapping, **provider.attributes}
    idp = {"metadata_url": provider.metadata, "entity_id": provider.entity_id, "metadata_cache_timeout": _METADATA_KEPT}
    return SocialApp(
        provider="saml",
        provider_id=slug,
        name=provider.name,
        client_id=slug,  # addresses contain it
        settings={"idp": idp, "attribute_mapping": mapping},
    )
