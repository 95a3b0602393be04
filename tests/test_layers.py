"""Dependencies point down only, and each outside thing is touched in one place."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "wikicrawl"
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = [
    {"commands", "console"},
    {"spiders", "tiers", "pipelines", "extensions", "stall", "feeds"},
    {"store", "extract", "search", "layouts"},
    {
        "items",
        "urls",
        "schedule",
        "sources",
        "numbers",
        "failures",
        "faults",
        "hooks",
        "retry_after",
        "robots",
        "egress",
        "mediawiki",
        "traps",
    },
]
NO_SCRAPY = {
    "extract",
    "layouts",
    "store",
    "search",
    "urls",
    "schedule",
    "sources",
    "numbers",
    "retry_after",
    "faults",
    "items",
    "mediawiki",
    "robots",
    "traps",
    "console",
    "demo",
}
COMPONENTS = {"spiders", "tiers", "pipelines", "extensions", "stall", "feeds"}


def part_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path):
    """Modules imported at run time: what stands under `if TYPE_CHECKING:` names types only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def own_parts(path):
    return {name.split(".")[1] for name in imports_of(path) if name.startswith("wikicrawl.")}


def layer_of(part):
    return next((number for number, layer in enumerate(LAYERS) if part in layer), None)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    here = layer_of(part_of(path))
    if here is None:
        return
    above = {part for part in own_parts(path) if (layer := layer_of(part)) is not None and layer < here}
    assert not above


@pytest.mark.parametrize(
    "path", [path for path in MODULES if part_of(path) in COMPONENTS], ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_scrapy_components_do_not_import_one_another(path):
    assert not (own_parts(path) & COMPONENTS) - {part_of(path)}


@pytest.mark.parametrize(
    "path", [path for path in MODULES if part_of(path) in NO_SCRAPY], ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_the_lower_parts_import_no_scrapy(path):
    assert not [name for name in imports_of(path) if name.split(".")[0] in ("scrapy", "twisted")]


def test_only_the_store_imports_sqlalchemy():
    users = {
        part_of(path)
        for path in MODULES
        if any(name.startswith(("sqlalchemy", "alembic")) for name in imports_of(path))
    }
    assert users <= {"store", "search"}


def test_only_the_tiers_drive_a_browser():
    users = {part_of(path) for path in MODULES if any("playwright" in name for name in imports_of(path))}
    assert users <= {"tiers", "layouts", "extract"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_says_its_job_in_one_sentence(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring
    assert docstring.split("\n\n")[0].endswith((".", "?"))
