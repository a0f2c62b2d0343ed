"""A server on 127.0.0.1 that tests tell what to answer, and that remembers what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """An answer: a body that is sent as JSON, or text as it stands."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass
class Asked:
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: Any
    moment: float


class FakeService:
    """Answers with the scripted replies first, then with what a function makes of the request."""

    def __init__(self, usual: Callable[[Any], Any]) -> None:
        self.usual = usual
        self.token = ""
        self.script: list[Reply] = []
        self.asked: list[Asked] = []
        self.under_way = self.most_at_once = 0
        self._lock = threading.Lock()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path == "/token":
                    service._send(self, Reply({"access_token": service.token, "expires_in": 3600}))
                else:
                    service._answer(self, json.loads(data))

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(poll_interval=0.01), daemon=True)
        self._thread.start()

    def _answer(self, handler: BaseHTTPRequestHandler, body: Any) -> None:
        with self._lock:
            self.asked.append(Asked(handler.path, dict(handler.headers), body, time.monotonic()))
            self.under_way += 1
            self.most_at_once = max(self.most_at_once, self.under_way)
            reply = self.script.pop(0) if self.script else None
        if reply is None:
            made = self.usual(body)
            reply = made if isinstance(made, Reply) else Reply(made)
        time.sleep(reply.delay)
        with self._lock:
            self.under_way -= 1
        self._send(handler, reply)

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        data = reply.body.encode() if isinstance(reply.body, str) else json.dumps(reply.body).encode()
        try:
            handler.send_response(reply.status)
            usual = {"Content-Type": "application/json", "Content-Length": str(len(data))}
            for name, value in (usual | reply.headers).items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            pass  # the client has given up

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
