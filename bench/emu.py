"""Steps of the whole chip that the emulator executes per second, by kind of step, threads and strictness."""

from _rows import google_benchmark, main, row

PLAIN = "threads:1/strict:0"


def measure() -> list[dict]:
    speed = {}
    for entry in google_benchmark("emu_bench"):
        kind, setting = entry["name"].removesuffix("/real_time").split("/", 1)
        speed[kind, setting] = entry["items_per_second"]
    return [
        row("emu", f"{kind} {setting}", value, "steps/s", value / speed[kind, PLAIN], f"{kind} {PLAIN}")
        for (kind, setting), value in speed.items()
    ]


if __name__ == "__main__":
    main(__doc__, measure)
