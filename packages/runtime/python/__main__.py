"""Runs one instance of a Triton Python model for Tritype's local runtime: `python -u -B -X utf8=0 <this folder>`, address on stdin."""

from tritype_child.main import main

main()
