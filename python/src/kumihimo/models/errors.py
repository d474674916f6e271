"""The one error type of the model code."""

from __future__ import annotations


class ModelError(RuntimeError):
    """A model file could not be fetched, read or used.

    Attributes:
        code: stable identifier such as ``model.offline``; tests and tools match this, never the prose.
        headline: one sentence that stands alone.
        observed: what was seen, with values.
        required: what would have been right.
        fix: what the reader can do now.
    """

    def __init__(self, code: str, headline: str, *, observed: str = "", required: str = "", fix: str = ""):
        self.code = code
        self.headline = headline
        self.observed = observed
        self.required = required
        self.fix = fix
        lines = [f"{code}: {headline}"]
        for label, text in (("observed", observed), ("required", required), ("fix", fix)):
            if text:
                lines.append(f"  {label}: " + text.replace("\n", "\n    "))
        super().__init__("\n".join(lines))
