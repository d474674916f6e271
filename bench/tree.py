"""Calls per second of the functions in which units of the machine meet, by instruction and path; scalar = 1."""

from _rows import google_benchmark, main, row


def measure() -> list[dict]:
    speed = {entry["name"]: entry["items_per_second"] for entry in google_benchmark("tree_bench")}
    rows = []
    for name, value in speed.items():
        instruction, path, *infinite = name.split("/")
        base = "/".join([instruction, "scalar", *infinite])
        rows.append(row("tree", name, value, "calls/s", value / speed[base], base))
    return rows


if __name__ == "__main__":
    main(__doc__, measure)
