"""The child process of the local runtime, which runs one instance of a Python model and is controlled over a socket."""

import sys

# Until a model is imported, compiled modules are kept, of this package and of numpy: compiling them takes longer than everything else
# at the start. None are written next to a model (-B).
sys.dont_write_bytecode = False
