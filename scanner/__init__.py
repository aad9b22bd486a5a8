"""Find work: one scan of one instance."""
