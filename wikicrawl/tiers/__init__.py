"""HOW IT IS GOT: every page by the cheapest tier that yields a real page."""
