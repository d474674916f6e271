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
    "insns": "Instructions of MN-Core 2",
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
        if "name" in value:
            rest = [f"{k} {cell(v)}" for k, v in value.items() if k != "name" and cell(v) not in ("", "no")]
            return f"`{value['name']}`" + (f" ({', '.join(rest)})" if rest else "")
        return ", ".join(f"{k} {cell(v)}" for k, v in value.items() if cell(v))
    return str(value).replace("|", "\\|").replace("\n", " ")


def table(rows: list[dict]) -> list[str]:
    """Columns in the order in which the rows name them; a column that is empty everywhere is left out."""
    columns = []
    for row in rows:
        columns += [key for key in row if key not in columns]
    columns = [c for c in columns if any(cell(row.get(c)) for row in rows)]
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for row in rows:
        cells = [f"`{cell(row.get(c))}`" if c in ("name", "code") and row.get(c) else cell(row.get(c)) for c in columns]
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
