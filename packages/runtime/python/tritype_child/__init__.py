"""The child process behind the local runtime: one instance of one Python model, driven over a socket."""
