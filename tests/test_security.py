"""Safe by default: what answers without a session, and what answers say and hold.

Log-in and passwords: test_security_accounts.py; settings: test_production.py.
"""

from __future__ import annotations

import gzip

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path, resolve, reverse

from questionbank import urls
from questionbank.core import middleware
from questionbank.core.forms import TAKES_FILES
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question, QuestionTag, Run, RunLog, User
from tests.hostile import addresses
from tests.page_safety import assert_safe

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_attempts_yet")]

SECRET = "a word that no answer may hold"

# Addresses that answer without a session; all others lead to the log-in. Nothing joins this list lightly.
OPEN = {
    "account_logout",  # ends a session where there is one
    "account_login",
    "account_inactive",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "health_status",
    "site_status",
}
# Likewise, where `SIGN_ON` names a provider; here it names none.
OF_PROVIDERS = {
    "openid_connect_login",
    "openid_connect_callback",
    "saml_login",
    "saml_acs",
    "saml_finish_acs",
    "saml_sls",
    "saml_metadata",
}


# --- every address ----------------------------------------------------------------------------------


ADDRESSES = sorted(set(addresses()))


def test_the_sample_paths_reach_what_they_are_samples_of():
    assert len(ADDRESSES) > 60
    for name, here in ADDRESSES:
        match = resolve(here)
        assert match.view_name == name or not match.url_name, (name, here, match.view_name)


def test_without_a_session_every_address_leads_to_the_log_in_and_the_api_refuses(client):
    log_ins = {reverse("account_login"), reverse("admin:login")}  # the second leads to the first
    for name, here in ADDRESSES:
        for method in ("get", "post", "put", "patch", "delete", "options"):
            response = getattr(client, method)(here)
            if name.startswith("api:"):
                assert response.status_code in (401, 405), (name, method)
                assert response.json()["error"]["request_id"], (name, method)
            elif name == "mcp":
                assert response.status_code in (401, 405), method
                assert response.json()["error"]["data"]["request_id"], method
            elif name in OF_PROVIDERS:
                assert response.status_code == 404, (name, method)
            elif name in OPEN:
                assert response.status_code in (200, 302, 405), (name, method)
            elif method in ("get", "post") or response.status_code != 405:
                assert response.status_code == 302, (name, method)
                assert response["Location"].partition("?")[0] in log_ins, (name, method)


def test_the_list_of_open_addresses_names_no_address_that_is_gone():
    assert {name for name, _here in ADDRESSES} >= OPEN | OF_PROVIDERS


# --- headers ----------------------------------------------------------------------------------------


@pytest.fixture
def number_one(db) -> None:
    """Something with the number 1 of every kind, with text that would run if it were let."""
    nasty = '<script>alert(1)</script><img src=x onerror="alert(2)"> $\\text{<style>}$ <a href="javascript:x">'
    hierarchy = KnowledgeHierarchy.objects.create(pk=1, name=f"Algebra {nasty}")
    concept = KnowledgeConcept.objects.add_root({"pk": 1, "hierarchy": hierarchy, "name": nasty})
    options = [{"label": "A", "text": nasty, "misconception": nasty}]
    question = Question.objects.create(
        pk=1, text=nasty, options=options, answer=nasty, solution=nasty, grade=nasty[:40], content_hash=b"1"
    )
    QuestionTag.objects.create(question=question, concept=concept)
    run = Run.objects.create(pk=1, kind="import", title=nasty, state="failed", error=nasty, message=nasty)
    RunLog.objects.create(run=run, text=nasty)


def test_every_page_and_error_page_keeps_to_the_content_security_policy(client, admin_person, number_one):
    client.raise_request_exception = False
    assert_safe(client.get(reverse("account_login")), "log-in")
    assert_safe(client.get("/nothing/here/"), "without a session")
    client.force_login(admin_person)
    seen = {}
    for name, here in ADDRESSES:
        response = client.get(here)
        assert response.status_code < 500 or (name.startswith("api:") and response.status_code == 503), here
        assert_safe(response, f"{name} {here}")
        seen[name] = response.status_code
    assert set(seen.values()) >= {200, 404, 405}
    for name in ("question_detail", "question_list", "concept_detail", "concept_tree", "run_detail", "health"):
        assert seen[name] == 200, name


# --- errors -----------------------------------------------------------------------------------------


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError(SECRET)


class BrokenSite:
    """The site with one view that raises."""

    urlpatterns = (path("broken/", broken), *urls.urlpatterns)
    handler400, handler403 = urls.handler400, urls.handler403
    handler404, handler500 = urls.handler404, urls.handler500


def test_an_unexpected_error_shows_a_page_without_details(settings, teacher):
    settings.ROOT_URLCONF = BrokenSite
    client = Client(raise_request_exception=False)
    client.force_login(teacher)
    response = client.get("/broken/")
    assert response.status_code == 500
    page = response.content.decode()
    assert "Something went wrong" in page
    for telling in (SECRET, "RuntimeError", "Traceback", "test_security", "/broken/"):
        assert telling not in page
    assert_safe(response, "500")


@pytest.mark.parametrize(("here", "status"), [("/nothing/here/", 404), ("/health/details/", 403)])
def test_error_pages_tell_nothing_about_the_inside(client, teacher, here, status):
    client.force_login(teacher)
    response = client.get(here)
    assert response.status_code == status
    page = response.content.decode()
    for telling in ("Traceback", "urlpatterns", "DEBUG", "questionbank.", "Django"):
        assert telling not in page


@pytest.mark.parametrize(
    ("address", "is_kept_out"),
    [
        (reverse("home"), True),
        (reverse("question_list"), True),
        ("/nothing/here/", True),
        (reverse("health_status"), True),  # of Django's own: it changes all the time
        (reverse("account_reset_password_done"), False),
    ],
)
def test_pages_behind_the_log_in_stay_out_of_caches(client, teacher, address, is_kept_out):
    client.force_login(teacher)
    assert ("no-store" in client.get(address).headers.get("Cache-Control", "")) is is_kept_out


def test_a_request_for_another_host_is_refused(client):
    for host in ("evil.example", "testserver.evil.example", "testserver@evil.example", "a b"):
        response = client.get(reverse("account_login"), headers={"host": host})
        assert response.status_code == 400, host
        assert "evil" not in response.content.decode()


def test_a_mail_never_names_a_host_that_a_request_made_up(client, teacher):
    User.objects.filter(pk=teacher.pk).update(email="teacher@school.example")
    for headers in ({"host": "evil.example"}, {"x-forwarded-host": "evil.example"}):
        client.post(reverse("account_reset_password"), {"email": "teacher@school.example"}, headers=headers)
    for message in mail.outbox:
        assert "evil" not in message.body + message.subject


# --- requests that are too large ----------------------------------------------------------------------


def test_a_form_that_is_too_large_gets_a_page(client, teacher, settings):
    client.force_login(teacher)
    text = "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    response = client.post(reverse("paste"), {"text": text})
    assert response.status_code == 400
    assert "Traceback" not in response.content.decode()


@pytest.mark.parametrize("name", ["account_login", "paste", "account_reset_password"])
def test_a_body_that_is_far_too_large_is_refused_before_it_is_read(client, name):
    class Unread:
        def read(self, size: int = -1) -> bytes:
            raise AssertionError("somebody read the body")

        readline = read

    response = client.generic(
        "POST",
        dict(ADDRESSES)[name],
        content_type="multipart/form-data; boundary=x",
        **{"CONTENT_LENGTH": str(middleware.FORM_LIMIT + 1), "wsgi.input": Unread()},
    )
    assert response.status_code == 413
    assert response.content.decode().startswith("This is more than 4.0")
    assert_safe(response, "413")


def test_an_upload_that_is_too_large_gets_a_sentence(client, admin_person, settings):
    settings.IMPORT_UPLOAD_MAX_BYTES = 1000
    client.force_login(admin_person)
    upload = SimpleUploadedFile("questions.jsonl", b"x" * 3_000_000)
    response = client.post(reverse("import_create"), {"file": upload, "format": "auto"})
    assert response.status_code in (400, 413, 422)
    assert "larger than" in response.content.decode()


@pytest.mark.parametrize("megabytes", [20.5, 22])
def test_pairs_that_are_too_large_are_not_kept_and_get_a_sentence(client, admin_person, megabytes):
    """Up to a megabyte over the limit the form refuses the file, from there it is dropped on the way."""
    client.force_login(admin_person)
    content = b"x" * int(megabytes * 2**20)
    upload = SimpleUploadedFile("pairs.jsonl", content)
    response = client.post(reverse("review_upload"), {"action": "check", "file": upload})
    assert response.status_code == 422
    assert "This file is larger than 20.0\xa0MB." in response.content.decode()
    assert ("file" in response.wsgi_request.FILES) == (megabytes < 21)


def test_the_views_that_take_files_exist():
    assert {name.removeprefix("api:") for name, _here in ADDRESSES} >= TAKES_FILES.keys()


@pytest.mark.parametrize("name", sorted(TAKES_FILES))
@pytest.mark.parametrize(("role", "status"), [("", 302), ("nobody", 403)])
def test_an_upload_is_not_read_before_it_is_known_who_sends_it(name, role, status, django_user_model):
    """The token of the log-in page is no permission to fill the disk."""

    class Unread:
        def read(self, *sizes: int) -> bytes:
            raise AssertionError("somebody read the body")

        readline = read

    client = Client(enforce_csrf_checks=True)
    client.get(reverse("account_login"))
    if role:
        client.force_login(django_user_model.objects.create_user(username=role))
    full_name, address = {known.removeprefix("api:"): (known, here) for known, here in ADDRESSES}[name]
    response = client.generic(
        "POST",
        address,
        content_type="multipart/form-data; boundary=x",
        headers={"x-csrftoken": client.cookies["csrftoken"].value},
        **{"CONTENT_LENGTH": "150000000", "wsgi.input": Unread()},
    )
    assert response.status_code == (401 if full_name.startswith("api:") and not role else status)


def test_the_log_in_page_keeps_no_file_that_is_sent_to_it(client):
    upload = SimpleUploadedFile("big", b"x" * 3_000_000)
    response = client.post(reverse("account_login"), {"login": "a", "password": "b", "file": upload})
    assert response.status_code == 200
    assert not response.wsgi_request.FILES


@pytest.mark.parametrize(
    ("content", "reason"), [(b"\n" * 3_000_000, "blank lines in a row"), (b" " * 900_000 + b"\n", "split it")]
)
def test_a_small_packed_upload_that_unpacks_to_much_is_refused_within_the_request(
    client, admin_person, content, reason
):
    client.force_login(admin_person)
    first = b'{"original": "How much is 1 + 1?", "paraphrase": "What is 1 + 1?"}\n'
    packed = gzip.compress(first + content * (1 if len(content) > 10**6 else 60))
    assert len(packed) < 200_000
    upload = SimpleUploadedFile("pairs.jsonl.gz", packed)
    response = client.post(reverse("review_upload"), {"action": "check", "file": upload})
    assert response.status_code == 422
    assert reason in response.content.decode()
