"""Configure, build, install into the venv: what every other subcommand starts with.

The build folder is build/release. The package is put into the venv by CMake's install rules, the ones that a wheel
uses, because that takes a tenth of a second where building a wheel takes several.
"""

import contextlib
import fcntl
import hashlib
import json
import shutil
import subprocess
import sysconfig
from pathlib import Path

from run import PYTHON, ROOT, Failed, jobs, must, must_with_counter, say

PRODUCTS = ("kumihimo", "_core", "kumi")  # all that the demo and `./dev kumi` need; the tests are more


@contextlib.contextmanager
def one_at_a_time():
    """Two ./dev at once would build in one folder: the second waits."""
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another ./dev that is building")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def configure(preset: str, definitions: dict[str, str]) -> Path:
    folder = ROOT / "build" / preset
    key_file = folder / "configured"
    # CMake itself notices changed CMakeLists.txt and new source files; presets and definitions are ours to notice.
    facts = [(ROOT / "CMakePresets.json").read_text(), definitions, (ROOT / ".venv" / "key").read_text()]
    key = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    if not (folder / "build.ninja").exists() or not key_file.exists() or key_file.read_text() != key:
        say(f"configuring build/{preset}")
        shutil.rmtree(folder, ignore_errors=True)
        must(["cmake", "--preset", preset, *(f"-D{k}={v}" for k, v in definitions.items())], "cmake")
        key_file.write_text(key)
    return folder


def clang() -> dict[str, str]:
    """The newest clang; Debian and Ubuntu name it clang++-NN as well as clang++."""
    suffix = next((v for v in ("", *(f"-{n}" for n in range(22, 13, -1))) if shutil.which("clang++" + v)), None)
    if suffix is None:
        raise Failed("no clang++ 14 or newer: sudo apt-get install -y clang")
    return {"CMAKE_C_COMPILER": "clang" + suffix, "CMAKE_CXX_COMPILER": "clang++" + suffix}


def compile_preset(preset: str, definitions: dict[str, str], targets: tuple[str, ...] = ()) -> Path:
    folder = configure(preset, definitions)
    args = ["cmake", "--build", folder, "-j", jobs()]
    if targets:
        args += ["--target", *targets]
    must_with_counter(args, f"building {preset}")
    return folder


def build(tests: bool, quiet: bool = False) -> Path:
    """Builds the release preset (with the C++ tests or without) and installs the package into the venv."""
    with one_at_a_time():
        if not quiet:
            say("building the library, the command and the Python extension" + (", and the tests" if tests else ""))
        definitions = {
            "Python_EXECUTABLE": str(PYTHON),
            "KUMIHIMO_SCRIPTS_DIR": sysconfig.get_path("scripts"),
        }
        folder = compile_preset("release", definitions, () if tests else PRODUCTS)
        install(folder)
        return folder


def install(folder: Path) -> None:
    site = Path(sysconfig.get_path("platlib"))
    args = ["cmake", "--install", str(folder), "--prefix", str(site), "--component", "kumihimo"]
    must(args, "installing into .venv")
    # A file that left the sources must leave the venv as well, or a stale module would go on being imported.
    manifest = folder / "install_manifest_kumihimo.txt"
    installed = {str(Path(line)) for line in manifest.read_text().splitlines()}
    for path in sorted((site / "kumihimo").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and str(path) not in installed:
            path.unlink()


def ctest(folder: Path) -> int:
    return subprocess.run(
        ["ctest", "--test-dir", str(folder), "-j", str(jobs()), "--output-on-failure", "--no-tests=error"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
    ).returncode
