"""Safe by default: who gets in, what answers say, and what production's settings are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.core import mail
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, path, resolve, reverse

from questionbank import middleware, urls
from questionbank.models import (
    KnowledgeConcept,
    KnowledgeHierarchy,
    Question,
    QuestionTag,
    Run,
    RunLog,
    User,
)

BASE_DIR = Path(__file__).resolve().parent.parent
PASSWORD = "correct horse battery"
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
}


@pytest.fixture(autouse=True)
def no_attempts_yet():
    """Rate limits count in the cache."""
    cache.clear()
    yield
    cache.clear()


# --- every address ----------------------------------------------------------------------------------


def addresses(patterns=None, prefix: str = "/", namespace: str = "") -> Iterator[tuple[str, str]]:
    """Name and a sample path of every address of the site, the admin's included."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        here = prefix + sample(str(pattern.pattern))
        if isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name or ''}", here
        elif isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from addresses(pattern.url_patterns, here, inner)


def sample(pattern: str) -> str:
    """A path that fits a pattern: 1 for whatever it takes."""
    text = re.sub(r"<(?:\w+:)?\w+>", "1", re.sub(r"\(\?P<\w+>([^()|]+)[^()]*\)", first_choice, pattern))
    return re.sub(r"\\(.)", r"\1", text).removeprefix("^").removesuffix("$").removesuffix("\\Z")


def first_choice(group: re.Match[str]) -> str:
    return group[1] if re.fullmatch(r"\w+", group[1]) else "1"


ADDRESSES = sorted(set(addresses()))


def test_the_sample_paths_reach_what_they_are_samples_of():
    assert len(ADDRESSES) > 60
    for name, here in ADDRESSES:
        match = resolve(here)
        assert match.view_name == name or not match.url_name, (name, here, match.view_name)


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "here"), ADDRESSES)
def test_without_a_session_every_address_leads_to_the_log_in(client, name, here):
    log_ins = {reverse("account_login"), reverse("admin:login")}  # the second leads to the first
    for method in ("get", "post", "put", "patch", "delete", "options"):
        response = getattr(client, method)(here)
        if name in OPEN:
            assert response.status_code in (200, 302, 405), method
        elif method in ("get", "post") or response.status_code != 405:
            assert response.status_code == 302, method
            assert response["Location"].partition("?")[0] in log_ins, method


@pytest.mark.django_db
def test_the_list_of_open_addresses_names_no_address_that_is_gone():
    assert {name for name, _here in ADDRESSES} >= OPEN


# --- headers ----------------------------------------------------------------------------------------

ADDRESS_ATTRIBUTES = {"href", "src", "action", "formaction", "hx-get", "hx-post", "data", "xlink:href"}


class PageReader(HTMLParser):
    """Collects what the content security policy would block, or what would load from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: (value or "") for name, value in attrs}
        if tag == "style" or "style" in values:
            self.faults.append(f"a style inside the page: {self.get_starttag_text()}")
        if tag == "script" and not values.get("src") and values.get("type") != "application/json":
            self.faults.append("a script inside the page")
        for name, value in values.items():
            if name.startswith("on") or (name.startswith("hx-on") or value.startswith("js:")):
                self.faults.append(f"an event handler: {self.get_starttag_text()}")
            if name in ADDRESS_ATTRIBUTES and re.match(
                r"\s*(javascript:|data:|[a-z]+://|//)", value, re.IGNORECASE
            ):
                self.faults.append(f"an address that is not here: {self.get_starttag_text()}")


def assert_safe(response: HttpResponse, where: str) -> None:
    policy = dict(
        part.strip().partition(" ")[::2] for part in response["Content-Security-Policy"].split(";") if part
    )
    assert policy["default-src"] == policy["script-src"] == policy["style-src"] == "'self'", where
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'", where
    assert policy["form-action"] == "'self'", where
    assert "unsafe" not in response["Content-Security-Policy"], where
    assert response["X-Content-Type-Options"] == "nosniff", where
    assert response["X-Frame-Options"] == "DENY", where
    assert response["Referrer-Policy"] == "same-origin", where
    assert response["Cross-Origin-Opener-Policy"] == "same-origin", where
    if response["Content-Type"].startswith("text/html"):
        reader = PageReader()
        reader.feed(response.content.decode())
        assert not reader.faults, f"{where}: {reader.faults[0]}"


@pytest.fixture
def number_one(db) -> None:
    """Something with the number 1 of every kind, with text that would run if it were let."""
    nasty = (
        '<script>alert(1)</script><img src=x onerror="alert(2)"> $\\text{<style>}$ <a href="javascript:x">'
    )
    hierarchy = KnowledgeHierarchy.objects.create(pk=1, name=f"Algebra {nasty}")
    concept = KnowledgeConcept.objects.add_root({"pk": 1, "hierarchy": hierarchy, "name": nasty})
    options = [{"label": "A", "text": nasty, "misconception": nasty}]
    question = Question.objects.create(
        pk=1, text=nasty, options=options, answer=nasty, solution=nasty, grade=nasty[:40], content_hash=b"1"
    )
    QuestionTag.objects.create(question=question, concept=concept)
    run = Run.objects.create(pk=1, kind="import", title=nasty, state="failed", error=nasty, message=nasty)
    RunLog.objects.create(run=run, text=nasty)


@pytest.mark.django_db
def test_every_page_and_error_page_keeps_to_the_content_security_policy(client, admin_person, number_one):
    client.raise_request_exception = False
    assert_safe(client.get(reverse("account_login")), "log-in")
    assert_safe(client.get("/nothing/here/"), "without a session")
    client.force_login(admin_person)
    seen = {}
    for name, here in ADDRESSES:
        if name != "admin:view_on_site":  # no row here has a page of its own on the site
            response = client.get(here)
            assert response.status_code < 500, here
            assert_safe(response, f"{name} {here}")
            seen[name] = response.status_code
    assert set(seen.values()) >= {200, 404, 405}
    for name in (
        "question_detail",
        "question_list",
        "concept_detail",
        "concept_tree",
        "run_detail",
        "health",
    ):
        assert seen[name] == 200, name


# --- errors -----------------------------------------------------------------------------------------


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError(SECRET)


class BrokenSite:
    """The site with one view that raises."""

    urlpatterns = (path("broken/", broken), *urls.urlpatterns)
    handler400, handler403 = urls.handler400, urls.handler403
    handler404, handler500 = urls.handler404, urls.handler500


@pytest.mark.django_db
def test_an_unexpected_error_shows_a_page_without_details(settings, teacher):
    settings.ROOT_URLCONF = BrokenSite
    client = Client(raise_request_exception=False)
    client.force_login(teacher)
    response = client.get("/broken/")
    assert response.status_code == 500
    page = response.content.decode()
    assert "Something broke" in page
    for telling in (SECRET, "RuntimeError", "Traceback", "test_security", "/broken/"):
        assert telling not in page
    assert_safe(response, "500")


@pytest.mark.django_db
@pytest.mark.parametrize(("here", "status"), [("/nothing/here/", 404), ("/health/details/", 403)])
def test_error_pages_tell_nothing_about_the_inside(client, teacher, here, status):
    client.force_login(teacher)
    response = client.get(here)
    assert response.status_code == status
    page = response.content.decode()
    for telling in ("Traceback", "urlpatterns", "DEBUG", "questionbank.", "Django"):
        assert telling not in page


@pytest.mark.django_db
def test_a_request_for_another_host_is_refused(client):
    for host in ("evil.example", "testserver.evil.example", "testserver@evil.example", "a b"):
        response = client.get(reverse("account_login"), headers={"host": host})
        assert response.status_code == 400, host
        assert "evil" not in response.content.decode()


@pytest.mark.django_db
def test_a_mail_never_names_a_host_that_a_request_made_up(client, teacher):
    User.objects.filter(pk=teacher.pk).update(email="teacher@school.example")
    for headers in ({"host": "evil.example"}, {"x-forwarded-host": "evil.example"}):
        client.post(reverse("account_reset_password"), {"email": "teacher@school.example"}, headers=headers)
    for message in mail.outbox:
        assert "evil" not in message.body + message.subject


# --- requests that are too large ----------------------------------------------------------------------


@pytest.mark.django_db
def test_a_form_that_is_too_large_gets_a_page(client, teacher, settings):
    client.force_login(teacher)
    text = "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    response = client.post(reverse("paste"), {"text": text})
    assert response.status_code == 400
    assert "Traceback" not in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["account_login", "paste", "account_reset_password"])
def test_a_body_that_is_far_too_large_is_refused_before_it_is_read(client, name):
    class Unread:
        def read(self, size: int = -1) -> bytes:
            raise AssertionError("somebody read the body")

        readline = read

    response = client.generic(
        "POST",
        reverse(name),
        content_type="multipart/form-data; boundary=x",
        **{"CONTENT_LENGTH": str(middleware.FORM_LIMIT + 1), "wsgi.input": Unread()},
    )
    assert response.status_code == 413
    assert response.content.decode().startswith("This is more than 4.0")
    assert_safe(response, "413")


@pytest.mark.django_db
def test_an_upload_that_is_too_large_gets_a_sentence(client, admin_person, settings):
    from django.core.files.uploadedfile import SimpleUploadedFile

    settings.IMPORT_UPLOAD_MAX_BYTES = 1000
    client.force_login(admin_person)
    upload = SimpleUploadedFile("questions.jsonl", b"x" * 3_000_000)
    response = client.post(reverse("import_create"), {"file": upload, "format": "auto"})
    assert response.status_code in (400, 413, 422)
    assert "larger than" in response.content.decode()


def test_the_views_that_take_files_exist():
    assert {name for name, _here in ADDRESSES} >= middleware.TAKES_FILES


# --- log-in -----------------------------------------------------------------------------------------


def log_in(client: Client, username: str, password: str = PASSWORD, **extra: str) -> HttpResponse:
    return client.post(reverse("account_login"), {"login": username, "password": password, **extra})


@pytest.mark.django_db
def test_logging_in_needs_the_password_and_begins_a_new_session(client, teacher):
    session = client.session
    session["planted"] = "by somebody else"
    session.save()
    client.cookies["sessionid"] = session.session_key
    planted = session.session_key
    assert log_in(client, "teacher", "wrong").status_code == 200
    response = log_in(client, "teacher")
    assert (response.status_code, response["Location"]) == (302, reverse("home"))
    cookie = response.cookies["sessionid"]
    assert cookie.value != planted
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    stranger = Client()
    stranger.cookies["sessionid"] = planted
    assert stranger.get(reverse("home")).status_code == 302


@pytest.mark.django_db
def test_logging_out_needs_a_post_and_ends_the_session(client, teacher):
    client.force_login(teacher)
    stolen = client.cookies["sessionid"].value
    client.get(reverse("account_logout"))
    assert client.get(reverse("home")).status_code == 200
    client.post(reverse("account_logout"))
    stranger = Client()
    stranger.cookies["sessionid"] = stolen
    assert stranger.get(reverse("home")).status_code == 302


@pytest.mark.django_db
def test_a_new_password_ends_the_other_sessions(client, teacher):
    other = Client()
    other.force_login(teacher)
    client.force_login(teacher)
    teacher.set_password("another horse battery")
    teacher.save()
    assert other.get(reverse("home")).status_code == 302


@pytest.mark.django_db
@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_nobody_is_sent_to_another_site_after_logging_in(client, teacher, target):
    page = client.get(reverse("account_login"), {"next": target}).content.decode()
    assert 'href="javascript:' not in page
    response = log_in(client, "teacher", next=target)
    assert response["Location"] == reverse("home")


@pytest.mark.django_db
def test_after_logging_in_one_is_where_one_wanted_to_be(client, teacher):
    wanted = client.get(reverse("paste"))["Location"]
    assert wanted == f"{reverse('account_login')}?next={reverse('paste')}"
    assert log_in(client, "teacher", next=reverse("paste"))["Location"] == reverse("paste")


@pytest.mark.django_db
def test_guessing_a_password_is_slowed_down(client, teacher):
    for _attempt in range(5):
        log_in(client, "teacher", "wrong")
    response = log_in(client, "teacher")  # the right one
    assert response.status_code == 200
    assert "Too many failed login attempts" in response.content.decode()
    assert client.get(reverse("home")).status_code == 302


@pytest.mark.django_db
def test_too_many_log_ins_from_one_address_get_429(client):
    statuses = [log_in(client, f"person{n}", "wrong").status_code for n in range(31)]
    assert statuses[0] == 200
    assert statuses[-1] == 429
    response = log_in(client, "one-more", "wrong")
    assert response.status_code == 429
    assert_safe(response, "429")
    assert "Traceback" not in response.content.decode()


@pytest.mark.django_db
def test_a_session_does_not_tell_whether_a_person_exists(client, teacher):
    existing = log_in(client, "teacher", "wrong").content.decode()
    missing = log_in(client, "nobody", "wrong").content.decode()
    assert without_tokens(existing, "teacher") == without_tokens(missing, "nobody")


def without_tokens(page: str, name: str) -> str:
    return re.sub(r'value="[^"]{20,}"|X-CSRFToken": "[^"]+"', "", page).replace(name, "")


@pytest.mark.django_db
def test_nobody_can_sign_up(client):
    response = client.post(
        reverse("account_signup"),
        {"username": "eve", "password1": PASSWORD, "password2": PASSWORD, "email": "e@example.com"},
    )
    assert response["Location"] == reverse("account_login")
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.django_db
def test_somebody_who_is_not_active_cannot_log_in(client, teacher):
    User.objects.filter(pk=teacher.pk).update(is_active=False)
    log_in(client, "teacher")
    assert client.get(reverse("home")).status_code == 302


@pytest.mark.django_db
def test_forms_need_their_token(teacher):
    client = Client(enforce_csrf_checks=True)
    client.force_login(teacher)
    response = client.post(reverse("paste"), {"text": "1 + 1"})
    assert response.status_code == 403
    assert "Traceback" not in response.content.decode()


# --- passwords --------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_forgotten_password_is_set_anew_by_mail_and_the_link_works_once(client, teacher):
    User.objects.filter(pk=teacher.pk).update(email="teacher@school.example")
    assert client.get(reverse("account_reset_password")).status_code == 200
    response = client.post(reverse("account_reset_password"), {"email": "teacher@school.example"})
    assert response["Location"] == reverse("account_reset_password_done")
    assert client.get(response["Location"]).status_code == 200
    (message,) = mail.outbox
    link = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", message.body)[1]
    form = client.get(link, follow=True)
    assert form.status_code == 200
    assert_safe(form, "new password")
    there = form.redirect_chain[-1][0]
    new = {"password1": "a new horse battery", "password2": "a new horse battery"}
    done = client.post(there, new, follow=True)
    assert done.status_code == 200
    assert log_in(Client(), "teacher").status_code == 200  # the former one
    assert log_in(Client(), "teacher", "a new horse battery").status_code == 302
    again = Client().get(link, follow=True).content.decode()
    assert 'name="password1"' not in again


@pytest.mark.django_db
def test_asking_for_a_reset_does_not_tell_who_is_here_and_writes_to_nobody_else(client, teacher):
    User.objects.filter(pk=teacher.pk).update(email="teacher@school.example")
    known = client.post(reverse("account_reset_password"), {"email": "teacher@school.example"})
    unknown = client.post(reverse("account_reset_password"), {"email": "stranger@example.com"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert [message.to for message in mail.outbox] == [["teacher@school.example"]]


@pytest.mark.django_db
@pytest.mark.parametrize("password", ["short1", "password", "4829104756"])
def test_a_weak_password_is_refused(client, teacher, password):
    log_in(client, "teacher")
    form = {"oldpassword": PASSWORD, "password1": password, "password2": password}
    assert client.post(reverse("account_change_password"), form).status_code == 200
    teacher.refresh_from_db()
    assert teacher.check_password(PASSWORD)


# --- Django's admin -----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_djangos_admin_has_no_log_in_of_its_own(client, admin_person):
    for here in ("/admin/", "/admin/login/", "/admin/questionbank/user/"):
        response = client.get(here, follow=True)
        assert response.redirect_chain[-1][0].startswith(reverse("account_login"))
        assert response.templates[0].name == "account/login.html"
    form = {"username": "admin", "password": PASSWORD, "next": "/admin/"}
    response = client.post("/admin/login/", form)
    assert response["Location"].startswith(reverse("account_login"))
    assert client.get("/admin/").status_code == 302


@pytest.mark.django_db
def test_djangos_admin_opens_for_admins_only(client, teacher, reviewer, admin_person):
    User.objects.filter(pk=reviewer.pk).update(is_staff=True)  # the flag alone opens nothing
    for person in (teacher, reviewer):
        client.force_login(person)
        response = client.get("/admin/", follow=True)
        assert response.request["PATH_INFO"] != "/admin/" or response.status_code == 403
        assert "People and settings" not in re.sub(r"<header.*?</header>", "", response.content.decode())
    client.force_login(admin_person)
    assert client.get("/admin/").status_code == 200


# --- production's settings ------------------------------------------------------------------------------

PRODUCTION = {"ALLOWED_HOSTS": "kindred.school.example", "HF_HUB_OFFLINE": "1"}

SHOW_SETTINGS = """
import django, json
django.setup()
from django.conf import settings
names = [name for name in dir(settings) if name.startswith(("SECURE_", "SESSION_COOKIE", "CSRF_COOKIE", "DEBUG"))]
print(json.dumps({name: getattr(settings, name) for name in names}, default=str))
"""


@pytest.fixture
def production(tmp_path) -> dict[str, str]:
    """The environment of an installation: no DEMO, a VAR_DIR of its own, servers that do not run."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, **PRODUCTION, "VAR_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "questionbank.settings"}


def python(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )


def test_djangos_check_for_deployments_finds_nothing(production):
    finished = python(production, "manage.py", "check", "--deploy", "--fail-level", "INFO")
    assert finished.returncode == 0, finished.stderr
    assert "no issues (0 silenced)" in finished.stdout


def test_without_demo_the_settings_are_productions(production):
    shown = json.loads(python(production, "-c", SHOW_SETTINGS).stdout)
    assert shown["DEBUG"] is False
    for name in ("SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY"):
        assert shown[name] is True
    for name in ("CSRF_COOKIE_SECURE", "CSRF_COOKIE_HTTPONLY", "SECURE_HSTS_INCLUDE_SUBDOMAINS"):
        assert shown[name] is True
    assert shown["SECURE_HSTS_SECONDS"] >= 31_536_000
    assert shown["SESSION_COOKIE_SAMESITE"] == "Lax"
    assert shown["SECURE_PROXY_SSL_HEADER"] is None  # a client could send it
    key = Path(production["VAR_DIR"]) / "secret_key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(key.read_text()) >= 50


def test_the_demo_listens_to_this_machine_alone_and_production_shows_no_demo(production):
    finished = python(production | {"DEMO": "1"}, "-c", SHOW_SETTINGS)
    shown = json.loads(finished.stdout)
    assert shown["SECURE_SSL_REDIRECT"] is False
    for demo, host in (("1", "127.0.0.1"), ("", "0.0.0.0")):
        program = (
            "import django; django.setup()\n"
            "from questionbank.management.commands import serve\n"
            "serve.os.execvpe = lambda *command: print(command[1])\n"
            "serve.SERVICES = {}\nserve.needs_embedded = lambda environ: ()\n"
            "serve.Command().execute(only='web', host=None, list=False, no_color=True, force_color=False)"
        )
        finished = python(production | {"DEMO": demo}, "-c", program)
        assert f"{host}:8000" in finished.stdout, finished.stderr


@pytest.mark.django_db
def test_demo_log_ins_are_on_no_page_of_production(client, settings):
    from questionbank.demo.people import DEMO_PEOPLE

    settings.DEMO = False
    page = client.get(reverse("account_login")).content.decode()
    for _username, password, _role in DEMO_PEOPLE:
        assert password not in page
