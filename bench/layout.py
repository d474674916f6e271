"""Packing, unpacking and comparing machine images beside a plain copy of as many bytes, and the queries of one check."""

from _rows import google_benchmark, main, row


def measure() -> list[dict]:
    entries = google_benchmark("layout_bench")
    copy = next(e["bytes_per_second"] for e in entries if e["name"] == "plain_copy")
    rows = []
    for entry in entries:
        if "bytes_per_second" in entry:
            speed = entry["bytes_per_second"]
            rows.append(row("layout", entry["name"], speed / 1e9, "GB/s", speed / copy, "plain_copy"))
        else:
            rows.append(row("layout", entry["name"], entry["cpu_time"], entry["time_unit"]))
    return rows


if __name__ == "__main__":
    main(__doc__, measure)
