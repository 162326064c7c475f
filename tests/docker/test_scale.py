"""Kindred on more than one machine: no engine, scheduler or cluster is at hand, so the files themselves are checked."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from argparse import Namespace

import pytest
import yaml
from torch.distributed.run import get_args_parser

from analytics.__main__ import _parser
from analytics.configuration import config_from_strings, named_values
from analytics.encoder.config import EncoderConfig
from questionbank.core import env
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
    assert {name for name in OURS if "deploy" in SCALE["services"][name]} == {"worker-default", "worker-train"}
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


def started(command: str) -> Namespace:
    """What a template's command starts on the second machine, as torchrun and the command themselves read it."""
    for variable, value in {"SLURM_JOB_NUM_NODES": "2", "SLURM_NODEID": "1", "JOB_COMPLETION_INDEX": "1"}.items():
        command = command.replace(f'"${variable}"', value)
    words = shlex.split(command.replace("\\\n", " "))
    torchrun = get_args_parser().parse_args(words[1:])
    assert (words[0].rpartition("/")[2], torchrun.module, torchrun.training_script) == ("torchrun", True, "analytics")
    assert (torchrun.node_rank, torchrun.master_port) == (1, 29500)
    options = _parser().parse_args(torchrun.training_script_args)
    assert (options.command, options.capability) == ("train", "encoder")
    config = config_from_strings(EncoderConfig, named_values(options.settings))
    assert config.batch_size % (int(torchrun.nnodes) * int(torchrun.nproc_per_node)) == 0
    return torchrun


def test_slurm_starts_one_command_a_machine_with_a_process_for_each_gpu():
    text = (DOCKER / "train.slurm").read_text(encoding="utf-8")
    asked = dict(re.findall(r"^#SBATCH --([\w-]+)(?:=(\S+))?$", text, flags=re.MULTILINE))
    assert asked["ntasks-per-node"] == "1"
    torchrun = started(re.search(r"exec (\.venv.*?)'$", text, flags=re.DOTALL | re.MULTILINE)[1])
    assert (torchrun.nnodes, torchrun.nproc_per_node) == (asked["nodes"], asked["gpus-per-node"])
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
    torchrun = started(command.removeprefix("exec "))
    assert torchrun.master_addr == f"{name}-0.{pod['subdomain']}"
    assert torchrun.nnodes == str(spec["completions"])
    assert torchrun.nproc_per_node == container["resources"]["limits"]["nvidia.com/gpu"]


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
