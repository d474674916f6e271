"""Runs a TextMate grammar as an editor does: line by line, the leftmost match of the patterns in force, the first of them
on a tie. Covers what our grammar uses: match, begin/end in one line, captures, include of the repository.
"""

import re


class Grammar:
    def __init__(self, grammar: dict):
        self.repository = grammar["repository"]
        self.top = self.flat(grammar["patterns"])

    def flat(self, patterns: list[dict]) -> list[dict]:
        """The patterns with includes replaced by what they name."""
        out = []
        for p in patterns:
            if "include" in p:
                p = self.repository[p["include"].removeprefix("#")]
            if "match" in p or "begin" in p:
                out.append({**p, "regex": re.compile(p.get("match") or p["begin"])})
            else:
                out += self.flat(p["patterns"])
        return out

    def scopes(self, line: str) -> list[str]:
        """The innermost scope of each character; "" where there is none but the file's."""
        out = [""] * len(line)
        self._run(line, 0, self.top, out)
        return out

    def _run(self, line: str, at: int, patterns: list[dict], out: list[str], end: str | None = None) -> int:
        while at <= len(line):
            best, found = None, None
            for p in patterns:
                m = p["regex"].search(line, at)
                if m and (best is None or m.start() < best.start()):
                    best, found = m, p
            if end is not None:
                stop = re.compile(end).search(line, at)
                if stop and (best is None or stop.start() <= best.start()):
                    return stop.end()
            if best is None:
                return len(line)
            self._name(best, found, "captures" if "match" in found else "beginCaptures", out)
            if "begin" in found:
                at = self._run(line, best.end(), self.flat(found["patterns"]), out, found["end"])
            else:
                assert best.end() > best.start() or best.start() == len(line), f"{found['match']} matches nothing"
                at = best.end()
        return at

    @staticmethod
    def _name(match: re.Match, pattern: dict, captures: str, out: list[str]) -> None:
        if "name" in pattern:
            out[match.start() : match.end()] = [pattern["name"]] * (match.end() - match.start())
        for number, capture in pattern.get(captures, {}).items():
            begin, end = match.span(int(number))
            if begin >= 0:
                out[begin:end] = [capture["name"]] * (end - begin)
