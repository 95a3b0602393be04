"""Opening a store: one for each database, migrated, from anywhere; or a refusal that says what to do."""

import multiprocessing
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from postgres import fresh_database
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import OperationalError

from wikicrawl.store import open_store, schema
from wikicrawl.store.engine import parse_url
from wikicrawl.store.migrations import HEAD

ROOT = Path(__file__).parents[1]


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    yield store
    store.close()


def test_a_database_has_one_store_until_the_last_user_closes_it(store_url):
    first, second = open_store(store_url), open_store(store_url)
    assert first is second
    first.close()
    second.sources.ensure("a", "https://a.test/", 1)
    second.close()
    third = open_store(store_url)
    assert third is not first
    assert third.sources.seeded_at("a") is None
    third.close()


async def test_calls_run_in_the_one_writer_thread(store):
    threads = {await store.run(threading.current_thread) for _ in range(3)}
    assert len(threads) == 1
    assert threads != {threading.current_thread()}


async def test_a_call_that_fails_raises_where_it_is_awaited(store):
    with pytest.raises(ZeroDivisionError):
        await store.run(divmod, 1, 0)


def test_a_relative_path_begins_in_the_working_folder_which_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///data/kept/store.db")
    assert open_store(f"sqlite:///{tmp_path}/data/kept/store.db") is store
    store.close()
    store.close()
    assert (tmp_path / "data/kept/store.db").is_file()


def test_sqlite_is_opened_for_many_processes(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    with store.engine.connect() as connection:
        pragmas = [
            connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    store.close()
    assert pragmas == ["wal", 1, 1, 10_000]


def test_a_reader_does_not_wait_for_a_writer(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    with store.engine.begin():
        assert store.pages.find("https://a.test/") is None
    store.close()


@pytest.mark.postgres
def test_a_connection_that_the_server_has_dropped_costs_no_call(postgres_server):
    with fresh_database(postgres_server) as url:
        store = open_store(url)
        drop = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        with pytest.raises(OperationalError), store.engine.connect() as connection:
            connection.execute(text(drop))
        store.sources.ensure("a", "https://a.test/", 1)
        store.close()


@pytest.mark.parametrize("url", ["postgresql://u@h/n", "postgresql+psycopg://u@h/n", "postgresql+psycopg2://u@h/n"])
def test_postgresql_is_spoken_to_by_the_installed_driver(url):
    assert parse_url(url).drivername == "postgresql+psycopg"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://user@host/name",
        "postgres://user@host/name",
        "data/store.db",
        "",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:////proc/nowhere/store.db",
        "sqlite:////proc",
        "postgresql://user:secret@127.0.0.1:1/name",
    ],
)
def test_a_senseless_url_is_refused_with_the_remedy(url):
    with pytest.raises(ValueError, match=r"STORE_URL") as refusal:
        open_store(url)
    assert "secret" not in str(refusal.value)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "store.db").write_text("What we keep is written here, but not in the form of SQLite." * 100)
    with pytest.raises(ValueError, match=r"STORE_URL .* not a database"):
        open_store(f"sqlite:///{tmp_path}/store.db")


def test_a_database_newer_than_the_code_is_refused(store_url):
    store = open_store(store_url)
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(ValueError, match=r"STORE_URL .* 9999.*upgrade wikicrawl"):
        open_store(store_url)


def test_the_migrated_database_is_the_schema(store):
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, schema.metadata) == []
        assert context.get_current_revision() == HEAD


def test_the_migrated_definitions_are_those_of_the_schema(store):
    """Alembic's comparison overlooks defaults and the conditions of partial indexes."""
    migrated = read_definitions(store.engine)
    with store.engine.begin() as connection:
        schema.metadata.drop_all(connection)
        schema.metadata.create_all(connection)
    assert read_definitions(store.engine) == migrated
    assert sum("LEASE_UNTIL IS NOT NULL" in definition.upper() for definition in migrated) == 2


def read_definitions(engine):
    query = {
        # Columns by themselves: one that was added later stands at the end of its table.
        "sqlite": """
            SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL
            UNION
                SELECT t.name || ' ' || c.name || ' ' || c.type || ' ' || c."notnull" || ' '
                    || coalesce(c.dflt_value, '') || ' ' || c.pk
                FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'
        """,
        "postgresql": """
            SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default)
            FROM information_schema.columns WHERE table_schema = 'public'
        """,
    }
    with engine.connect() as connection:
        return set(connection.scalars(text(query[engine.dialect.name])))


def test_a_migration_that_fails_leaves_nothing(store_url, monkeypatch):
    from wikicrawl.store import migrations

    def fail(op):
        migrations.v0001.upgrade(op)
        raise RuntimeError("power cut")

    monkeypatch.setitem(migrations.REVISIONS, "0001", fail)
    with pytest.raises(RuntimeError):
        open_store(store_url)
    engine = create_engine(parse_url(store_url))
    assert inspect(engine).get_table_names() == []
    engine.dispose()


def open_at_once(url):
    store = open_store(url)
    store.sources.ensure("a", "https://a.test/", 1)
    store.close()


@pytest.mark.slow
def test_processes_that_open_a_new_database_at_once_all_succeed(store_url):
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.map(open_at_once, [store_url] * 4, chunksize=1)
        pool.close()
        pool.join()


@pytest.mark.slow
def test_a_zipped_egg_can_open_and_migrate(store_url, tmp_path):
    egg = tmp_path / "wikicrawl.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for file in (ROOT / "wikicrawl").rglob("*.py"):
            archive.write(file, file.relative_to(ROOT))
    code = (
        "import sys, wikicrawl.store as s; assert '.egg' in s.__file__, s.__file__;"
        "store = s.open_store(sys.argv[1]); store.sources.ensure('a', 'b', 1); store.close()"
    )
    environment = {**os.environ, "PYTHONPATH": str(egg)}
    subprocess.run([sys.executable, "-W", "error", "-c", code, store_url], env=environment, cwd=tmp_path, check=True)
    store = open_store(store_url)
    assert store.sources.seeded_at("a") is None
    store.close()
