# make crawl   crawl URL=https://…, or the bundled demo web where no URL is given
# make test    style, types and all tests
# Both set up what they need first: .venv, the packages, a browser.

PYTHON ?= python3
SCRAPY := .venv/bin/scrapy
OUT    ?= data

.PHONY: crawl test lint clean

crawl: .venv/crawl
	@$(SCRAPY) browser --install
	@mkdir -p $(OUT)
	@WIKICRAWL_STORE_URL=$${WIKICRAWL_STORE_URL:-sqlite:///$(OUT)/wikicrawl.db} \
	  $(SCRAPY) $(if $(URL),crawl site -a url='$(URL)' $(ARGS),demo --crawl) -o $(OUT)/pages.jsonl --logfile $(OUT)/crawl.log
	@WIKICRAWL_STORE_URL=$${WIKICRAWL_STORE_URL:-sqlite:///$(OUT)/wikicrawl.db} $(SCRAPY) export md $(OUT)/markdown

test: .venv/test lint
	@$(SCRAPY) browser --install
	.venv/bin/python -m pytest

lint: .venv/test
	.venv/bin/python -m ruff check
	.venv/bin/python -m ruff format --check
	.venv/bin/python -m mypy

clean:
	rm -rf .venv $(OUT) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

# pip before 24 cannot resolve lxml's extra asked for twice; hence the upgrade first.
.venv/bin/pip:
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --upgrade pip

.venv/crawl: requirements.txt | .venv/bin/pip
	.venv/bin/pip install --quiet -r requirements.txt
	@touch $@

.venv/test: requirements.txt requirements-dev.txt | .venv/bin/pip
	.venv/bin/pip install --quiet -r requirements-dev.txt
	@touch $@ .venv/crawl
