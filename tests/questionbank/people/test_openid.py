"""Log-in through OpenID Connect, against a provider that runs in a process of its own.

What is forged is changed between the provider and us, as by somebody in the middle.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.oauth2.client import OAuth2Client
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.models import Group
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from questionbank.local.instance import free_port
from questionbank.models import School, User
from questionbank.operations.checks import State
from questionbank.operations.health import health_report
from questionbank.people.providers import OpenIdAdapter

pytestmark = pytest.mark.django_db

TOKENS_LAST = 300  # seconds
ADA = {
    "email": "ada@north.example",
    "email_verified": True,
    "preferred_username": "ada",
    "given_name": "Ada",
    "family_name": "Lovelace",
    "groups": ["maths-teachers"],
}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """The address of a provider that knows nobody yet."""
    address = f"http://localhost:{free_port(19100)}"
    command = [sys.executable, "-m", "oidc_provider_mock", "--host", "localhost", "--require-nonce"]
    options = ["--port", str(urlsplit(address).port), "--token-max-age", str(TOKENS_LAST)]
    server = subprocess.Popen(
        [*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "NO_COLOR": "1"}
    )
    for _ in range(300):
        try:
            requests.get(address, timeout=1)
            break
        except requests.ConnectionError:
            time.sleep(0.1)
    yield address
    server.terminate()
    server.wait()


@pytest.fixture
def district(issuer, sign_on, tmp_path) -> Callable[..., None]:
    """Return a function that puts this provider into effect, with a rule for two groups."""
    (tmp_path / "secret").write_text("a secret of tests\n")

    def configure(*, top: str = "", of_provider: str = "", address: str = issuer) -> None:
        sign_on(
            f"""{top}
            [oidc.district]
            name = "North District"
            issuer = "{address}"
            client_id = "kindred"
            client_secret_file = "secret"
            {of_provider}
            [[oidc.district.rules]]
            claim = "groups"
            value = "maths-teachers"
            role = "teacher"
            [[oidc.district.rules]]
            claim = "groups"
            value = "leads"
            role = "admin"
            [[oidc.district.rules]]
            claim = "school_codes"
            school = "*"
            """
        )

    configure()
    return configure


@pytest.fixture
def knows(issuer) -> Callable[..., str]:
    """Return a function that makes the provider know somebody; returns what it calls them."""

    def remember(sub: str = "u-1", **claims: Any) -> str:
        requests.put(f"{issuer}/users/{sub}", json={**ADA, **claims}, timeout=5).raise_for_status()
        return sub

    return remember


def sent_to_provider(client: Client) -> str:
    """Press the button of the log-in page; returns where it leads."""
    response = client.get(reverse("openid_connect_login", args=["district"]))
    assert response.status_code == 302
    return response["Location"]


def sent_back(address: str, sub: str, **pressed: str) -> str:
    """Log in at the provider; returns where it sends the browser."""
    answer = requests.post(address, data={"sub": sub, **pressed}, allow_redirects=False, timeout=5)
    target = urlsplit(answer.headers["Location"])
    return f"{target.path}?{target.query}"


def log_in(client: Client, sub: str) -> HttpResponse:
    return client.get(sent_back(sent_to_provider(client), sub))


def roles(username: str) -> set[str]:
    return set(User.objects.get(username=username).groups.values_list("name", flat=True))


def is_logged_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def refusal(response: HttpResponse, client: Client, status: int = 403) -> str:
    """The one sentence of a refused log-in."""
    page = response.content.decode()
    assert response.status_code == status, page
    assert not is_logged_in(client)
    [heading] = re.findall(r"<h1>(.*?)</h1>", page, re.DOTALL)
    assert "Traceback" not in page
    return heading


@pytest.fixture
def in_the_middle(monkeypatch) -> Callable[[Callable[[str], str]], None]:
    """Return a function that has every ID token changed on its way to us."""

    def change(changed: Callable[[str], str]) -> None:
        real = OAuth2Client.get_access_token

        def get_access_token(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
            answer = real(self, *args, **kwargs)
            return {**answer, "id_token": changed(answer["id_token"])}

        monkeypatch.setattr(OAuth2Client, "get_access_token", get_access_token)

    return change


# --- right ----------------------------------------------------------------------------------------


def test_the_first_log_in_adds_the_person_with_the_role_of_their_group(client, district, knows):
    response = log_in(client, knows())
    assert (response.status_code, response["Location"]) == (302, reverse("home"))
    person = User.objects.get(username="ada")
    assert (person.get_full_name(), person.email) == ("Ada Lovelace", "ada@north.example")
    assert not person.has_usable_password()
    assert roles("ada") == {"teacher"}
    assert client.get(reverse("question_list")).status_code == 200
    kept = SocialAccount.objects.get().extra_data  # and nothing else that the provider said
    assert kept == {"roles": ["teacher"], "schools": [], "unknown_schools": []}


def test_roles_follow_the_groups_at_every_log_in_and_those_of_an_admin_stay(client, district, knows, admin_person):
    log_in(client, knows())
    User.objects.get(username="ada").groups.add(Group.objects.get_or_create(name="reviewer")[0])
    log_in(client, knows(groups=["leads"]))
    assert roles("ada") == {"admin", "reviewer"}
    log_in(client, knows(groups=[]))
    assert roles("ada") == {"reviewer"}
    assert User.objects.count() == 2


def test_a_role_that_an_admin_gave_before_the_provider_did_stays(client, district, knows):
    log_in(client, knows(groups=["leads"]))
    ada = User.objects.get(username="ada")
    ada.groups.add(Group.objects.get_or_create(name="teacher")[0])
    for groups in (["leads", "maths-teachers"], ["leads"]):
        log_in(client, knows(groups=groups))
    assert roles("ada") == {"admin", "teacher"}


@pytest.fixture
def schools() -> list[School]:
    return [School.objects.create(name=name.title(), slug=name) for name in ("north", "south", "east")]


def test_schools_follow_the_claims_and_those_of_an_admin_stay(client, district, knows, schools):
    def of_ada() -> set[str]:
        return set(User.objects.get(username="ada").schools.values_list("slug", flat=True))

    log_in(client, knows(groups=[], school_codes=["north", "south"]))  # a school is enough to be let in
    assert of_ada() == {"north", "south"}
    User.objects.get(username="ada").schools.add(schools[2])
    log_in(client, knows(school_codes="south"))
    assert of_ada() == {"south", "east"}
    log_in(client, knows(school_codes=None))
    assert of_ada() == {"east"}


def test_a_claim_with_an_unknown_school_lets_in_without_it_and_health_says_so(client, district, knows, schools):
    log_in(client, knows(school_codes=["north", "atlantis"]))
    assert is_logged_in(client)
    assert list(User.objects.get().schools.all()) == [schools[0]]
    [report] = [item for item in health_report().items if item.name == "sign_on"]
    assert (report.state, report.figures["Unknown schools"]) == (State.WARNING, "atlantis")
    School.objects.create(name="Atlantis", slug="atlantis")
    [report] = [item for item in health_report().items if item.name == "sign_on"]
    assert report.state == State.OK


def test_the_last_admin_keeps_the_role_until_there_is_another(client, district, knows, django_user_model):
    log_in(client, knows(groups=["leads"]))
    log_in(client, knows(groups=[]))
    assert roles("ada") == {"admin"}
    django_user_model.objects.create_superuser("root", password="correct horse battery")
    log_in(client, knows(groups=[]))
    assert roles("ada") == set()


@pytest.mark.parametrize(("unknown", "given"), [("no role", set()), ("reviewer", {"reviewer"})])
def test_people_without_a_rule_get_what_the_file_says(client, district, knows, unknown, given):
    district(top=f'unknown_people = "{unknown}"')
    log_in(client, knows(groups=["cooks"]))
    assert is_logged_in(client)
    assert roles("ada") == given


def test_two_people_with_one_name_have_two_log_in_names(client, district, knows):
    User.objects.create_user(username="Ada")
    log_in(client, knows())
    assert set(User.objects.values_list("username", flat=True)) == {"Ada", "ada-2"}


@pytest.mark.parametrize("address", ["ada@north.example", "ADA@north.example"])
def test_a_verified_address_takes_over_the_account_here_where_the_file_says_so(client, district, knows, address):
    invited = User.objects.create_user(username="a.lovelace", email=address)
    district(of_provider="link_by_address = true")
    log_in(client, knows())
    assert client.session["_auth_user_id"] == str(invited.pk)
    log_in(client, knows(email="renamed@north.example"))
    assert client.session["_auth_user_id"] == str(invited.pk)
    assert User.objects.count() == 1


def test_the_file_can_vouch_for_the_addresses_of_a_domain(client, district, knows):
    invited = User.objects.create_user(username="a.lovelace", email="ada@north.example")
    district(of_provider='link_by_address = true\ntrusted_domains = ["North.example"]')
    log_in(client, knows(email_verified=None))
    assert client.session["_auth_user_id"] == str(invited.pk)


# --- refused --------------------------------------------------------------------------------------


def test_nobody_unknown_gets_in_unless_the_file_says_so(client, district, knows):
    sentence = refusal(log_in(client, knows(groups=["cooks"])), client)
    assert sentence.startswith("Nobody here has your North District account")
    assert not User.objects.exists()


@pytest.mark.parametrize("is_verified", [False, "false", None])
def test_an_address_that_is_not_verified_takes_over_nothing(client, district, knows, is_verified):
    User.objects.create_user(username="a.lovelace", email="ada@north.example")
    district(of_provider="link_by_address = true")
    sentence = refusal(log_in(client, knows(email_verified=is_verified)), client)
    assert "already has the address" in sentence
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize(
    "others",
    [
        [{"username": "one"}],  # the file does not let addresses link
        [{"username": "one"}, {"username": "two"}],
        [{"username": "root", "is_superuser": True}],
        [{"username": "rescue"}],
    ],
)
def test_an_address_that_may_not_link_takes_over_nothing(client, district, knows, others):
    for other in others:
        User.objects.create_user(email="ada@north.example", **other)
    if others != [{"username": "one"}]:
        district(top='break_glass = "rescue"', of_provider="link_by_address = true")
    assert "already has the address" in refusal(log_in(client, knows()), client)
    assert not SocialAccount.objects.exists()


def test_a_second_person_of_the_provider_with_the_same_address_is_refused(client, district, knows):
    district(of_provider="link_by_address = true")
    log_in(client, knows("u-1"))
    stranger = Client()
    assert "already has the address" in refusal(log_in(stranger, knows("u-2")), stranger)


def test_a_closed_account_stays_closed(client, district, knows):
    log_in(client, knows())
    User.objects.update(is_active=False)
    again = Client()
    assert log_in(again, knows())["Location"] == reverse("account_inactive")
    assert not is_logged_in(again)


def test_a_cancelled_log_in_says_so(client, district, knows):
    asked = sent_to_provider(client)
    [state] = parse_qs(urlsplit(asked).query)["state"]
    response = client.get(f"{sent_back(asked, knows(), action='deny')}&state={state}")  # this provider leaves it out
    assert refusal(response, client) == "The log-in at North District was cancelled: log in again."


def test_a_provider_that_is_down_says_so(client, district):
    district(address=f"http://localhost:{free_port(19100)}")
    response = client.get(reverse("openid_connect_login", args=["district"]))
    assert refusal(response, client, 503) == "North District does not answer: try again in a few minutes."


def test_a_provider_that_goes_down_on_the_way_says_so(client, district, knows):
    address = sent_back(sent_to_provider(client), knows())
    district(address=f"http://localhost:{free_port(19100)}")
    assert "does not answer" in refusal(client.get(address), client, 503)


def test_a_callback_works_once_and_in_one_browser(client, district, knows):
    address = sent_back(sent_to_provider(client), knows())
    stranger = Client()
    assert "could not be used" in refusal(stranger.get(address), stranger)
    assert client.get(address).status_code == 302
    client.post(reverse("account_logout"))
    assert "could not be used" in refusal(client.get(address), client)


def test_a_code_of_another_log_in_is_refused(client, district, knows):
    """Its state is ours, its code that of somebody else: the nonce in the ID token tells."""
    other = parse_qs(urlsplit(sent_back(sent_to_provider(Client()), knows())).query)["code"][0]
    mine = sent_back(sent_to_provider(client), knows("u-2"))
    swapped = re.sub(r"code=[^&]+", f"code={other}", mine)
    assert "belongs to another log-in" in refusal(client.get(swapped), client)


def test_an_earlier_id_token_is_refused(client, district, knows, in_the_middle):
    seen: list[str] = []
    in_the_middle(lambda token: seen.append(token) or seen[0])
    assert log_in(client, knows()).status_code == 302
    client.post(reverse("account_logout"))
    assert "belongs to another log-in" in refusal(log_in(client, knows()), client)


def signed_anew(token: str) -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    claims = jwt.decode(token, options={"verify_signature": False})
    return jwt.encode(claims, key, algorithm="RS256", headers=jwt.get_unverified_header(token))


def unsigned(token: str) -> str:
    return jwt.encode(jwt.decode(token, options={"verify_signature": False}), None, algorithm="none")


def signed_by_the_public_key(token: str) -> str:
    """As if the provider's public key were a secret that both know."""
    keys = requests.get(f"{jwt.decode(token, options={'verify_signature': False})['iss']}/jwks", timeout=5).json()
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256"}).encode()).rstrip(b"=")
    body = header + b"." + token.split(".")[1].encode()
    secret = json.dumps(keys["keys"][0]).encode()
    signature = base64.urlsafe_b64encode(hmac.new(secret, body, hashlib.sha256).digest()).rstrip(b"=")
    return (body + b"." + signature).decode()


def with_another_payload(token: str) -> str:
    header, _payload, signature = token.split(".")
    claims = jwt.decode(token, options={"verify_signature": False}) | {"groups": ["leads"]}
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    return f"{header}.{payload}.{signature}"


@pytest.mark.parametrize(
    "forge", [signed_anew, unsigned, signed_by_the_public_key, with_another_payload, lambda _token: "x.y.z"]
)
def test_a_forged_id_token_is_refused(client, district, knows, in_the_middle, forge):
    in_the_middle(forge)
    assert "its answer is not valid" in refusal(log_in(client, knows()), client)
    assert not User.objects.exists()


def test_an_id_token_for_another_site_is_refused(client, district, knows, in_the_middle, issuer):
    """The provider's own signature and our nonce, for another client."""
    asked = sent_to_provider(client)
    nonce = parse_qs(urlsplit(asked).query)["nonce"][0]

    def of_another_site(_token: str) -> str:
        site = {"client_id": "elsewhere", "redirect_uri": "http://elsewhere.example/"}
        code = requests.post(
            f"{issuer}/oauth2/authorize",
            params={**site, "response_type": "code", "scope": "openid email", "nonce": f"{nonce}"},
            data={"sub": "u-1"},
            allow_redirects=False,
            timeout=5,
        ).headers["Location"]
        code = parse_qs(urlsplit(code).query)["code"][0]
        form = {**site, "grant_type": "authorization_code", "code": code, "client_secret": "x"}
        return requests.post(f"{issuer}/oauth2/token", data=form, timeout=5).json()["id_token"]

    in_the_middle(of_another_site)
    assert "InvalidAudienceError" in refusal(client.get(sent_back(asked, knows())), client)


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_clock_ten_minutes_off_is_refused_with_a_sentence(client, district, knows, monkeypatch, minutes):
    class Shifted(datetime):
        @classmethod
        def now(cls, tz=None) -> datetime:
            return datetime.now(tz) + timedelta(minutes=minutes)

    monkeypatch.setattr("jwt.api_jwt.datetime", Shifted)
    assert "the clocks of the two servers differ" in refusal(log_in(client, knows()), client)


def test_a_provider_that_calls_itself_something_else_is_refused(client, district, knows, monkeypatch):
    real = OpenIdAdapter.openid_config.fget
    monkeypatch.setattr(
        OpenIdAdapter, "openid_config", property(lambda self: {**real(self), "issuer": "https://elsewhere.example"})
    )
    assert "it calls itself https://elsewhere.example" in refusal(log_in(client, knows()), client)


def test_user_info_about_somebody_else_is_refused(client, district, knows, monkeypatch):
    monkeypatch.setattr(OpenIdAdapter, "_fetch_user_info", lambda _self, _token: {"sub": "u-2", "groups": ["leads"]})
    assert "about somebody else" in refusal(log_in(client, knows()), client)


@pytest.mark.parametrize("answer", [{}, {"sub": 7}, [], "text"])
def test_an_answer_that_is_no_answer_is_one_sentence(client, district, knows, monkeypatch, answer):
    monkeypatch.setattr(OpenIdAdapter, "_decode_id_token", lambda _self, _app, _token: answer)
    response = log_in(client, knows())
    refusal(response, client, response.status_code)
    assert response.status_code in (403, 502)


def test_an_address_can_neither_connect_accounts_nor_choose_the_nonce(client, district, teacher, knows):
    client.force_login(teacher)
    address = reverse("openid_connect_login", args=["district"])
    asked = client.get(f"{address}?process=connect&auth_params=nonce%3Dmine%26prompt%3Dnone&scope=everything")
    query = parse_qs(urlsplit(asked["Location"]).query)
    assert query["nonce"] != ["mine"]
    assert set(query["scope"][0].split()) == {"openid", "profile", "email"}
    assert {"prompt"}.isdisjoint(query)
    assert query["code_challenge_method"] == ["S256"]
    client.get(sent_back(asked["Location"], knows()))
    assert not SocialAccount.objects.filter(user=teacher).exists()


@pytest.mark.parametrize("next_page", ["https://elsewhere.example/", "//elsewhere.example"])
def test_a_log_in_leads_nowhere_else(client, district, knows, next_page):
    asked = client.get(reverse("openid_connect_login", args=["district"]), {"next": next_page})
    assert client.get(sent_back(asked["Location"], knows()))["Location"] == reverse("home")


def test_a_log_in_leads_to_the_page_that_was_wanted(client, district, knows):
    wanted = reverse("concept_tree")
    page = client.get(reverse("account_login"), {"next": wanted}).content.decode()
    button = re.search(r'href="(/accounts/oidc/district/login/[^"]*)"', page)[1].replace("&amp;", "&")
    assert client.get(sent_back(client.get(button)["Location"], knows()))["Location"] == wanted


@pytest.mark.parametrize("name", ["openid_connect_login", "openid_connect_callback", "saml_login", "saml_acs"])
def test_a_provider_that_there_is_not_is_no_page(client, district, name):
    assert client.get(reverse(name, args=["elsewhere"])).status_code == 404
