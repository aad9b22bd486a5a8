"""What each command does; the command line only reads what was typed."""
