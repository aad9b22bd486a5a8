"""Benchmarks, each against something comparable in the same run; see `docs/performance.md`."""
