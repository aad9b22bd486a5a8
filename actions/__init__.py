"""What a person can ask for: one function each, for command line, API and pages.

Nothing in here prints, and nothing waits for the work: what is asked for is put into the store, and
whoever calls rings for the processor, or works itself.
"""
