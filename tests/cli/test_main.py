"""The front door: exit codes, messages to stderr, no trace left in the host process."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from miner.commands import command_names, main


def test_wrong_usage_is_two_and_help_is_zero() -> None:
    with pytest.raises(SystemExit) as wrong:
        main(["nonsense"])
    assert wrong.value.code == 2
    with pytest.raises(SystemExit) as helped:
        main(["--help"])
    assert helped.value.code == 0


@pytest.mark.parametrize("name", command_names())
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as helped:
        main([name, "--help"])
    assert helped.value.code == 0
    assert f"miner {name}" in capsys.readouterr().out


def test_a_failure_is_one_with_a_message_and_debug_shows_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(tmp_path / "absent.toml")]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("miner: error: There is no study file")
    assert main(["run", str(tmp_path / "absent.toml"), "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_the_host_keeps_its_signal_handlers(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    main(["run", str(tmp_path / "absent.toml")])
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


def test_an_interrupt_that_an_import_turned_into_an_error_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from miner.commands import run as command

    def swallow(_args: object) -> int:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as err:
            raise ImportError("initialization failed") from err
        return 0

    monkeypatch.setattr(command, "run", swallow)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        pytest.skip("SIGINT is ignored in this process (a background job)")
    assert main(["run", "x.toml"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_a_closed_pipe_is_no_failure() -> None:
    code = "import sys; from miner.commands import main; sys.exit(main(['categories', 'list']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=120) == 0, err
    assert "Traceback" not in err
