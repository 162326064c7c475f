"""Log-in through SAML, against pysaml2 as the identity provider; the test is the browser between the two."""

from __future__ import annotations

import base64
import re
import shutil
import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.utils import CryptographyDeprecationWarning
from cryptography.x509.oid import NameOID
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from questionbank.models import User

if shutil.which("xmlsec1") is None:
    pytest.skip("pysaml2 signs by xmlsec1, which is not installed", allow_module_level=True)
pytest.importorskip("onelogin", reason="the extra saml is not installed")

from allauth.socialaccount.providers.saml.utils import build_sp_config
from onelogin.saml2.utils import OneLogin_Saml2_Utils

with warnings.catch_warnings():
    warnings.simplefilter("ignore", CryptographyDeprecationWarning)  # of a cipher that we do not ask for
    from saml2 import BINDING_HTTP_REDIRECT
    from saml2.config import IdPConfig
    from saml2.metadata import entity_descriptor
    from saml2.saml import NAMEID_FORMAT_PERSISTENT, NAMEID_FORMAT_TRANSIENT, NameID
    from saml2.server import Server
    from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

pytestmark = pytest.mark.django_db

HOST = "kindred.north.example"
IDP = "https://idp.north.example/metadata"
GROUPS = "urn:oid:1.3.6.1.4.1.5923.1.5.1.1"
ADA = {"mail": ["ada@north.example"], "givenName": ["Ada"], "sn": ["Lovelace"], "isMemberOf": ["maths-teachers"]}


def key_pair(folder: Path) -> dict[str, str]:
    """A key and its certificate, as files."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "idp.north.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(exist_ok=True)
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return {"key_file": str(folder / "key.pem"), "cert_file": str(folder / "cert.pem")}


@pytest.fixture(scope="module")
def keys(tmp_path_factory) -> dict[str, str]:
    return key_pair(tmp_path_factory.mktemp("idp"))


def configuration(keys: dict[str, str], **more: Any) -> IdPConfig:
    """An identity provider whose answers are valid for four minutes; of clocks, five more are forgiven."""
    endpoints = {
        f"single_{name}_service": [(f"https://idp.north.example/{name}", BINDING_HTTP_REDIRECT)]
        for name in ("sign_on", "logout")
    }
    service = {"endpoints": endpoints, "policy": {"default": {"lifetime": {"minutes": 4}}}}
    own = {"entityid": IDP, "service": {"idp": service}, "xmlsec_binary": shutil.which("xmlsec1")}
    return IdPConfig().load({**own, **keys, **more})


@pytest.fixture
def visitor(settings, sign_on, keys, tmp_path) -> Client:
    """A browser of a site that knows the identity provider."""
    cache.clear()
    settings.ALLOWED_HOSTS = [HOST]
    (tmp_path / "idp.xml").write_text(str(entity_descriptor(configuration(keys))), encoding="utf-8")
    sign_on(
        f"""
        [saml.district]
        name = "North District"
        metadata = "idp.xml"
        entity_id = "{IDP}"
        [[saml.district.rules]]
        claim = "{GROUPS}"
        value = "maths-teachers"
        role = "teacher"
        """
    )
    return Client(headers={"host": HOST})


Answer = Callable[..., str]


@pytest.fixture
def answer(visitor, keys, tmp_path) -> Answer:
    """Return a function: what the identity provider says to a request, as its page would post it."""
    metadata = visitor.get(reverse("saml_metadata", args=["district"])).content.decode()

    def respond(
        request_id: str, *, signed_by: dict[str, str] = keys, name_format: str = NAMEID_FORMAT_PERSISTENT, **said: Any
    ) -> str:
        idp = Server(config=configuration(signed_by, metadata={"inline": [metadata]}))
        site = f"http://{HOST}"
        return str(
            idp.create_authn_response(
                {**ADA, **said},
                in_response_to=request_id,
                destination=site + reverse("saml_acs", args=["district"]),
                sp_entity_id=site + reverse("saml_metadata", args=["district"]),
                name_id=NameID(format=name_format, text="u-1"),
                authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": IDP},
                sign_response=False,
                sign_assertion=True,
                sign_alg=SIG_RSA_SHA256,
                digest_alg=DIGEST_SHA256,
            )
        )

    return respond


def asked(visitor: Client) -> str:
    """Press the button of the log-in page; returns the id of the request to the identity provider."""
    response = visitor.get(reverse("saml_login", args=["district"]))
    query = parse_qs(urlsplit(response["Location"]).query)
    request = Server.unravel(query["SAMLRequest"][0], BINDING_HTTP_REDIRECT)
    return re.search(rb'\bID="([^"]+)"', request)[1].decode()


def post(visitor: Client, xml: str, **more: str) -> HttpResponse:
    """Bring the answer to the site, and follow to where it is read."""
    form = {"SAMLResponse": base64.b64encode(xml.encode()).decode(), **more}
    first = visitor.post(reverse("saml_acs", args=["district"]), form)
    assert first.status_code == 302
    return visitor.get(first["Location"])


def refusal(response: HttpResponse, visitor: Client, status: int = 403) -> str:
    page = response.content.decode()
    assert response.status_code == status, page
    assert "_auth_user_id" not in visitor.session
    [heading] = re.findall(r"<h1>(.*?)</h1>", page, re.DOTALL)
    return heading


def test_groups_give_roles_at_every_log_in(visitor, answer):
    response = post(visitor, answer(asked(visitor)))
    assert (response.status_code, response["Location"]) == (302, reverse("home")), response.content.decode()
    person = User.objects.get()
    assert (person.email, person.first_name, person.last_name) == ("ada@north.example", "Ada", "Lovelace")
    assert {group.name for group in person.groups.all()} == {"teacher"}
    assert SocialAccount.objects.get().extra_data["roles"] == ["teacher"]
    again = Client(headers={"host": HOST})
    post(again, answer(asked(again), isMemberOf=["cooks"]))
    assert again.session["_auth_user_id"] == str(person.pk)
    assert not person.groups.exists()


def test_people_who_are_called_something_else_each_time_are_refused(visitor, answer):
    xml = answer(asked(visitor), name_format=NAMEID_FORMAT_TRANSIENT)
    assert "transient NameID" in refusal(post(visitor, xml), visitor)
    assert not User.objects.exists()


def test_an_answer_works_once(visitor, answer):
    xml = answer(asked(visitor))
    post(visitor, xml)
    visitor.post(reverse("account_logout"))
    assert "was used already" in refusal(post(visitor, xml), visitor)


def test_an_answer_to_another_browser_is_refused(visitor, answer):
    xml = answer(asked(visitor))
    stranger = Client(headers={"host": HOST})
    assert "was used already" in refusal(post(stranger, xml), stranger)


def test_an_answer_that_nobody_asked_for_is_refused(visitor, answer):
    xml = re.sub(r' InResponseTo="[^"]+"', "", answer("id-none"))
    assert "could not be used" in refusal(post(visitor, xml, RelayState="/concepts/"), visitor)


def with_another_group(xml: str) -> str:
    return xml.replace("maths-teachers", "everybody-else")


def without_signature(xml: str) -> str:
    return re.sub(r"<(\w+:)?Signature\b.*?</(\w+:)?Signature>", "", xml, flags=re.DOTALL)


def wrapped(xml: str) -> str:
    """The signed assertion, and before it one that nobody signed."""
    assertion = re.search(r"<(\w+:)?Assertion\b.*</(\w+:)?Assertion>", xml, re.DOTALL)[0]
    forged = without_signature(assertion).replace('ID="', 'ID="evil-', 1)
    return xml.replace(assertion, forged + assertion)


def cut_short(xml: str) -> str:
    return xml[: len(xml) // 2]


@pytest.mark.parametrize("forge", [with_another_group, without_signature, wrapped, cut_short, lambda _xml: ""])
def test_a_forged_answer_is_refused(visitor, answer, forge):
    response = post(visitor, forge(answer(asked(visitor))))
    refusal(response, visitor, response.status_code)
    assert response.status_code in (403, 502)
    assert not User.objects.exists()


def test_an_answer_with_the_key_of_somebody_else_is_refused(visitor, answer, tmp_path, caplog):
    xml = answer(asked(visitor), signed_by=key_pair(tmp_path / "other"))
    assert "could not be used" in refusal(post(visitor, xml), visitor)
    assert "Signature validation failed" in caplog.text


def test_an_answer_for_another_site_is_refused(visitor, answer, monkeypatch, caplog):
    """The identity provider's own signature, and an audience that is not ours."""
    xml = answer(asked(visitor))
    own = f"http://{HOST}" + reverse("saml_metadata", args=["district"])
    assert f"<ns1:Audience>{own}</ns1:Audience>" in xml
    monkeypatch.setattr(
        "allauth.socialaccount.providers.saml.utils.build_sp_config",
        lambda *arguments: {**build_sp_config(*arguments), "entityId": "https://elsewhere.example/"},
    )
    assert "could not be used" in refusal(post(visitor, xml), visitor)
    assert "is not a valid audience" in caplog.text


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_clock_ten_minutes_off_is_refused(visitor, answer, monkeypatch, caplog, minutes):
    xml = answer(asked(visitor))
    real = OneLogin_Saml2_Utils.now
    monkeypatch.setattr(OneLogin_Saml2_Utils, "now", staticmethod(lambda: real() + minutes * 60))
    assert "the clocks of the two servers differ" in refusal(post(visitor, xml), visitor)
    assert "Could not validate timestamp" in caplog.text


def log_out_address(metadata: str, keys: dict[str, str], *, sign: bool) -> str:
    """Where the identity provider sends a browser that logs out there."""
    idp = Server(config=configuration(keys, metadata={"inline": [metadata]}))
    destination = f"http://{HOST}" + reverse("saml_sls", args=["district"])
    _id, request = idp.create_logout_request(
        destination, issuer_entity_id=IDP, name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text="u-1")
    )
    sent = idp.apply_binding(BINDING_HTTP_REDIRECT, str(request), destination, sign=sign, sigalg=SIG_RSA_SHA256)
    target = urlsplit(dict(sent["headers"])["Location"])
    return f"{target.path}?{target.query}"


def test_a_log_out_of_the_provider_counts_only_if_it_is_signed(visitor, answer, keys, tmp_path):
    metadata = visitor.get(reverse("saml_metadata", args=["district"])).content.decode()
    post(visitor, answer(asked(visitor)))
    for address in (
        log_out_address(metadata, keys, sign=False),
        log_out_address(metadata, key_pair(tmp_path / "other"), sign=True),
        reverse("saml_sls", args=["district"]),
    ):
        assert visitor.get(address).status_code in (400, 403)
        assert "_auth_user_id" in visitor.session
    visitor.get(log_out_address(metadata, keys, sign=True))
    assert "_auth_user_id" not in visitor.session


def test_metadata_that_cannot_be_fetched_says_so(visitor, tmp_path, sign_on):
    cache.clear()
    (tmp_path / "idp.xml").unlink()
    response = visitor.get(reverse("saml_login", args=["district"]))
    assert refusal(response, visitor, 503) == "North District does not answer: try again in a few minutes."


def test_an_address_cannot_connect_accounts(visitor, answer, teacher):
    visitor.force_login(teacher)
    visitor.get(reverse("saml_login", args=["district"]) + "?process=connect")
    states = visitor.session["socialaccount_states"]
    [(state, *_rest)] = states.values()
    assert state["process"] == "login"
