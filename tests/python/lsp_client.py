"""A client of `kumi lsp` for tests. Every message that comes from the server is read by lsprotocol's types and written
again: what they do not know, or know otherwise, is a fault. Positions are counted by Python's own UTF-16 codec.
"""

import json
import os
import select
import subprocess
import time

from lsprotocol import converters, types

CONVERTER = converters.get_converter()
URI = "file:///kernel.vsm"


def check(message: dict, method: str | None) -> None:
    """The message is what the protocol says of it: `method` of a notification, or of the request that is answered."""
    if "error" in message:
        kind = types.ResponseErrorMessage
    elif "method" in message:
        kind = types.METHOD_TO_TYPES[message["method"]][0]
    else:
        kind = types.METHOD_TO_TYPES[method][1]
    again = CONVERTER.unstructure(CONVERTER.structure(message, kind))
    # Null is a value of the protocol; the converter leaves out what it is by default.
    plain = {k: v for k, v in message.items() if v is not None}
    assert {k: v for k, v in again.items() if v is not None} == plain, message


class Client:
    def __init__(self, *args: str, kumi: str | None = None):
        command = [kumi or os.environ.get("KUMI", "kumi"), "lsp", *args]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.buffer = b""
        self.next_id = 0
        self.requests: dict = {}  # id to method
        self.notes: list[dict] = []  # notifications that nobody has asked for yet
        self.check_later: list | None = None  # messages of a timed test: reading types takes longer than answering

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=20)
        for message, method in self.check_later or []:
            check(message, method)

    # --- bytes ---------------------------------------------------------------------------------------------------------

    def send_bytes(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view) :]

    def send(self, message: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self, timeout: float = 20.0) -> dict | None:
        """The next message; None when the server is gone. Fails when nothing comes in time: a server never hangs."""
        deadline = time.monotonic() + timeout
        while True:
            head, blank, rest = self.buffer.partition(b"\r\n\r\n")
            if blank:
                name, _, length = head.partition(b": ")
                assert name == b"Content-Length" and b"\r\n" not in head
                if len(rest) >= int(length):
                    self.buffer = rest[int(length) :]
                    message = json.loads(rest[: int(length)])
                    method = self.requests.get(message.get("id"))
                    if self.check_later is None:
                        check(message, method)
                    else:
                        self.check_later.append((message, method))
                    return message
            assert select.select([self.process.stdout], [], [], deadline - time.monotonic())[0], "no answer"
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                assert not self.buffer
                return None
            self.buffer += data

    # --- messages ------------------------------------------------------------------------------------------------------

    def ask(self, method: str, params=None) -> int:
        self.next_id += 1
        self.requests[self.next_id] = method
        self.send({"id": self.next_id, "method": method, **({} if params is None else {"params": params})})
        return self.next_id

    def answer(self, request: int) -> dict:
        """The answer to a request, result or error; notifications before it are kept."""
        while True:
            message = self.receive()
            assert message is not None, "the server is gone"
            if "id" in message and "method" not in message:
                assert message["id"] == request
                return message
            self.notes.append(message)

    def request(self, method: str, params=None):
        message = self.answer(self.ask(method, params))
        assert "error" not in message, message
        return message["result"]

    def error(self, method: str, params=None) -> int:
        return self.answer(self.ask(method, params))["error"]["code"]

    def notify(self, method: str, params) -> None:
        self.send({"method": method, "params": params})

    def note(self, method: str) -> dict:
        """Params of the next notification of this kind."""
        while True:
            for i, message in enumerate(self.notes):
                if message["method"] == method:
                    del self.notes[i]
                    return message["params"]
            message = self.receive()
            assert message is not None and "method" in message, message
            self.notes.append(message)

    # --- the protocol's phrases ----------------------------------------------------------------------------------------

    def initialize(self, capabilities: dict | None = None, **more) -> dict:
        params = {"processId": None, "rootUri": None, "capabilities": capabilities or {}, **more}
        result = self.request("initialize", params)
        self.notify("initialized", {})
        return result

    def open(self, text: str, uri: str = URI) -> list[dict]:
        item = {"uri": uri, "languageId": "vsm", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return self.diagnostics(uri)

    def diagnostics(self, uri: str = URI) -> list[dict]:
        published = self.note("textDocument/publishDiagnostics")
        assert published["uri"] == uri
        return published["diagnostics"]

    def change(self, *changes: dict, version: int = 2, uri: str = URI) -> None:
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    def at(self, method: str, text: str, offset: int, uri: str = URI, encoding: str = "utf-16", **more):
        position = {"textDocument": {"uri": uri}, "position": position_of(text, offset, encoding)}
        return self.request(method, {**position, **more})


def position_of(text: str, offset: int, encoding: str = "utf-16") -> dict:
    """Of a character's index in a text whose lines end in \\n."""
    line = text.count("\n", 0, offset)
    begin = text.rfind("\n", 0, offset) + 1
    units = (
        len(text[begin:offset].encode("utf-16-le")) // 2 if encoding == "utf-16" else len(text[begin:offset].encode())
    )
    return {"line": line, "character": units}


def range_of(text: str, part: str, encoding: str = "utf-16") -> dict:
    begin = text.index(part)
    return {"start": position_of(text, begin, encoding), "end": position_of(text, begin + len(part), encoding)}
