"""Turn any website or wiki into clean, current markdown."""
