"""The program: the command line, and the daemon that connects all other packages.

`cli` holds the commands. `context` opens settings and store, `services` connects each instance
with its Paperless and its model. `run` is the daemon itself, `lifecycle` its start and recovery,
`executor` does the work of a command without a daemon. `notify` sends notifications.
It is the top layer: it may import every package, and no package may import it.
"""
