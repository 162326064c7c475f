from __future__ import annotations

import os
import re
import signal
import sys

import pytest

from questionbank.local import programs
from questionbank.local.programs import Program, RunningChild
from questionbank.local.server import is_alive
from questionbank.local.supervisor import Supervisor

SUPERVISE = """
from questionbank.local.programs import Program
from questionbank.local.supervisor import Supervisor
programs = [Program(name, ["sh", "-c", script]) for name, script in {scripts!r}.items()]
supervisor = Supervisor(programs, Path({logs!r}), echo=lambda line: print(line, flush=True), {options})
supervisor.run()
print("stopped", flush=True)
"""


@pytest.fixture
def supervise(run_python, tmp_path):
    """Runs shell scripts under a supervisor in a process of its own."""

    def start(options="", **scripts):
        return run_python(SUPERVISE.format(scripts=scripts, logs=str(tmp_path / "logs"), options=options))

    return start


def read_until(process, pattern: str) -> re.Match:
    for line in process.stdout:
        if match := re.search(pattern, line):
            return match
    raise AssertionError(f"{pattern} was not said: {process.communicate()[1]}")


def test_output_goes_whole_to_the_log_and_short_to_the_terminal(supervise, tmp_path):
    supervisor = supervise(web=f"printf '{'x' * 500}\\nno line end'; exec sleep 60")
    assert read_until(supervisor, r"web \| (x+) \.\.\.")[1] == "x" * 160
    supervisor.terminate()
    read_until(supervisor, "no line end")
    read_until(supervisor, "stopped")
    assert (tmp_path / "logs" / "web.log").read_text() == "x" * 500 + "\nno line end\n"


def test_routine_lines_go_to_the_log_alone(supervise, tmp_path):
    supervisor = supervise(
        web="echo '12:00 [info     ] quiet'; echo '[INFO] quiet'; echo '[error    ] loud'; exec sleep 60"
    )
    assert supervisor.stdout.readline() == "web | [error    ] loud\n"
    assert (tmp_path / "logs" / "web.log").read_text().count("quiet") == 2


def test_a_program_that_is_held_back_starts_when_told(supervise, tmp_path):
    told = tmp_path / "told"
    supervisor = supervise(
        f"held=['late'], watch=lambda: Path({str(told)!r}).exists() and supervisor.start_held(), watch_seconds=0",
        early=f"echo early; sleep 0.5; echo still alone; touch {told}; exec sleep 60",
        late="echo late; exec sleep 60",
    )
    said = [supervisor.stdout.readline() for _ in range(3)]
    assert said == ["early | early\n", "early | still alone\n", "late | late\n"]


def test_a_machine_with_little_memory_runs_one_site_process_and_one_worker_for_short_and_long_work(tmp_path):
    few, many = (programs.programs_of_machine(tmp_path, host="", port=1, few=few) for few in (True, False))
    assert list(few) == ["web", "worker-default", "worker-train"]
    assert list(many) == ["web", "worker-default", "worker-light", "worker-train"]
    for machine, workers, queues in ((few, "1", "light,default"), (many, "2", "default")):
        assert option(machine["web"], "--workers") == workers
        assert option(machine["worker-default"], "--queues") == queues
        assert option(machine["worker-default"], "--clock") == str(tmp_path / "celerybeat-schedule")


def option(program: Program, name: str) -> str:
    return program.command[list(program.command).index(name) + 1]


def test_a_crashed_program_starts_again_after_growing_delays(supervise):
    supervisor = supervise("first_delay=0.1, longest_delay=0.3", web="exit 3", worker="kill -9 $$")
    delays = [read_until(supervisor, r"web exited \(exit code 3\).* in ([\d.]+) s")[1] for _ in range(4)]
    assert delays == ["0.1", "0.2", "0.3", "0.3"]
    read_until(supervisor, r"worker exited \(SIGKILL\)")


def test_a_program_that_has_crashed_all_night_starts_again_still(tmp_path):
    said = []
    supervisor = Supervisor([Program("web", ["true"])], tmp_path, echo=said.append, longest_delay=30)
    supervisor._failures["web"] = 5_000
    supervisor._start_due()
    supervisor._restart_later(supervisor._running[0])
    assert "start again in 30 s" in said[-1]


def test_a_program_that_is_not_there_is_said(tmp_path, within):
    said = []
    child = RunningChild(Program("web", ["/nowhere/web"]), tmp_path / "web.log", said.append)
    assert within(child.has_exited)
    assert child.kill() == 1
    assert said == ["web | /nowhere/web: No such file or directory"]


def test_long_work_leaves_the_processors_to_pages(tmp_path, within):
    niceness = {name: program.niceness for name, program in programs.programs(tmp_path, host="", port=0).items()}
    assert niceness["worker-default"] == niceness["worker-train"] > niceness["web"] == niceness["worker-light"]
    said = []
    child = RunningChild(Program("worker", ["nice"], niceness=niceness["worker-train"]), tmp_path / "log", said.append)
    assert within(child.has_exited)
    child.kill()
    assert said == [f"worker | {min(19, os.nice(0) + niceness['worker-train'])}"]


def test_what_a_crashed_program_leaves_running_is_removed(supervise, within):
    supervisor = supervise("first_delay=60", web="sleep 60 & echo left $!; exit 1")
    left = int(read_until(supervisor, r"left (\d+)")[1])
    read_until(supervisor, "web exited")
    assert within(lambda: not is_alive(left), 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_every_program_and_its_children(supervise, within, tmp_path, number):
    supervisor = supervise(
        web="sleep 60 & echo child $!; wait",
        worker="trap 'echo goodbye; exit' TERM; echo ready; while :; do sleep 0.1; done",
    )
    child = int(read_until(supervisor, r"child (\d+)")[1])
    assert within(lambda: "ready" in (tmp_path / "logs" / "worker.log").read_text())
    supervisor.send_signal(number)
    read_until(supervisor, "goodbye")
    read_until(supervisor, "stopped")
    assert supervisor.wait() == 0
    assert within(lambda: not is_alive(child), 1)


def test_under_nohup_it_outlives_the_terminal(supervise):
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        supervisor = supervise(web="echo up; sleep 0.5; echo still up; exec sleep 60")
    finally:
        signal.signal(signal.SIGHUP, previous)
    read_until(supervisor, "up")
    supervisor.send_signal(signal.SIGHUP)
    read_until(supervisor, "still up")
    supervisor.terminate()
    read_until(supervisor, "stopped")


@pytest.mark.parametrize("options", ["grace_seconds=0.3", "grace_seconds=60"])
def test_a_program_that_will_not_end_is_killed_after_the_grace_or_a_second_signal(supervise, within, options):
    supervisor = supervise(options, web="trap 'echo no' TERM; echo $$; while :; do sleep 0.1; done")
    web = int(read_until(supervisor, r"web \| (\d+)")[1])
    supervisor.terminate()
    read_until(supervisor, "no")
    if options.endswith("60"):
        supervisor.terminate()
    read_until(supervisor, "stopped")
    assert within(lambda: not is_alive(web), 1)


def test_programs_die_with_a_killed_supervisor(supervise, within):
    supervisor = supervise(web="echo $$; exec sleep 60")
    web = int(read_until(supervisor, r"web \| (\d+)")[1])
    supervisor.kill()
    assert within(lambda: not is_alive(web), 5)


def test_the_watch_is_called_while_programs_run(supervise):
    supervisor = supervise("watch=lambda: print('watched', flush=True), watch_seconds=0.1", web="sleep 60")
    for _ in range(3):
        read_until(supervisor, "watched")


def test_a_program_that_closes_its_output_keeps_running(supervise, tmp_path):
    supervisor = supervise(
        web=f"exec >&- 2>&-; sleep 0.3; touch {tmp_path}/alive; sleep 60", other="sleep 1; echo hello"
    )
    read_until(supervisor, "hello")
    assert (tmp_path / "alive").exists()


def test_kindred_is_a_site_a_worker_for_each_queue_and_a_clock(tmp_path):
    named_programs = programs.programs(tmp_path, host="127.0.0.1", port=8123)
    assert list(named_programs) == ["web", "worker-default", "worker-light", "worker-train", "beat"]
    assert "127.0.0.1:8123" in named_programs["web"].command
    assert all(program.command[0] == sys.executable for program in named_programs.values())
    assert all(os.path.exists(program.directory / "pyproject.toml") for program in named_programs.values())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_does_not_end_the_supervisor(supervise, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "web.log").symlink_to("/dev/full")
    supervisor = supervise("first_delay=0.1", web="echo hello; exit 3")
    read_until(supervisor, r"web exited \(exit code 3\)")
    read_until(supervisor, r"web exited \(exit code 3\)")
    (tmp_path / "logs" / "web.log").unlink()
    read_until(supervisor, r"web exited \(exit code 3\)")
    read_until(supervisor, r"web exited \(exit code 3\)")
    assert "hello" in (tmp_path / "logs" / "web.log").read_text()


def test_a_stopped_program_goes_on(supervise):
    script = "echo pid $$; while :; do sleep 0.1; done"
    begin = "__import__('questionbank.local.supervisor').local.supervisor"
    supervisor = supervise(f"**({begin}.__dict__.update(_STOPPED_SECONDS=0.3, _LOOK_SECONDS=0.1) or {{}})", web=script)
    os.kill(int(read_until(supervisor, r"pid (\d+)")[1]), signal.SIGSTOP)
    read_until(supervisor, "web was stopped and has been resumed")
