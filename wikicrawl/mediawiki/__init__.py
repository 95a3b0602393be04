"""WHAT A WIKI SAYS: the words of MediaWiki, its URLs, its API and its errors."""
