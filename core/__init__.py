"""Values and rules that every other package shares; no I/O except settings, clock and files.

`jobs`, `changes`, `documents`, `scans`, `holds` and `analysis` define the domain as frozen
dataclasses and enums. `settings` loads and validates the settings files, `cron` parses cron
expressions, `messages` carries texts for people, `errors` is the base of all errors.
Core imports none of our packages; all packages except the sandbox may import it.
"""
