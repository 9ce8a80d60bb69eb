"""The module behind `triton_python_backend_utils`: it always has the late members, as in Triton."""

from tritype_child.late_members import LATE_MEMBERS

globals().update(LATE_MEMBERS)
