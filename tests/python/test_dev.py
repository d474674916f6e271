"""./dev and what the documents say of it."""

import os
import re
import subprocess

import pytest
from conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
AGENTS = (ROOT / "AGENTS.md").read_text(encoding="utf-8")


def dev(*args: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [ROOT / "dev", *args],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )


def commands() -> set[str]:
    return set(re.findall(r"^  \./dev (\w+)", dev("help").stdout, re.MULTILINE))


def test_ci_runs_the_test_command_of_the_readme():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    (command,) = [line.removeprefix("exec ") for line in lines if line.startswith("exec ")]
    assert re.search(rf"^{re.escape(command)}( |$)", README, re.MULTILINE)


@pytest.mark.parametrize("page", [README, AGENTS], ids=["README", "AGENTS"])
def test_documented_commands_exist(page):
    named = set(re.findall(r"(?:`|^)\./dev (\w+)", page, re.MULTILINE))
    assert named
    assert named <= commands()


def test_unknown_command_is_a_usage_error():
    done = dev("nonsense")
    assert done.returncode == 2
    assert "'nonsense'" in done.stderr


def test_unfit_python_is_refused():
    done = dev("help", KUMIHIMO_PYTHON="/bin/false")
    assert done.returncode == 1
    assert "KUMIHIMO_PYTHON=/bin/false" in done.stderr


def test_missing_packages_are_named_with_the_line_that_installs_them(tmp_path):
    # A PATH with everything but cmake.
    for folder in os.environ["PATH"].split(os.pathsep):
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                if name != "cmake" and not (tmp_path / name).is_symlink():
                    (tmp_path / name).symlink_to(os.path.join(folder, name))
    done = dev("help", PATH=str(tmp_path), KUMIHIMO_APT="0")
    assert done.returncode == 1
    assert re.search(r"sudo apt-get install -y --no-install-recommends .*\bcmake\b", done.stderr)


def test_pins_cover_the_extras():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for extra in project["project"]["optional-dependencies"].values():
        wanted += extra
    pins = dict(line.split("==") for line in (ROOT / "requirements-dev.txt").read_text().splitlines() if "==" in line)
    for requirement in wanted:
        name, minimum = re.fullmatch(r"([\w\-]+)>=([\d.]+)", requirement).groups()
        assert name in pins, f"{name} is not pinned"
        numbers = [[int(x) for x in version.split(".")] for version in (pins[name], minimum)]
        assert numbers[0] >= numbers[1], f"{name} is pinned below its minimum"
