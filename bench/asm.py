"""Lines of text that one thread assembles per second, by kind of line; `lines_only` merely counts them."""

from _rows import google_benchmark, main, row


def measure() -> list[dict]:
    speed = {entry["name"]: entry["items_per_second"] for entry in google_benchmark("asm_bench")}
    return [row("asm", name, value, "lines/s", value / speed["mix"], "mix") for name, value in speed.items()]


if __name__ == "__main__":
    main(__doc__, measure)
