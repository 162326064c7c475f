from __future__ import annotations

import signal
import time

import pytest

from questionbank.local import SERVICES, EmbeddedError, ensure, needs_embedded


def running(var_dir) -> set[str]:
    return {name for name, service in SERVICES.items() if service.status(var_dir) is not None}


def test_services_with_an_address_are_not_embedded():
    assert needs_embedded({}) == {"postgres", "redis"}
    assert needs_embedded({"DATABASE_URL": "postgresql://db/kindred", "REDIS_URL": ""}) == {"redis"}
    assert needs_embedded({"DATABASE_URL": "postgresql://db/kindred", "REDIS_URL": "redis://r"}) == set()


def test_two_processes_at_once_share_one_server_and_the_last_one_stops_it(var_dir, user_of, within):
    users = [user_of(var_dir, wait=False) for _ in range(2)]
    for user in users:
        assert user.stdout.readline() == "ready\n", user.communicate()[1]
    servers = [service.status(var_dir) for service in SERVICES.values()]
    users[0].communicate()
    assert [service.status(var_dir) for service in SERVICES.values()] == servers
    users[1].communicate()
    assert running(var_dir) == set()


def test_two_that_end_at_once_leave_nothing_running(var_dir, user_of):
    users = [user_of(var_dir) for _ in range(3)]
    for user in users:
        user.stdin.close()
    for user in users:
        assert user.wait(timeout=30) == 0
    assert running(var_dir) == set()


def test_only_what_is_asked_for_is_started(var_dir, run_python):
    user = run_python(f"ensure({str(var_dir)!r}, services=['redis'])\nprint('ready', flush=True)\nsys.stdin.read()")
    assert user.stdout.readline() == "ready\n"
    assert running(var_dir) == {"redis"}
    user.communicate()
    assert running(var_dir) == set()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_user_that_is_asked_to_end_stops_the_servers(var_dir, user_of, number):
    user = user_of(var_dir)
    user.send_signal(number)
    assert user.wait(timeout=30) != 0
    assert running(var_dir) == set()


def test_servers_outlive_a_killed_user_until_the_next_one_ends(var_dir, user_of):
    user = user_of(var_dir)
    servers = [service.status(var_dir) for service in SERVICES.values()]
    user.kill()
    user.wait()
    assert [service.status(var_dir) for service in SERVICES.values()] == servers
    user = user_of(var_dir)
    assert [service.status(var_dir) for service in SERVICES.values()] == servers
    user.communicate()
    assert running(var_dir) == set()


def test_a_user_beside_the_first_starts_again_what_was_killed(var_dir, user_of, kill):
    user_of(var_dir)
    killed = SERVICES["redis"].status(var_dir)
    kill(killed)
    second = user_of(var_dir)
    assert SERVICES["redis"].status(var_dir) not in (None, killed)
    second.communicate()
    assert running(var_dir) == {"postgres", "redis"}


@pytest.mark.parametrize(
    "child",
    [
        "subprocess.Popen(['sleep', '20'], close_fds=False)",
        "os.fork() or (time.sleep(20), os._exit(0))",
        "os.fork() or sys.exit()",
    ],
    ids=["a program", "a fork", "a fork that runs exit handlers"],
)
def test_a_child_process_is_no_user(var_dir, user_of, within, child):
    user = user_of(var_dir, then=child)
    time.sleep(0.3)
    assert running(var_dir) == {"postgres", "redis"}
    user.stdin.close()
    assert within(lambda: user.poll() is not None or running(var_dir) == set(), 20)
    assert within(lambda: running(var_dir) == set(), 5)


def test_a_forked_child_ends_at_once_when_terminated(var_dir, user_of):
    stubborn = (
        "child = os.fork()\n"
        "if child == 0:\n    signal.pause(); os._exit(0)\n"
        "time.sleep(0.2); os.kill(child, signal.SIGTERM)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM"
    )
    user_of(var_dir, then=stubborn)


def test_a_var_dir_that_cannot_be_written_is_one_clear_sentence():
    with pytest.raises(EmbeddedError, match=r"cannot use /proc/\w+.*: "):
        ensure("/proc/nowhere")
