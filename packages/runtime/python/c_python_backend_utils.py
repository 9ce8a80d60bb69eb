"""The module behind `triton_python_backend_utils`: it has the late members at all times, as in Triton."""

from tritype_child.late_members import LATE_MEMBERS

globals().update(LATE_MEMBERS)
