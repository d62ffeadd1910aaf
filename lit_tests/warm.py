"""Commands without a start-up each: a process that has imported everything forks for every one.

python warm.py SOCKET                  # serves until its parent ends
python warm.py SOCKET main [ARG ...]   # `ladder ARG ...` there, with this process's streams; or opt
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys


def serve(path: str) -> None:
    """Import the compiler, then fork for each request."""
    parent = os.getppid()
    _import_compiler()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        listener.settimeout(5)
        print("ready", flush=True)
        while os.getppid() == parent:
            try:
                request, _ = listener.accept()
            except TimeoutError:
                continue
            if os.fork() == 0:
                listener.close()
                _answer(request)
                return
            request.close()


def _import_compiler() -> None:
    import gc
    import importlib
    import pkgutil

    for layer in ("dialect_defs", "passes", "compiler"):
        package = importlib.import_module(f"gemm_ladder.{layer}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    gc.freeze()  # a collection in a fork would copy every page


def _answer(request: socket.socket) -> None:
    """Run the command in a fork, which may crash, and send its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, streams, _, _ = socket.recv_fds(request, 1, 3)
    text = b"".join(iter(lambda: request.recv(65536), b""))
    child = os.fork()
    if child == 0:
        request.close()
        _run(streams, **json.loads(text))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    request.sendall(str(code if code >= 0 else 128 - code).encode())


def _run(
    streams: list[int], name: str, argv: list[str], folder: str, environment: dict[str, str]
) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [name, *argv]
    module = __import__(f"gemm_ladder.compiler.cli.{name}", fromlist=["run"])
    try:
        module.run()
    except SystemExit as end:
        # To tidy up the modules would take ten times as long as most commands.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(end.code or 0))


def ask(path: str, name: str, argv: list[str]) -> int:
    """The exit code of a command that the process at ``path`` runs."""
    with socket.socket(socket.AF_UNIX) as request:
        request.connect(path)
        socket.send_fds(request, [b"."], [0, 1, 2])
        wanted = {"name": name, "argv": argv, "folder": os.getcwd(), "environment": {**os.environ}}
        request.sendall(json.dumps(wanted).encode())
        request.shutdown(socket.SHUT_WR)
        return int(request.recv(16))


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    else:
        sys.exit(ask(sys.argv[1], sys.argv[2], sys.argv[3:]))
