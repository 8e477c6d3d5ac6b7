"""The package as it is shipped: generated files, one version, and pages that run."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from conftest import Gateway

from perpetual_exchange import Key

PYTHON = Path(__file__).resolve().parents[1]
PROJECT = PYTHON.parent


def test_the_generated_files_match_the_openapi_document_and_their_sources() -> None:
    checked = subprocess.run([sys.executable, str(PYTHON / "scripts" / "generate.py"), "--check"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_an_import_runs_no_code_of_the_extras_and_the_core_has_two_dependencies() -> None:
    code = "import sys, perpetual_exchange; print([name for name in ('stellar_sdk', 'pandas', 'ccxt') if name in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
    text = (PYTHON / "pyproject.toml").read_text()
    assert 'dependencies = ["httpx>=0.28,<1", "websockets>=15,<18"]' in text


def test_the_version_is_that_of_the_project() -> None:
    import perpetual_exchange

    assert perpetual_exchange.__version__ == json.loads((PROJECT / "package.json").read_text())["version"]


def test_the_guide_leads_to_a_filled_order(gateway: Gateway, key: Key) -> None:
    page = (PROJECT / "docs" / "guides" / "python.md").read_text()
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    scope: dict[str, Any] = {}
    printed: list[str] = []

    def record(*values: object) -> None:
        printed.append(" ".join(map(str, values)))

    scope["print"] = record
    for block in blocks:
        exec(compile(block.replace("http://127.0.0.1:8080", gateway.url), "python.md", "exec"), scope)
    assert re.fullmatch(r"nk_[0-9a-f]{24}", printed[0])
    assert re.fullmatch(r"\d+(\.\d+)? fresh", printed[1])
    assert re.fullmatch(r"position \d+ filled at \d+(\.\d+)? fee \d+(\.\d+)?", printed[2])
    assert re.fullmatch(r"profit or loss -?\d+(\.\d+)?", printed[-1])
