"""`kumi lsp` as an editor sees it: every message against lsprotocol's types (lsp_client), positions against Python's own
codecs, and input that no editor sends.
"""

import json
import os
import re
import subprocess
import time
from pathlib import Path
from random import Random

import pytest
from lsp_client import URI, Client, position_of, range_of
from lsprotocol import types

HAZARD = "linc $lr0 $lr2\nlinc $lr2 $lr4\n"


@pytest.fixture
def client():
    with Client() as c:
        c.initialize()
        yield c


def codes(diagnostics: list[dict]) -> list[str]:
    return [d["code"] for d in diagnostics]


def test_life_and_exit_codes():
    with Client("--stdio") as c:
        assert c.error("textDocument/hover", {}) == types.ErrorCodes.ServerNotInitialized
        c.notify("textDocument/didOpen", {})  # dropped before initialize
        result = c.initialize()
        assert result["serverInfo"]["name"] == "kumi"
        assert result["capabilities"]["positionEncoding"] == "utf-16"
        assert c.error("initialize", {"processId": None, "rootUri": None, "capabilities": {}}) == -32600
        assert c.request("shutdown") is None
        assert c.error("textDocument/hover", {}) == types.ErrorCodes.InvalidRequest
        c.send({"method": "exit"})
        assert c.receive() is None
        assert c.process.wait(timeout=20) == 0
    with Client() as c:
        c.initialize()
        c.send({"method": "exit"})
        assert c.process.wait(timeout=20) == 1
    with Client() as c:  # the client is gone
        c.process.stdin.close()
        assert c.process.wait(timeout=20) == 1


def test_unknown_requests_and_notifications(client):
    assert client.error("textDocument/rename", {}) == types.ErrorCodes.MethodNotFound
    assert client.error("$/unheard", {}) == types.ErrorCodes.MethodNotFound
    client.notify("$/unheard", {})
    client.notify("textDocument/unheard", {})
    assert client.error("textDocument/hover", {}) == types.ErrorCodes.InvalidParams
    assert client.error(
        "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
    ) == (types.ErrorCodes.InvalidParams), "not open"


def test_diagnostics_follow_the_text():
    with Client() as c:
        c.initialize({"textDocument": {"publishDiagnostics": {"relatedInformation": True}}})
        found = c.open(HAZARD)
        assert codes(found) == ["K3202"]
        assert found[0]["severity"] == types.DiagnosticSeverity.Error
        assert found[0]["range"] == range_of(HAZARD, "linc $lr2 $lr4")
        assert "ISA 9.1 [V]" in found[0]["message"]
        related = found[0]["relatedInformation"][0]
        assert related["location"] == {"uri": URI, "range": range_of(HAZARD, "linc $lr0 $lr2")}
        c.change(
            {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}}, "text": "nop/2\n"}
        )
        assert c.diagnostics() == []
        c.change({"text": "oops\n"}, version=3)
        published = c.note("textDocument/publishDiagnostics")
        assert (published["version"], codes(published["diagnostics"])) == (3, ["K3001"])
        c.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        assert c.diagnostics() == []


def test_profile_of_the_command_and_of_the_editor():
    cautious = "l2bmd $lb0 $lc0\nnop/2\nl2bmd $lc1024 $lb64\n"
    with Client() as c:
        c.initialize()
        assert c.open(cautious) == []
    with Client("--profile", "cautious") as c:
        c.initialize()
        assert codes(c.open(cautious)) == ["K3201"]
    with Client() as c:
        c.initialize(initializationOptions={"profile": "cautious"})
        assert codes(c.open(cautious)) == ["K3201"]
    with Client() as c:
        params = {
            "processId": None,
            "rootUri": None,
            "capabilities": {},
            "initializationOptions": {"profile": "reckless"},
        }
        answer = c.answer(c.ask("initialize", params))
        assert "one of default, published, cautious" in answer["error"]["message"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
def test_positions_with_characters_beyond_the_first_plane(encoding):
    # A comment ends the statement, so the characters stand in front of what is wrong: in a word, and in a literal.
    text = '# \U0001f9f6 braid\nlinc\U0001f9f6\u00e9 $lr0 ; oops $lr2\r\nimm f"\U0001f9f6" $lr0\n'
    with Client() as c:
        result = c.initialize({"general": {"positionEncodings": [encoding, "utf-16"]}})
        assert result["capabilities"]["positionEncoding"] == encoding
        ranges = [d["range"] for d in c.open(text)]
        for part in ("oops", 'f"\U0001f9f6"'):
            assert range_of(text, part, encoding) in ranges
        # Deleting the character in front of `oops` with the range that the client counts.
        c.change({"range": range_of(text, "\U0001f9f6\u00e9", encoding), "text": ""})
        text = text.replace("\U0001f9f6\u00e9", "")
        assert range_of(text, "oops", encoding) in [d["range"] for d in c.diagnostics()]
        hover = c.at("textDocument/hover", text, text.index("$lr2"), encoding=encoding)
        assert hover["range"] == range_of(text, "$lr2", encoding)


def test_a_position_inside_a_character_or_outside_the_text(client):
    client.open("# \U0001f9f6\nlinc $lr0 $lr2\n")
    inside = {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 3}}
    client.change({"range": inside, "text": "x"})  # in front of the character, which stays whole
    client.diagnostics()
    client.change(
        {"range": {"start": {"line": 99, "character": 0}, "end": {"line": 99, "character": 9}}, "text": "oops"}
    )
    assert client.diagnostics()[0]["range"]["start"] == {"line": 2, "character": 0}
    client.change({"range": {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 0}}, "text": ""})
    assert client.diagnostics() == []
    client.change(
        {"range": {"start": {"line": 1, "character": 999}, "end": {"line": 1, "character": 999}}, "text": "q"}
    )
    assert codes(client.diagnostics()) == ["K3002"]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_line_ends(client, end):
    found = client.open(HAZARD.replace("\n", end))
    assert found[0]["range"] == range_of(HAZARD, "linc $lr2 $lr4")


def lines_of(text: str) -> list[str]:
    """Lines without their ends, as the protocol counts them."""
    return re.split("\r\n|\n|\r", text)


def index_of(text: str, line: int, character: int) -> int:
    """Where a position is, by Python's codec; beyond the end of a line means its end."""
    ends = [m.end() for m in re.finditer("\r\n|\n|\r", text)]
    before = lines_of(text)[line].encode("utf-16-le")[: 2 * character]
    return (0 if line == 0 else ends[line - 1]) + len(before.decode("utf-16-le", errors="ignore"))


def test_small_changes_add_up(client):
    """Any sequence of edits gives the diagnostics of the text that it leads to."""
    random = Random(11)
    text = "linc $lr0 $lr2\n# \U0001f9f6\r\noops\rnop\n"
    client.open(text)
    for version in range(2, 300):
        lines = lines_of(text)
        places = []
        for _ in range(2):
            line = random.randrange(len(lines))
            places.append((line, random.randrange(len(lines[line].encode("utf-16-le")) // 2 + 2)))
        begin, end = sorted(places)
        if random.random() < 0.6:
            end = begin
        with_text = "".join(
            random.choice(["\r", "\n", "\r\n", "x", "\U0001f9f6", "\u00e9", "oops\n", ""]) for _ in range(3)
        )
        edit = {k: {"line": p[0], "character": p[1]} for k, p in (("start", begin), ("end", end))}
        text = text[: index_of(text, *begin)] + with_text + text[max(index_of(text, *begin), index_of(text, *end)) :]
        client.change({"range": edit, "text": with_text}, version=version)
        assert client.diagnostics() == client.open(text, uri="file:///whole.vsm"), (edit, with_text)
        if len(text) > 200:
            text = "oops\r\nlinc\r"
            client.change({"text": text}, version=version)
            client.diagnostics()


def test_hover_has_the_form_that_the_client_shows():
    for formats, kind in ((["markdown", "plaintext"], "markdown"), (["plaintext"], "plaintext")):
        with Client() as c:
            c.initialize({"textDocument": {"hover": {"contentFormat": formats}}})
            c.open(HAZARD)
            hover = c.at("textDocument/hover", HAZARD, 0)
            assert hover["contents"]["kind"] == kind
            assert "step 0, cycles 0 to 3" in hover["contents"]["value"]
            assert c.at("textDocument/hover", HAZARD, len(HAZARD)) is None


def labels(answer: dict) -> list[str]:
    return [item["label"] for item in answer["items"]]


@pytest.mark.parametrize("snippets", [True, False])
def test_completion(snippets):
    with Client() as c:
        c.initialize({"textDocument": {"completion": {"completionItem": {"snippetSupport": snippets}}}})
        text = "linc $lr0 $l\nlin"
        c.open(text)
        operands = c.at("textDocument/completion", text, text.index("$l\n") + 2)
        assert operands["isIncomplete"] and {"$lm0v", "$lr0"} <= set(labels(operands))
        assert not {"$peid", "$lb0"} & set(labels(operands))
        item = next(i for i in operands["items"] if i["label"] == "$lr0v")
        begin = text.index("$l\n")
        assert item["textEdit"]["range"] == {"start": position_of(text, begin), "end": position_of(text, begin + 2)}
        assert item["textEdit"]["newText"] == ("\\$lr${1:0}v" if snippets else "$lr0v")
        mnemonics = c.at("textDocument/completion", text, len(text))
        assert labels(mnemonics) == ["linc"]
        assert mnemonics["items"][0]["textEdit"]["newText"] == ("linc ${1:X} ${2:DST}" if snippets else "linc")


def test_quick_fixes_mend():
    with Client() as c:
        c.initialize(
            {"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}}
        )
        found = c.open(HAZARD)
        ask = {"textDocument": {"uri": URI}, "range": found[0]["range"], "context": {"diagnostics": found}}
        (action,) = c.request("textDocument/codeAction", ask)
        assert (action["kind"], action["isPreferred"]) == ("quickfix", True)
        assert action["diagnostics"] == found
        (edit,) = action["edit"]["changes"][URI]
        c.change({"range": edit["range"], "text": edit["newText"]})
        assert c.diagnostics() == []
        assert c.request("textDocument/codeAction", ask) == []
        c.change({"text": "lincc $lr0 $lr2\n"}, version=3)
        (found,) = c.diagnostics()
        ask = {
            "textDocument": {"uri": URI},
            "range": found["range"],
            "context": {"diagnostics": [], "only": ["quickfix"]},
        }
        assert "change lincc to linc" in [a["title"] for a in c.request("textDocument/codeAction", ask)]
        ask["context"]["only"] = ["refactor"]
        assert c.request("textDocument/codeAction", ask) == []
    with Client() as c:
        c.initialize()
        found = c.open(HAZARD)
        ask = {"textDocument": {"uri": URI}, "range": found[0]["range"], "context": {"diagnostics": found}}
        assert c.request("textDocument/codeAction", ask) == [], "the client knows commands only"


def test_what_waits_can_be_cancelled(client):
    client.open(HAZARD)
    messages = [
        {"id": 101, "method": "textDocument/hover", "params": {}},
        {"id": "text", "method": "textDocument/hover", "params": {}},
        {"method": "$/cancelRequest", "params": {"id": "text"}},
        {"method": "$/cancelRequest", "params": {"id": 101}},
        {"method": "$/cancelRequest", "params": {"id": 77}},
        {"method": "$/cancelRequest", "params": 3},
    ]
    data = b""  # in one piece, so that all of it has arrived when the first is answered
    for m in messages:
        body = json.dumps({"jsonrpc": "2.0", **m}).encode()
        data += b"Content-Length: %d\r\n\r\n" % len(body) + body
    client.send_bytes(data)
    for wanted in (101, "text"):
        answer = client.receive()
        assert (answer["id"], answer["error"]["code"]) == (wanted, types.LSPErrorCodes.RequestCancelled)


def fault(client: Client) -> int:
    message = client.receive()
    assert message["id"] is None
    return message["error"]["code"]


BROKEN = {
    "no JSON": b"Content-Length: 5\r\n\r\n{oops",
    "not UTF-8": b'Content-Length: 4\r\n\r\n"\xff\xfe"',
    "half a surrogate": b'Content-Length: 8\r\n\r\n"\\ud800"',
    "deep": b"Content-Length: 5000\r\n\r\n" + b"[" * 5000,
    "no header": b'{"jsonrpc":"2.0"}\n',
    "no length": b"Content-Type: x\r\n\r\n",
    "negative length": b"Content-Length: -5\r\n\r\n",
    "length of no number": b"Content-Length: five\r\n\r\n",
    "length beyond 64 bits": b"Content-Length: 99999999999999999999\r\n\r\n",
    "endless header": b"x" * 20000,
    "empty body": b"Content-Length: 0\r\n\r\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_frames_are_answered_and_the_next_is_read(client, name):
    client.send_bytes(BROKEN[name])
    assert fault(client) == types.ErrorCodes.ParseError
    assert codes(client.open("oops")) == ["K3001"]


@pytest.mark.parametrize(
    "message",
    [3, [], [{"method": "shutdown"}], {}, {"id": 5}, {"id": {}, "method": "shutdown"}, {"method": 5}],
    ids=str,
)
def test_messages_that_are_none(client, message):
    body = json.dumps(message).encode()
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    answer = client.receive()
    assert answer["error"]["code"] == types.ErrorCodes.InvalidRequest
    assert client.open("") == []


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"textDocument": 5, "contentChanges": []},
        {"textDocument": {"uri": URI, "version": "x"}, "contentChanges": []},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": {}, "text": ""}]},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": 7}]},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": 7},
    ],
    ids=str,
)
def test_changes_that_are_none_are_told_and_change_nothing(client, params):
    client.open(HAZARD)
    client.notify("textDocument/didChange", params)
    assert "didChange" in client.note("window/logMessage")["message"]
    assert client.at("textDocument/hover", HAZARD, 0) is not None


def test_a_header_in_pieces_and_a_body_too_large(client):
    body = b'{"jsonrpc":"2.0","id":1,"method":"shutdown"}'
    huge = 65 << 20
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % huge)
    assert fault(client) == types.ErrorCodes.ParseError
    client.send_bytes(b" " * huge)
    for piece in (b"Con", b"tent-Type: utf-8\r\ncontent-length:", b" %d\r" % len(body), b"\n\r\n" + body[:9], body[9:]):
        client.send_bytes(piece)
        time.sleep(0.01)
    client.requests[1] = "shutdown"
    assert client.receive() == {"jsonrpc": "2.0", "id": 1, "result": None}


def test_a_document_of_four_megabytes(client):
    line = "fvfma $lm0v $ln0v $lr0v $ls0v; linc $lt $lr64v\n"
    found = client.open(line * (4_000_000 // len(line)) + "oops\n")
    assert "K3001" in codes(found) and len(found) <= 1001
    assert codes(client.open("\x00" * 1_000_000, uri="file:///zeros.vsm")) == ["K3001"]


def test_many_problems_are_counted(client):
    found = client.open("linc $lr0v $ls0v\nnop/2\nlinc $mauf $lr0\n" * 2500)
    assert len(found) == 1001
    assert found[-1]["message"].endswith("more problems are not shown")


def conversation() -> bytes:
    """A whole session as bytes, with every method that the server knows."""
    item = {"uri": URI, "languageId": "vsm", "version": 1, "text": HAZARD + "# \U0001f9f6\nlin"}
    here = {"textDocument": {"uri": URI}, "position": {"line": 3, "character": 3}}
    change = {"range": {"start": {"line": 2, "character": 2}, "end": {"line": 2, "character": 4}}, "text": "x\n"}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    caps = {"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}}
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": caps}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": item}},
        {"id": 2, "method": "textDocument/hover", "params": here},
        {"id": 3, "method": "textDocument/completion", "params": here},
        {
            "method": "textDocument/didChange",
            "params": {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]},
        },
        {
            "id": 4,
            "method": "textDocument/codeAction",
            "params": {**here, "range": whole, "context": {"diagnostics": []}},
        },
        {"method": "$/cancelRequest", "params": {"id": 4}},
        {"method": "textDocument/didClose", "params": {"textDocument": {"uri": URI}}},
        {"id": 5, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **m}).encode() for m in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n" % len(b) + b for b in bodies)


def test_damaged_conversations_end_without_a_crash():
    """Bytes are changed, left out, doubled and cut: whatever is understood of it, the server answers in whole messages."""
    random = Random(3)
    whole = conversation()
    ends = set()
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(random.randrange(4)):
            at, length = random.randrange(len(data)), random.choice([1, 1, 2, 9, 200])
            change = random.choice(["flip", "cut", "double", "noise", "stop"])
            if change == "flip":
                data[at] ^= 1 << random.randrange(8)
            elif change == "cut":
                del data[at : at + length]
            elif change == "double":
                data[at:at] = data[at : at + length]
            elif change == "noise":
                data[at : at + length] = random.randbytes(length)
            else:
                del data[at:]
            if not data:
                break
        command = [os.environ.get("KUMI", "kumi"), "lsp"]
        done = subprocess.run(command, input=bytes(data), capture_output=True, timeout=60)
        assert done.returncode in (0, 1) and done.stderr == b"", bytes(data)
        ends.add(done.returncode)
        rest = done.stdout
        while rest:
            head, _, rest = rest.partition(b"\r\n\r\n")
            length = int(head.removeprefix(b"Content-Length: "))
            json.loads(rest[:length])
            rest = rest[length:]
    assert ends == {0, 1}
    done = subprocess.run([os.environ.get("KUMI", "kumi"), "lsp"], input=whole, capture_output=True, timeout=60)
    assert done.returncode == 0 and done.stdout.count(b'"result"') == 5 - done.stdout.count(b"-32800")


def processor_seconds(client: Client) -> float:
    fields = Path(f"/proc/{client.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="time of a process is read from /proc")
def test_a_thousand_lines_in_fifty_milliseconds(client):
    """From a change to its diagnostics, in time of the processor: other programs run on the same machine."""
    line = "fvfma $lm0v $ln0v $lr0v $ls0v; linc $lt $lr64v\n"
    found = client.open(line * 1000)
    assert len(found) > 900  # the same writes again and again: advice on nearly every line
    client.check_later = []
    begin = processor_seconds(client)
    for version in range(2, 22):
        client.change(
            {"range": {"start": {"line": 500, "character": 0}, "end": {"line": 500, "character": 0}}, "text": "#"},
            version=version,
        )
        client.diagnostics()
    assert (processor_seconds(client) - begin) / 20 < 0.050
