"""WHAT ADDRESSES TEACH: which of them lead to the same page, and which to nothing new."""
