"""Shared by all Python tests: where the repository is, which `kumi` is meant, and how hard hypothesis tries."""

import os
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "model"))  # the independent machine model, mncore2_model
# The kumi that was installed with this Python, before any other of the machine; KUMI names another one.
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])

# Tests must give the same verdict on the same commit; deadlines would make it depend on the machine's load.
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci")


@pytest.fixture(scope="session")
def repository() -> Path:
    return ROOT
