"""Kindred on more than one machine: no engine, scheduler or cluster is at hand, so the files themselves are checked."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import pytest
import yaml

from analytics.__main__ import _parser
from analytics.configuration import config_from_strings, named_values
from analytics.encoder.config import EncoderConfig
from questionbank import env
from tests.docker.conftest import DOCKER
from tests.docker.test_compose import OURS

SCALE = yaml.safe_load((DOCKER / "compose.scale.yaml").read_text(encoding="utf-8"))
ADDED = ("pooler", "objects")


def test_every_process_of_ours_uses_the_pooler_and_the_store(compose):
    assert set(SCALE["services"]) == {*ADDED, *OURS}
    for name in OURS:
        service = SCALE["services"][name]
        assert set(service["environment"]) == {"DATABASE_POOLER_URL", "STORAGE_URL"}
        assert set(service["environment"]) <= set(compose["x-kindred"]["environment"])
        assert set(service["depends_on"]) == {"pooler", "objects"}
    assert {name for name in OURS if "deploy" in SCALE["services"][name]} == {
        "worker-default",
        "worker-train",
    }
    assert SCALE["services"]["worker-train"]["deploy"] == {"replicas": 2}


@pytest.mark.parametrize("name", ADDED)
def test_what_is_added_is_as_closed_as_the_rest(name):
    service = SCALE["services"][name]
    assert service["user"] not in ("root", "0", "0:0", 0)
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["read_only"] is True
    assert service["networks"] == ["inside"]
    assert service["healthcheck"]["test"][0] == "CMD"
    assert service["mem_limit"]
    assert "ports" not in service
    assert re.search(r":(RELEASE\.)?\d+[.\d-]+", service["image"])


def test_addresses_fit_the_services_that_they_name(monkeypatch):
    environment = {
        name: re.sub(r"\$\{\w+:[^}]*\}", "secret", value)
        for name, value in SCALE["services"]["web"]["environment"].items()
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    store = env.storages()["checkpoints"]["OPTIONS"]
    assert (store["endpoint_url"], store["bucket_name"]) == ("http://objects:9000", "kindred")
    assert "@pooler:6432/" in environment["DATABASE_POOLER_URL"]
    assert "listen_port = 6432" in (DOCKER / "pooler.sh").read_text(encoding="utf-8")


def settings_of(command: str) -> EncoderConfig:
    """What a template's command trains, read as the command itself would."""
    command = command.replace("\\\n", " ")
    words = shlex.split(command.replace('"$SLURM_JOB_NUM_NODES"', "2").replace('"$SLURM_NODEID"', "1"))
    words = shlex.split(shlex.join(words).replace("'$JOB_COMPLETION_INDEX'", "1"))
    options = _parser().parse_args(words[words.index("analytics") + 1 :])
    assert (options.command, options.capability, options.node) == ("train", "encoder", 1)
    assert options.first.endswith(":29500")
    return config_from_strings(EncoderConfig, named_values(options.settings))


def test_slurm_starts_one_command_a_machine_with_a_process_for_each_gpu():
    text = (DOCKER / "train.slurm").read_text(encoding="utf-8")
    asked = dict(re.findall(r"^#SBATCH --([\w-]+)(?:=(\S+))?$", text, flags=re.MULTILINE))
    assert asked["ntasks-per-node"] == "1"
    config = settings_of(re.search(r"exec (\.venv.*?)'$", text, flags=re.DOTALL | re.MULTILINE)[1])
    assert (str(config.nodes), str(config.processes)) == (asked["nodes"], asked["gpus-per-node"])
    finished = subprocess.run(["bash", "-n", DOCKER / "train.slurm"], capture_output=True, check=False)
    assert finished.returncode == 0


def test_kubernetes_starts_the_same_command_in_an_indexed_job_whose_pods_have_names():
    service, job = yaml.safe_load_all((DOCKER / "train.kubernetes.yaml").read_text(encoding="utf-8"))
    name, spec = job["metadata"]["name"], job["spec"]
    assert (spec["completionMode"], spec["completions"]) == ("Indexed", spec["parallelism"])
    pod = spec["template"]["spec"]
    assert pod["subdomain"] == service["metadata"]["name"]
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["selector"] == {"job-name": name}
    (container,) = pod["containers"]
    (command,) = container["args"]
    assert f"--first {name}-0.{pod['subdomain']}:" in command
    config = settings_of(command)
    assert config.nodes == spec["completions"]
    assert str(config.processes) == container["resources"]["limits"]["nvidia.com/gpu"]


def test_kuberay_embeds_with_as_many_machines_as_it_starts_and_the_tested_version():
    job = yaml.safe_load((DOCKER / "embed.kubernetes.yaml").read_text(encoding="utf-8"))
    cluster = job["spec"]["rayClusterSpec"]
    words = shlex.split(job["spec"]["entrypoint"])
    options = _parser().parse_args(words[words.index("analytics") + 1 :])
    assert (options.command, options.runner, options.address) == ("embed", "ray", "auto")
    (workers,) = cluster["workerGroupSpecs"]
    assert options.nodes == workers["replicas"] == workers["minReplicas"]
    assert cluster["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"  # so it is no machine of these
    head, worker = (part["template"]["spec"] for part in (cluster["headGroupSpec"], workers))
    (mount,) = head["containers"][0]["volumeMounts"]
    assert all(path.startswith(f"{mount['mountPath']}/") for path in (*options.input, str(options.output)))
    for pod in (head, worker):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["containers"][0]["env"] == [{"name": "RAY_USAGE_STATS_ENABLED", "value": "0"}]
    pinned = (DOCKER / "constraints.txt").read_text(encoding="utf-8")
    assert f"\nray=={cluster['rayVersion']}\n" in pinned


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed (Debian: prometheus)")
def test_prometheus_takes_its_files():
    finished = subprocess.run(
        ["promtool", "check", "config", DOCKER / "prometheus" / "prometheus.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
