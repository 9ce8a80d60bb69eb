"""The child process of the local runtime, which runs one instance of a Python model and is controlled over a socket."""
