"""WHAT HAPPENS: extract 100, changes 200, store 400."""
