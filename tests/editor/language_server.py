"""A client of a language server: JSON-RPC over its standard streams."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from types import TracebackType
from typing import Any

_SECONDS = 30


class LanguageServer:
    """Starts the server with the context, and ends it with it."""

    def __init__(self, command: list[str], schemas: dict[str, str]) -> None:
        """`schemas` leads from the address of a schema to a pattern of file names, as in the settings of an editor."""
        yaml = {"validate": True, "hover": True, "completion": True, "schemaStore": {"enable": False}}
        self._settings = {"yaml": {**yaml, "schemas": schemas}, "http": {}, "[yaml]": {}}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._received: queue.Queue[Any] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._last = 0

    def __enter__(self) -> LanguageServer:
        self._reader.start()
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": _CAPABILITIES})
        self.notify("initialized", {})
        self.notify("workspace/didChangeConfiguration", {"settings": self._settings})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def open(self, uri: str, text: str) -> list[Any]:
        """Opens a document and gives its diagnostics."""
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        while True:
            message = self._next()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                found: list[Any] = message["params"]["diagnostics"]
                return found

    def ask(self, what: str, uri: str, line: int, column: int) -> Any:
        """`completion` or `hover` at a place that counts from 0."""
        position = {"line": line, "character": column}
        return self.request(f"textDocument/{what}", {"textDocument": {"uri": uri}, "position": position})

    def request(self, method: str, params: Any) -> Any:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self._last and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _next(self) -> Any:
        """The next message; what the server asks of the client is answered."""
        message = self._received.get(timeout=_SECONDS)
        assert message is not None, "the language server has ended"
        if "id" in message and "method" in message:
            items = message["params"].get("items") if message["method"] == "workspace/configuration" else None
            answer = [self._settings.get(item.get("section")) for item in items] if items is not None else None
            self._send({"id": message["id"], "result": answer})
        return message

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.partition(b":")[2])
            while stream.readline().strip():
                pass
            self._received.put(json.loads(stream.read(length)))
        self._received.put(None)


_CAPABILITIES = {
    "workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}},
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": False, "documentationFormat": ["markdown"]}},
        "hover": {"contentFormat": ["markdown"]},
        "publishDiagnostics": {},
    },
}
