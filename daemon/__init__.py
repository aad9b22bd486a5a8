"""Put it together: command line, start and stop, wiring, checks."""
