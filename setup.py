"""Build the egg that scrapyd runs; everything else is in pyproject.toml."""

from setuptools import find_packages, setup

setup(
    packages=find_packages(include=["wikicrawl", "wikicrawl.*"]),
    entry_points={"scrapy": ["settings = wikicrawl.settings"]},
)
