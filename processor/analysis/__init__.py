"""Analyze a document: build the prompt, call the model, parse the answer, run the checks."""
