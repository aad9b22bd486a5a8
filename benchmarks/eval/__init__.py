"""Evaluate how well documents are filed, with invented documents whose correct values are known."""
