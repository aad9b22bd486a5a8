"""From a document to a checked analysis: prompt, model, reading, checks."""
