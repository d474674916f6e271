"""Lines of a program that one thread lints per second, beside assembling the same lines; 50,000 findings as text."""

from _rows import google_benchmark, main, row


def measure() -> list[dict]:
    speed = {entry["name"]: entry["items_per_second"] for entry in google_benchmark("lint_bench")}
    rows = []
    for name, value in speed.items():
        base = f"assembling/{'clean' if name.endswith('clean') else 'early'}"
        rows.append(row("lint", name, value, "lines/s", value / speed[base], base))
    return rows


if __name__ == "__main__":
    main(__doc__, measure)
