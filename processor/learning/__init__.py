"""Learn from the documents that people filed: owner names, date orders, marks of senders."""
