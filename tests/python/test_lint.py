"""The lints hold on the repository, and each finds a planted fault (a lint that finds nothing is no lint)."""

import importlib.util
from pathlib import Path

import pytest
from conftest import ROOT


def load(name: str):
    spec = importlib.util.spec_from_file_location(f"lint_{name}", ROOT / "tests" / "lint" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


layers, files, links = load("layers"), load("files"), load("links")


@pytest.mark.parametrize("lint", [layers, files, links], ids=["layers", "files", "links"])
def test_repository_is_clean(lint):
    assert lint.check(ROOT) == []


def plant(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


UPWARD = [
    ("core/base/a.h", "core/diag/diagnostic.h"),
    ("core/layout/a.cpp", "core/ir/module.h"),
    ("core/ops/a.cpp", "core/interp/interpreter.h"),
    ("core/dispatch/a.cpp", "core/interp/exact.h"),
    ("core/dispatch/a.cpp", "targets/mncore2/machine.h"),
    ("core/driver/pipeline.cpp", "targets/mncore2/target.h"),
    ("targets/mncore2/variants/a.cpp", "core/driver/driver.h"),
    ("targets/mncore2/num/a.cpp", "targets/mncore2/isa/insn.h"),
    ("targets/mncore2/num/a.h", "targets/mncore2/emu/machine.h"),
    ("core/interp/a.cpp", "targets/mncore2/sem/alu.h"),
    ("targets/mncore2/isa/a.cpp", "targets/mncore2/asm/parser.h"),
    ("targets/mncore2/machine.cpp", "targets/mncore2/isa/insn.h"),
    ("targets/l1000/a.cpp", "targets/mncore2/machine.h"),
    ("tools/cli/main.cpp", "core/base/result.h"),
    ("tools/cli/main.cpp", "capi/src/call.h"),
    ("python/ext/module.cpp", "core/ir/module.h"),
    ("capi/include/kumihimo.hpp", "core/ir/module.h"),
    ("core/ir/a.cpp", "tests/cpp/util.h"),
    ("core/ir/a.cpp", "module.h"),
]


@pytest.mark.parametrize(("path", "included"), UPWARD, ids=lambda s: s)
def test_upward_include_is_found(tmp_path, path, included):
    plant(tmp_path, path, f'#pragma once\n#include "{included}"\n')
    finding = layers.check(tmp_path)[0]  # in core/ the target's name is a second one
    assert finding.startswith(f"{path}:2: ")
    assert included in finding or "no row" in finding


DOWNWARD = [
    ("core/driver/targets.cpp", "targets/mncore2/target.h"),
    ("targets/mncore2/target.cpp", "targets/mncore2/emu/machine.h"),
    ("targets/mncore2/emu/machine.cpp", "targets/mncore2/num/fma.h"),
    ("targets/mncore2/isa/insn.cpp", "targets/mncore2/machine.h"),
    ("capi/src/call.cpp", "core/driver/driver.h"),
    ("tools/cli/main.cpp", "capi/include/kumihimo.hpp"),
    ("tests/cpp/emu_test.cpp", "targets/mncore2/emu/machine.h"),
]


@pytest.mark.parametrize(("path", "included"), DOWNWARD, ids=lambda s: s)
def test_downward_include_is_allowed(tmp_path, path, included):
    plant(tmp_path, path, f'#include "{included}"\n#include <vector>\n')
    assert layers.check(tmp_path) == []


def test_target_name_in_core_is_found(tmp_path):
    (tmp_path / "targets" / "mncore2").mkdir(parents=True)
    plant(
        tmp_path,
        "core/ir/a.cpp",
        '// mncore2 in a comment is an example\nbool is(S s) {\n  return s == "mncore2";\n}\n',
    )
    assert layers.check(tmp_path) == ["core/ir/a.cpp:3: names the target mncore2; only core/driver/targets.cpp does"]
    plant(tmp_path, "core/ir/a.cpp", "int x;\n")
    plant(tmp_path, "core/driver/targets.cpp", 'auto name = "mncore2";\n')
    assert layers.check(tmp_path) == []


def test_third_party_header_in_a_header_is_found(tmp_path):
    plant(tmp_path, "core/ir/a.h", "#include <vector>\n#include <nlohmann/json.hpp>\n")
    plant(tmp_path, "core/ir/a.cpp", "#include <nlohmann/json.hpp>\n")
    assert layers.check(tmp_path) == ["core/ir/a.h:2: a header includes <nlohmann/json.hpp>"]


def test_model_that_imports_the_product_is_found(tmp_path):
    plant(tmp_path, "tests/model/m/a.py", "import numpy\nfrom kumihimo import leir\n")
    assert layers.check(tmp_path) == ["tests/model/m/a.py: the independent model imports kumihimo"]


def test_private_path_is_found():
    private = "/".join(["see ", "home", "someone", "notes.md"])
    (finding,) = files.check_file("docs/a.md", f"fine\n{private}\n")
    assert finding.startswith("docs/a.md:2: ")
    assert files.check_file("docs/a.md", "core/work/root is fine, and so is /usr/include/fmt\n") == []


def test_long_file_is_found_and_catalogue_is_not():
    long = "x\n" * (files.LINES_MAX + 1)
    assert len(files.check_file("core/ir/a.cpp", long)) == 1
    assert files.check_file("core/ir/a.cpp", "x\n" * files.LINES_MAX) == []
    assert files.check_file("targets/mncore2/isa/alu.cpp", long) == []


def test_dead_link_is_found(tmp_path):
    plant(tmp_path, "docs/b.md", "here\n")
    plant(tmp_path, "docs/a.md", "[b](b.md) [c](c.md#x) [web](https://example.org/x)\n`core/ir/gone.h`\n")
    assert links.check(tmp_path) == [
        "docs/a.md:1: link to c.md, which does not exist",
        "docs/a.md:2: names core/ir/gone.h, which does not exist",
    ]
