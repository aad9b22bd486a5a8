"""The benchmarks work, at a size that measures nothing."""
