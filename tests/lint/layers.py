"""The layer rule: what each folder may include. `python tests/lint/layers.py [ROOT]` prints what breaks it.

    base < diag < layout < ir < ops < rewrite, dispatch < interp < targets < driver < capi < python, tools/cli

A file may include its own folder and the folders of its row in MAY_INCLUDE, and nothing else of ours. Further rules
that the table cannot say stand below it, one function each.
"""

import re
import sys
from pathlib import Path

OPS = ("core/base", "core/diag", "core/layout", "core/ir", "core/ops")
CORE = (*OPS, "core/interp", "core/rewrite", "core/dispatch")
MNCORE2 = "targets/mncore2"
L1000 = "targets/l1000"

# folder: the folders it may include besides itself. The longest matching folder decides.
MAY_INCLUDE = {
    "core/base": (),
    "core/diag": OPS[:1],
    "core/layout": OPS[:2],
    "core/ir": OPS[:3],
    "core/ops": OPS[:4],
    "core/interp": (*OPS, "core/dispatch"),  # it runs the value functions that a target registers there
    "core/rewrite": OPS,
    "core/dispatch": OPS,
    # Inside a target: the rows first, arithmetic beside them and blind to them, then what reads both.
    f"{MNCORE2}/machine": CORE,
    f"{MNCORE2}/num": CORE,
    f"{MNCORE2}/isa": (*CORE, f"{MNCORE2}/machine"),
    f"{MNCORE2}/sem": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "num"))),
    f"{MNCORE2}/fast": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "num", "sem"))),
    f"{MNCORE2}/asm": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa"))),
    f"{MNCORE2}/object": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "asm"))),
    f"{MNCORE2}/words": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa"))),
    f"{MNCORE2}/emu": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "num", "sem", "fast", "asm"))),
    f"{MNCORE2}/hazard": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "asm"))),
    f"{MNCORE2}/editor": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "asm", "hazard"))),
    f"{MNCORE2}/sched": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "asm", "hazard", "alloc"))),
    f"{MNCORE2}/alloc": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa"))),
    f"{MNCORE2}/lower": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "num", "sched", "alloc", "cost"))),
    f"{MNCORE2}/run": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "num", "sched", "lower", "emu"))),
    f"{MNCORE2}/judge": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "asm", "emu", "hazard", "cost"))),
    f"{MNCORE2}/session": (
        *CORE,
        *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "num", "asm", "emu", "hazard", "cost")),
    ),
    f"{MNCORE2}/variants": (*CORE, *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "num", "sched", "alloc", "lower"))),
    f"{MNCORE2}/cost": (
        *CORE,
        *(f"{MNCORE2}/{x}" for x in ("machine", "isa", "hazard", "sched")),
    ),
    MNCORE2: (*CORE, MNCORE2),
    # The L1000 model is MN-Core 2 and more: it takes over rows through the headers of EXCEPTIONS.
    f"{L1000}/machine": CORE,
    f"{L1000}/num": CORE,
    f"{L1000}/variants": CORE,
    L1000: (*CORE, L1000),
    "targets/host": CORE,
    "core/driver": CORE,
    "capi/include": (),
    "capi/src": (*CORE, "core/driver", "capi/include"),
    "python/ext": ("capi/include",),
    "tools/cli": ("capi/include",),
}

# A row of the instruction tables holds a pointer to its semantic function; this header declares them and nothing else.
# Targets do not include each other, but for the l1000 model, which is mncore2 with one memory more: its tree, its
# arithmetic and its placement rules are mncore2's, taken through these headers until they have a folder of their own.
EXCEPTIONS = {
    f"{MNCORE2}/isa": (f"{MNCORE2}/sem/sem.h",),
    f"{L1000}/machine": (f"{MNCORE2}/machine.h",),
    f"{L1000}/num": tuple(f"{MNCORE2}/num/{x}.h" for x in ("values", "dot", "bf", "formats")),
    f"{L1000}/variants": tuple(f"{MNCORE2}/variants/{x}.h" for x in ("variants", "common")),
}

# Below these folders nothing is checked: tests and benchmarks may use everything, and nothing may use them.
FREE = ("tests/cpp", "capi/test", "bench")
SOURCE_FOLDERS = ("core", "targets", "capi", "python/ext", "tools", "tests/cpp", "bench")
SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".inc", ".def"}

TARGET_NAMES_FILE = "core/driver/targets.cpp"  # the one place that names targets
HEAVY = re.compile(r"^(nlohmann|fmt|CLI|gtest|gmock|benchmark|nanobind)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def folder_of(path: str) -> str:
    """The row that decides for a file: machine*.{h,cpp} of a target is a folder of its own, below the others."""
    folder, _, name = path.rpartition("/")
    if folder in (MNCORE2, L1000) and name.startswith("machine"):
        return f"{folder}/machine"
    while folder and folder not in MAY_INCLUDE and folder not in FREE:
        folder = folder.rpartition("/")[0]
    return folder


def include_rule(path: str, includes: list[tuple[int, str]]) -> list[str]:
    here = folder_of(path)
    if here in FREE:
        return []
    if not here:
        return [f"{path}: no row of tests/lint/layers.py covers this folder"]
    findings = []
    for line, included in includes:
        there = folder_of(included)
        allowed = MAY_INCLUDE[here]
        if included in EXCEPTIONS.get(here, ()):
            continue
        if path == TARGET_NAMES_FILE and re.fullmatch(r"targets/\w+/\w+\.h", included):
            continue
        if there == here or there in allowed or any(there.startswith(a + "/") for a in allowed):
            continue
        names = ", ".join(allowed) or "nothing but itself"
        findings.append(f'{path}:{line}: {here} includes "{included}"; it may include {names}')
    return findings


def header_rule(path: str, system: list[tuple[int, str]]) -> list[str]:
    """Third-party headers cost seconds per file that includes them: they belong in .cpp files."""
    if not path.endswith((".h", ".hpp")) or not path.startswith(("core/", "targets/", "capi/")):
        return []
    return [f"{path}:{line}: a header includes <{name}>" for line, name in system if HEAVY.match(name)]


def target_name_rule(path: str, text: str, targets: list[str]) -> list[str]:
    """core/ has no `if` and no constant about one target. Comments may give one as an example."""
    if not path.startswith("core/") or path == TARGET_NAMES_FILE:
        return []
    code = strip_comments(text)
    findings = []
    for name in targets:
        # "host" is an English word as well; as a target it appears quoted or in a path.
        pattern = rf'"{name}"|targets/{name}' if name == "host" else re.escape(name)
        for match in re.finditer(pattern, code, re.IGNORECASE):
            line = code.count("\n", 0, match.start()) + 1
            findings.append(f"{path}:{line}: names the target {name}; only {TARGET_NAMES_FILE} does")
    return findings


def strip_comments(text: str) -> str:
    """Blanks comments and keeps strings and line numbers."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)

    def blank(match: re.Match) -> str:
        found = match.group(0)
        return "\n" * found.count("\n") if found.startswith("/") else found

    return pattern.sub(blank, text)


def model_rule(path: str, text: str) -> list[str]:
    """The independent model is an oracle only while it imports nothing of ours."""
    found = re.search(r"^\s*(?:import|from)\s+kumihimo\b", text, re.MULTILINE)
    return [f"{path}: the independent model imports kumihimo"] if found else []


def check(root: Path) -> list[str]:
    targets = sorted(p.name for p in (root / "targets").glob("*") if p.is_dir()) or ["mncore2"]
    findings = []
    for folder in SOURCE_FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            path = file.relative_to(root).as_posix()
            text = file.read_text(encoding="utf-8")
            ours, system = [], []
            for match in INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start(0)) + 1
                name = match[1] or match[2]
                # Installed headers name each other without a path: outsiders do not have our root.
                if match[1] and folder == "capi" and (file.parent / name).is_file():
                    name = f"{file.parent.relative_to(root).as_posix()}/{name}"
                (ours if match[1] else system).append((line, name))
            findings += include_rule(path, ours)
            findings += header_rule(path, system)
            findings += target_name_rule(path, text, targets)
    for file in sorted((root / "tests" / "model").rglob("*.py")):
        findings += model_rule(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
    return findings


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings = check(root)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
