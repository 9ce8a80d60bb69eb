"""The module that a `model.py` imports, with the interface of Triton's Python backend (Triton 2.51).

While the model's file is imported, only these members exist; `tritype_child.late_members` has the others.
"""

import json
import struct

import numpy as np
from tritype_child.config import (
    get_input_config_by_name,
    get_output_config_by_name,
    using_decoupled_model_transaction_policy,
)
from tritype_child.dtypes import (
    TRITON_STRING_TO_NUMPY,
    numpy_to_triton_type,
    triton_string_to_numpy,
    triton_to_numpy_type,
)
from tritype_child.model_config import ModelConfig
from tritype_child.request import (
    TRITONSERVER_REQUEST_FLAG_SEQUENCE_END,
    TRITONSERVER_REQUEST_FLAG_SEQUENCE_START,
    TRITONSERVER_REQUEST_RELEASE_ALL,
    TRITONSERVER_REQUEST_RELEASE_RESCHEDULE,
)
from tritype_child.response_sender import TRITONSERVER_RESPONSE_COMPLETE_FINAL
from tritype_child.tensor import (
    deserialize_bytes_tensor,
    get_input_tensor_by_name,
    get_output_tensor_by_name,
    serialize_byte_tensor,
)
