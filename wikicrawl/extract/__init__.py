"""Say what is on a page: markdown, links, metadata."""

from wikicrawl.extract.page import Extraction, extract, to_markdown

__all__ = ["Extraction", "extract", "to_markdown"]
