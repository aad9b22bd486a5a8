"""How fast it is, beside others in the same run; `docs/performance.md` tells the figures."""
