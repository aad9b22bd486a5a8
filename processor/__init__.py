"""Do work: one job from first to last."""
