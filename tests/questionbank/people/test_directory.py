"""Log-in through a directory, against OpenLDAP's slapd."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
from allauth.socialaccount.models import SocialAccount
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from questionbank.local.instance import free_port
from questionbank.models import User

ldap = pytest.importorskip("ldap", reason="the extra ldap is not installed")
SLAPD = shutil.which("slapd", path="/usr/sbin:/usr/local/sbin:/usr/local/libexec")
if SLAPD is None:
    pytest.skip("slapd is not installed", allow_module_level=True)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_attempts_yet")]

BASE, ADMIN, SECRET = "dc=north,dc=example", "cn=admin,dc=north,dc=example", "s3rvice"
PASSWORD = "the analytical engine"
ENTRIES = f"""
    dn: {BASE}
    objectClass: dcObject
    objectClass: organization
    o: North District
    dc: north

    dn: uid=ada,{BASE}
    objectClass: inetOrgPerson
    uid: ada
    cn: Ada Lovelace
    givenName: Ada
    sn: Lovelace
    mail: ada@north.example
    userPassword: {PASSWORD}

    dn: cn=maths-teachers,{BASE}
    objectClass: groupOfNames
    cn: maths-teachers
    member: uid=ada,{BASE}
    member: uid=somebody,{BASE}
"""


@dataclass
class Directory:
    """A running slapd; a change of it is undone by `reset`."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"ldap://127.0.0.1:{self.port}"

    def modify(self, dn: str, action: int, attribute: str, value: str) -> None:
        connection = ldap.initialize(self.url)
        connection.simple_bind_s(ADMIN, SECRET)
        connection.modify_s(dn, [(action, attribute, [value.encode()])])
        connection.unbind_s()


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Directory]:
    (tmp_path / "data").mkdir()
    schemas = "\n".join(
        f"include {folder}/schema/{name}.schema"
        for folder in ["/etc/ldap"]
        for name in ("core", "cosine", "inetorgperson")
    )
    (tmp_path / "slapd.conf").write_text(
        f"{schemas}\nmodulepath /usr/lib/ldap\nmoduleload back_mdb\npidfile {tmp_path}/pid\ndatabase mdb\n"
        f'suffix "{BASE}"\nrootdn "{ADMIN}"\nrootpw {SECRET}\ndirectory {tmp_path}/data\nmaxsize 10485760\n'
    )
    (tmp_path / "entries.ldif").write_text(dedent(ENTRIES).lstrip())
    added = Path(SLAPD).with_name("slapadd")
    subprocess.run(
        [added, "-q", "-f", "slapd.conf", "-l", "entries.ldif"], cwd=tmp_path, check=True, capture_output=True
    )
    port = free_port(19300)
    command = [SLAPD, "-f", "slapd.conf", "-h", f"ldap://127.0.0.1:{port}", "-d", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            ldap.initialize(f"ldap://127.0.0.1:{port}").whoami_s()
            break
        except ldap.SERVER_DOWN:
            time.sleep(0.05)
    yield Directory(port, process)
    process.terminate()
    process.wait()


@pytest.fixture
def district(directory, sign_on, settings, tmp_path) -> Directory:
    """The directory is in effect."""
    (tmp_path / "password").write_text(SECRET)
    sign_on(
        f"""
        local_passwords = false
        break_glass = "rescue"
        [ldap]
        name = "North District"
        url = "{directory.url}"
        bind_dn = "{ADMIN}"
        bind_password_file = "password"
        people_base = "{BASE}"
        person_filter = "(|(uid=%(user)s)(mail=%(user)s))"
        groups_base = "{BASE}"
        id_attribute = "entryUUID"
        [[ldap.rules]]
        claim = "groups"
        value = "maths-teachers"
        role = "teacher"
        [[ldap.rules]]
        claim = "mail"
        role = "reviewer"
        """
    )
    settings.AUTHENTICATION_BACKENDS = [
        *settings.AUTHENTICATION_BACKENDS,
        "questionbank.people.accounts.DirectoryBackend",
    ]
    return directory


def log_in(client: Client, name: str = "ada", password: str = PASSWORD) -> HttpResponse:
    return client.post(reverse("account_login"), {"login": name, "password": password})


def roles(username: str = "ada") -> set[str]:
    return set(User.objects.get(username=username).groups.values_list("name", flat=True))


@pytest.mark.parametrize("name", ["ada", "ada@north.example"])
def test_a_password_of_the_directory_lets_in_and_groups_give_roles(client, district, name):
    assert log_in(client, name)["Location"] == reverse("home")
    person = User.objects.get()
    assert (person.get_full_name(), person.email) == ("Ada Lovelace", "ada@north.example")
    assert not person.has_usable_password()
    assert {group.name for group in person.groups.all()} == {"teacher", "reviewer"}
    assert client.get(reverse("question_list")).status_code == 200
    assert client.get(reverse("mfa_activate_totp")).status_code == 200  # asks for no password that there is not


def test_somebody_who_is_renamed_is_the_same_person(client, district):
    log_in(client)
    assert len(SocialAccount.objects.get().uid) == 36
    connection = ldap.initialize(district.url)
    connection.simple_bind_s(ADMIN, SECRET)
    connection.rename_s(f"uid=ada,{BASE}", "uid=countess")
    again = Client()
    log_in(again, "countess")
    assert again.session["_auth_user_id"] == client.session["_auth_user_id"]


def test_roles_follow_the_groups(client, district):
    log_in(client)
    district.modify(f"cn=maths-teachers,{BASE}", ldap.MOD_DELETE, "member", f"uid=ada,{BASE}")
    log_in(Client())
    assert roles() == {"reviewer"}
    assert User.objects.count() == SocialAccount.objects.count() == 1


@pytest.mark.parametrize(("name", "password"), [("ada", "wrong"), ("ada", ""), ("nobody", PASSWORD), ("*", PASSWORD)])
def test_nobody_else_gets_in(client, district, name, password):
    page = log_in(client, name, password)
    assert page.status_code == 200
    assert not User.objects.exists()


def test_an_account_here_of_the_same_name_is_somebody_else(client, district):
    """A name in the directory opens no account that an admin made for somebody else."""
    local = User.objects.create_user(username="ada", password="another password")
    log_in(client)
    assert client.session["_auth_user_id"] != str(local.pk)
    assert roles("ada") == set()
    assert roles("ada-2") == {"teacher", "reviewer"}


def test_local_passwords_are_off_but_for_the_break_glass_account(client, district):
    for name in ("local", "rescue"):
        User.objects.create_user(username=name, password="correct horse battery")
    assert "not correct" in log_in(client, "local", "correct horse battery").content.decode()
    assert log_in(client, "rescue", "correct horse battery")["Location"] == reverse("home")


def test_a_directory_that_is_down_says_so_and_break_glass_still_works(client, district):
    User.objects.create_user(username="rescue", password="correct horse battery")
    district.process.kill()
    district.process.wait()
    page = log_in(client).content.decode()
    assert "North District does not answer: try again in a few minutes." in page
    assert log_in(client, "rescue", "correct horse battery")["Location"] == reverse("home")


def test_a_closed_account_is_logged_out_and_stays_out(client, district):
    log_in(client)
    User.objects.update(is_active=False)
    assert client.get(reverse("home")).status_code == 302
    assert log_in(client)["Location"] == reverse("account_inactive")


def test_somebody_whose_address_is_taken_is_told(client, district):
    User.objects.create_user(username="other", email="ada@north.example")
    page = log_in(client).content.decode()
    assert "Somebody here already has the address of your North District account" in page
