# make crawl   crawl URL=https://… (with ARGS='-a max_pages=500'), or the bundled demo web where no URL is given
# make test    style, types and all tests
# Both set up what they need first: .venv, the packages, a browser.

PYTHON ?= python3
SCRAPY := .venv/bin/scrapy
OUT    ?= data

INSTALL_VENV = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
  then apt-get update -qq && apt-get install -y -qq python3-venv; \
  else echo "Python's venv is missing: apt-get install python3-venv" >&2; false; fi

.PHONY: crawl test lint clean

crawl: export WIKICRAWL_STORE_URL ?= sqlite:///$(OUT)/wikicrawl.db
crawl: .venv/crawl
	@$(SCRAPY) browser --install
	@mkdir -p $(OUT)
	@$(SCRAPY) $(if $(URL),crawl site -a url='$(URL)',demo --crawl) $(ARGS) -o $(OUT)/pages.jsonl --logfile $(OUT)/crawl.log
	@$(SCRAPY) export md $(OUT)/markdown

test: .venv/test lint
	@$(SCRAPY) browser --install
	.venv/bin/python -m pytest

lint: .venv/test
	.venv/bin/python -m ruff check
	.venv/bin/python -m ruff format --check
	.venv/bin/python -m mypy

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Debian's python3 comes without venv. pip before 24 cannot resolve lxml's extra asked for twice, hence the upgrade.
.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wikicrawl needs Python 3.11 or later: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv .venv || { rm -rf .venv; $(INSTALL_VENV) && $(PYTHON) -m venv .venv; }
	.venv/bin/python -m pip install --quiet --upgrade pip

.venv/crawl: requirements.txt | .venv/bin/pip
	.venv/bin/pip install --quiet -r requirements.txt
	@touch $@

.venv/test: requirements.txt requirements-dev.txt | .venv/bin/pip
	.venv/bin/pip install --quiet -r requirements-dev.txt
	@touch $@ .venv/crawl
