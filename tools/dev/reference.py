"""Markdown pages of docs/reference from the JSON that `kumi describe TOPIC --json` prints.

Only layout is decided here: which column comes first and how a cell looks. Every word comes from the rows.
"""

HEADINGS = {
    "ops": "Ops",
    "dtypes": "Dtypes",
    "diagnostics": "Diagnostics",
    "functions": "Functions of the boundary",
    "axes": "Axes of MN-Core 2",
    "locations": "Locations of MN-Core 2",
    "machine": "The machine, field by field",
    "variants": "Variants of MN-Core 2",
}


def cell(value) -> str:
    """One table cell: lists joined, objects as name: value, bars escaped."""
    if value is None or value == "" or value == []:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(cell(item) for item in value)
    if isinstance(value, dict):
        if "name" in value:  # a row of its own elsewhere, or an attribute: its name and what a caller must know
            told = [cell(value[k]) for k in ("kind", "target") if value.get(k)]
            if value.get("default"):
                told.append(f"default {cell(value['default'])}")
            return f"`{value['name']}`" + (f" ({', '.join(told)})" if told else "")
        return ", ".join(f"{k} {cell(v)}" for k, v in value.items() if cell(v))
    return str(value).replace("|", "\\|").replace("\n", " ")


FIRST = ("code", "op", "name", "syntax", "signature", "kind", "level")
LAST = ("rule", "doc", "source", "evidence")


def columns_of(rows: list[dict]) -> list[str]:
    """What names a row comes first, what explains it last; a column that is empty everywhere is left out."""
    keys = sorted({key for row in rows for key in row if cell(row[key])})
    middle = [key for key in keys if key not in FIRST + LAST]
    return [key for key in FIRST if key in keys] + middle + [key for key in LAST if key in keys]


def table(rows: list[dict]) -> list[str]:
    columns = columns_of(rows)
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for row in rows:
        cells = [
            f"`{cell(row[c])}`" if c in ("name", "code", "signature") and row.get(c) else cell(row.get(c))
            for c in columns
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def sections(value, level: int) -> list[str]:
    """Lists of objects are tables; an object is a list of its plain fields and a section for each of the others."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return table(value)
    if isinstance(value, dict):
        nested = {
            k: v
            for k, v in value.items()
            if isinstance(v, dict) or (isinstance(v, list) and v and isinstance(v[0], dict))
        }
        lines = [f"- {key}: {cell(item)}" for key, item in value.items() if key not in nested]
        for key, item in nested.items():
            lines += ["", f"{'#' * level} {key}", "", *sections(item, level + 1)]
        return lines
    return [cell(value)]


def page(topic: str, value) -> str:
    lines = [f"# {HEADINGS[topic]}", "", f"Printed by `kumi describe {topic}`; `./dev gen` rewrites this page.", ""]
    return "\n".join([*lines, *sections(value, 2)]) + "\n"
