"""`python -m gemm_ladder.runtime check` on good, broken and crashing artefacts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fake_device import artefact, kernel

from gemm_ladder.runtime.artefact_files import save_artefact

PLUGIN = """
import os
import gemm_ladder.runtime.device as device
from fake_device import FakeDevice
from gemm_ladder.runtime.errors import DeviceError


class Fragile(FakeDevice):
    lost = False

    def launch(self, handle, args):
        if self.kernels[handle].name == "crashes":
            os._exit(7)
        if self.kernels[handle].name == "loses_the_device":
            self.lost = True
        if self.lost:
            raise DeviceError("illegal address")
        return super().launch(handle, args)

    def alloc(self, nbytes):
        if self.lost:
            raise DeviceError("illegal address")
        return super().alloc(nbytes)


device.KINDS["fake"] = ("fake", "fake")
real = device.open_device
device.open_device = lambda spec: Fragile() if spec == "fake" else real(spec)
"""


@pytest.fixture
def check(tmp_path):
    """Run the command with a fake device; its children get it the same way."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(PLUGIN)
    paths = [str(tmp_path / "site"), str(Path(__file__).parent), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def run(*arguments):
        command = [sys.executable, "-m", "gemm_ladder.runtime", "check", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
        assert "Traceback" not in done.stderr
        return done

    return run


def save(folder, name, **more):
    folder.mkdir(exist_ok=True)
    made = artefact(kernel(20, 40, 64, **more))
    return save_artefact(made, folder / f"{name}.json")


def test_good_artefacts_pass_and_are_reported(check, tmp_path):
    folder = tmp_path / "in"
    save(folder, "a")
    save(folder, "b")
    out = folder / "report.json"
    for _ in range(2):  # The report in the folder is not taken for an artefact.
        done = check(folder, "--device", "fake", "--repeats", 2, "--json", out)
        assert done.returncode == 0, done.stderr
        assert "2 kernels checked in 2 artefacts, 0 failed" in done.stdout
        assert "[2/2]" in done.stderr
    report = json.loads(out.read_text())
    assert report["ok"] is True
    assert [result["mismatches"] for result in report["results"]] == [0, 0]


def test_broken_and_lost_artefacts_fail_and_the_others_still_run(check, tmp_path):
    folder = tmp_path / "in"
    save(folder, "a_crashes")
    rename(folder / "a_crashes.json", "crashes")
    save(folder, "b_loses")
    rename(folder / "b_loses.json", "loses_the_device")
    (folder / "c_truncated.json").write_text('{"schema"')
    save(folder, "d_good")
    done = check(folder, "--device", "fake")
    assert done.returncode == 1
    assert "the process running it died (status 7)" in done.stdout
    assert "FAIL: illegal address" in done.stdout
    assert "perhaps truncated" in done.stdout
    assert "d_good.json: ok" in done.stderr
    assert "4 kernels checked in 4 artefacts, 3 failed" in done.stdout


def rename(path, name):
    document = json.loads(path.read_text())
    document["kernels"][0]["name"] = name
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["IN", "--device", "abacus"], "error: unknown device 'abacus'; known: "),
        (["EMPTY", "--device", "fake"], "error: no artefact (*.json) in"),
        (["IN", "--device", "fake", "--json", "/nowhere/x.json"], "error: cannot write /nowhere"),
        (["IN", "--device", "cuda:x"], "error: device 'cuda:x': the part after the colon"),
    ],
)
def test_bad_use_is_one_line(check, tmp_path, arguments, said):
    save(tmp_path / "in", "a")
    (tmp_path / "empty").mkdir()
    places = {"IN": tmp_path / "in", "EMPTY": tmp_path / "empty"}
    done = check(*[places.get(argument, argument) for argument in arguments])
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(said)
