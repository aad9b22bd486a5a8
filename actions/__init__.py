"""What a person can request, one function each; shared by command line, API and pages.

Nothing here prints or waits for a job: a request is stored, and the caller wakes the processor or
runs the job itself.
"""
