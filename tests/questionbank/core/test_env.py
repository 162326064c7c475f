"""What the environment may say, and the one sentence for what it may not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.core.checks import WARNING, run_checks
from django.urls import reverse

from questionbank.bank.school_grades import SCHOOL_SYSTEMS
from questionbank.core import env
from questionbank.models import Run


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns"])
def test_a_zone_is_taken(monkeypatch, name):
    monkeypatch.setenv("TIME_ZONE", f" {name} ")
    assert env.time_zone() == name


@pytest.mark.parametrize("name", ["Europe", "Berlin", "+01:00", "../../etc/passwd", "/etc/passwd", "Europe/Berlim"])
def test_a_zone_that_does_not_exist_is_one_sentence(monkeypatch, name):
    monkeypatch.setenv("TIME_ZONE", name)
    with pytest.raises(SystemExit, match=r"Error: TIME_ZONE: there is no zone '.*'\. Write it as Europe/London"):
        env.time_zone()


@pytest.mark.parametrize(
    ("given", "hosts", "sender"),
    [
        ("Kindred <k@school.example>", [], "Kindred <k@school.example>"),
        ("k@school.example", ["other.example"], "k@school.example"),
        ("", ["kindred.school.example", "www.example"], "Kindred <no-reply@kindred.school.example>"),
        ("", ["localhost", "10.0.0.7", "[::1]", ".school.example"], "Kindred <no-reply@school.example>"),
        ("", ["localhost", "127.0.0.1", "[::1]", "*"], ""),
    ],
)
def test_the_sender_is_the_one_given_else_one_at_the_sites_own_name(monkeypatch, given, hosts, sender):
    monkeypatch.setenv("MAIL_FROM", given)
    assert env.mail_sender(hosts) == sender


@pytest.mark.parametrize("given", ["Kindred", "kindred@", "Kindred <kindred>", "a@b.example\nBcc: c@d.example"])
def test_a_sender_that_is_no_address_is_one_sentence(monkeypatch, given):
    monkeypatch.setenv("MAIL_FROM", given)
    with pytest.raises(SystemExit, match="Error: MAIL_FROM is not an e-mail address"):
        env.mail_sender([])


@pytest.mark.parametrize("given", ["mail.school.example", "smtp://", "smtp+tls://user:password@", "smtp://h:x"])
def test_a_mail_server_that_cannot_be_read_is_one_sentence_without_its_password(monkeypatch, given):
    monkeypatch.setenv("EMAIL_URL", given)
    with pytest.raises(SystemExit, match="Error: EMAIL_URL") as caught:
        env.mail_server()
    assert "password@" not in str(caught.value)


def test_an_empty_mail_server_is_none(monkeypatch):
    monkeypatch.setenv("EMAIL_URL", "")
    assert str(env.mail_server()["EMAIL_BACKEND"]).endswith("console.EmailBackend")


@pytest.mark.django_db
def test_times_on_pages_are_in_the_zone_of_the_site_which_the_page_names(client, admin_person, settings):
    settings.TIME_ZONE = "Asia/Kolkata"
    run = Run.objects.create(kind="import", title="A file")
    Run.objects.filter(pk=run.pk).update(created_at=datetime(2026, 11, 26, 20, 0, tzinfo=UTC))
    client.force_login(admin_person)
    page = client.get(reverse("run_list")).content.decode()
    assert "27 Nov 2026, 01:30" in page
    assert "Times are in Asia/Kolkata" in page


@pytest.mark.parametrize("address", ["postgres://kindred@host:port/bank", "mysql://host/bank", "postgres://host:5432"])
def test_an_address_that_leads_to_no_database_is_one_sentence(monkeypatch, address):
    monkeypatch.setenv("DATABASE_URL", address)
    with pytest.raises(SystemExit, match=r"Error: DATABASE_URL is wrong\. Write it as postgres://"):
        env.databases()


def test_only_processes_that_connect_to_the_pooler_are_behind_it(monkeypatch, tmp_path):
    from questionbank.local.programs import programs

    pooler = "postgres://kindred@pooler:6432/kindred"
    monkeypatch.setenv("DATABASE_URL", "postgres://kindred@database/kindred")
    monkeypatch.setenv("DATABASE_POOLER_URL", pooler)
    assert not env.is_behind_pooler()  # a command
    processes = programs(tmp_path, host="127.0.0.1", port=8000)
    assert {process.environment["DATABASE_URL"] for process in processes.values()} == {pooler}
    monkeypatch.setenv("DATABASE_URL", pooler)
    assert env.databases()["default"]["DISABLE_SERVER_SIDE_CURSORS"]


def test_a_retired_variable_changes_nothing_and_is_warned_about(monkeypatch):
    monkeypatch.setenv("DATABASE_REPLICA_URLS", "")
    assert run_checks(tags=["environment"]) == []
    monkeypatch.setenv("DATABASE_REPLICA_URLS", "postgres://kindred@replica/kindred")
    assert set(env.databases()) == {"default"}
    [told] = run_checks(tags=["environment"])
    assert told.msg == (
        "DATABASE_REPLICA_URLS has no effect any more: Kindred reads from DATABASE_URL alone. "
        "Remove it from the environment."
    )
    assert told.level == WARNING


def test_a_school_system_is_one_of_those_known(monkeypatch):
    assert tuple(SCHOOL_SYSTEMS) == env.SCHOOL_SYSTEMS
    monkeypatch.setenv("SCHOOL_SYSTEM", " England ")
    assert env.school_system() == "england"
    monkeypatch.setenv("SCHOOL_SYSTEM", "utopia")
    with pytest.raises(SystemExit, match="Error: SCHOOL_SYSTEM: there is no school system 'utopia'"):
        env.school_system()
