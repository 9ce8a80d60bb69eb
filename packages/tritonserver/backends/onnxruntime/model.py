"""ONNX Runtime as a Python-based Triton backend, for servers without the C++ backend (such as Triton's PyPI wheel).

Opens <model_repository>/<version>/<default_model_filename or model.onnx> with PyPI onnxruntime on the CPU, checks the configuration against the graph as the C++ backend does, and runs the requests of one execute as one batch.
"""

import json
import os

import numpy as np
import onnxruntime
import triton_python_backend_utils as pb_utils

TYPE_OF_ONNX = {
    "tensor(bool)": "TYPE_BOOL",
    "tensor(uint8)": "TYPE_UINT8",
    "tensor(uint16)": "TYPE_UINT16",
    "tensor(uint32)": "TYPE_UINT32",
    "tensor(uint64)": "TYPE_UINT64",
    "tensor(int8)": "TYPE_INT8",
    "tensor(int16)": "TYPE_INT16",
    "tensor(int32)": "TYPE_INT32",
    "tensor(int64)": "TYPE_INT64",
    "tensor(float16)": "TYPE_FP16",
    "tensor(float)": "TYPE_FP32",
    "tensor(double)": "TYPE_FP64",
    "tensor(string)": "TYPE_STRING",
}


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        self.name = config["name"]
        self.max_batch_size = config.get("max_batch_size", 0)
        self.session = open_session(args, config)
        graph_inputs = {port.name: port for port in self.session.get_inputs()}
        graph_outputs = {port.name: port for port in self.session.get_outputs()}
        inputs, outputs = config.get("input", []), config.get("output", [])
        required = [port for port in inputs if not port.get("optional", False)]
        batching = config.get("sequence_batching", {})
        controls = [control["name"] for control in batching.get("control_input", [])]
        self.state_outputs = {state["input_name"]: state["output_name"] for state in batching.get("state", [])}
        self.states_of_sequences = {}
        filled = controls + list(self.state_outputs)
        if len(required) + len(filled) != len(graph_inputs):
            raise pb_utils.TritonModelException(
                f"unable to load model '{self.name}', configuration expects {len(required) + len(filled)} inputs, "
                f"model provides {len(graph_inputs)}"
            )
        for port in inputs:
            self.check_port(port, graph_inputs, "input")
        for port in outputs:
            self.check_port(port, graph_outputs, "output")
        self.scalars = {
            port.name
            for port in (*graph_inputs.values(), *graph_outputs.values())
            if port.shape is not None and len(port.shape) == 0
        }
        self.input_names = [port["name"] for port in inputs] + filled

    def check_port(self, port, graph_ports, side):
        name = port["name"]
        if name not in graph_ports:
            raise pb_utils.TritonModelException(
                f"unexpected inference {side} '{name}', allowed {side}s are: {', '.join(graph_ports)}"
            )
        graph_port = graph_ports[name]
        provided = TYPE_OF_ONNX.get(graph_port.type)
        if provided is None:
            raise pb_utils.TritonModelException(
                f"unsupported datatype {graph_port.type} for {side} '{name}' for model '{self.name}'"
            )
        if provided != port["data_type"]:
            raise pb_utils.TritonModelException(
                f"unable to load model '{self.name}', configuration expects datatype {port['data_type']} "
                f"for {side} '{name}', model provides {provided}"
            )
        if graph_port.shape is not None:
            expected = [dim if isinstance(dim, int) else -1 for dim in graph_port.shape]
            if port.get("allow_ragged_batch", False) and expected != [-1]:
                raise pb_utils.TritonModelException(
                    f"unable to load model '{self.name}', configuration expects model provides input with shape [-1] "
                    f"for ragged input '{name}', model provides {expected}"
                )
            self.check_shape(name, port, expected, side)

    def check_shape(self, name, port, expected, side):
        reshape = port.get("reshape")
        dims = [int(dim) for dim in (reshape.get("shape", []) if reshape is not None else port["dims"])]
        batched = self.max_batch_size > 0
        if not expected:
            if not batched and any(dim != 1 for dim in dims):
                raise pb_utils.TritonModelException(
                    f"unable to load model '{self.name}', scalar tensor '{name}', should only provide 1 in the model "
                    f"configuration when the model doesn't support batching. Model configuration provided: {dims}."
                )
            return
        if batched and expected[0] != -1:
            raise pb_utils.TritonModelException(
                f"model '{self.name}', tensor '{name}': for the model to support batching the shape should have at "
                f"least 1 dimension and the first dimension must be -1; but shape expected by the model is {expected}"
            )
        full = ([-1] if batched else []) + dims
        accepts_any = (-1,) if side == "input" else ()
        if len(full) != len(expected) or any(e != d and e not in accepts_any for e, d in zip(expected, full)):
            raise pb_utils.TritonModelException(
                f"model '{self.name}', tensor '{name}': the model expects {len(expected)} dimensions "
                f"(shape {expected}) but the model configuration specifies {len(full)} dimensions (shape {full})"
            )

    def execute(self, requests):
        responses = [None] * len(requests)
        groups = {}
        for index, request in enumerate(requests):
            try:
                feeds = self.read_inputs(request)
            except Exception as error:
                responses[index] = failure(error)
                continue
            groups.setdefault(self.batch_key(index, feeds), []).append((index, feeds))
        for members in groups.values():
            self.run_group(requests, members, responses)
        return responses

    def read_inputs(self, request):
        feeds = {}
        for name in self.input_names:
            tensor = pb_utils.get_input_tensor_by_name(request, name)
            if tensor is None:
                continue
            array = tensor.as_numpy()
            if array.dtype == np.object_:
                # The C++ backend passes on C strings, which end at the first NUL.
                rows = [value.split(b"\0", 1)[0].decode("utf-8") for value in array.reshape(-1)]
                array = np.array(rows, dtype=np.object_).reshape(array.shape)
            feeds[name] = array.reshape(()) if name in self.scalars else array
        if not request.flags() & pb_utils.TRITONSERVER_REQUEST_FLAG_SEQUENCE_START:
            feeds.update(self.states_of_sequences.get(request.correlation_id(), {}))
        return feeds

    def keep_states(self, request, results, rows):
        """Triton fills the state inputs with the initial state, but it takes no new state from Python."""
        if request.flags() & pb_utils.TRITONSERVER_REQUEST_FLAG_SEQUENCE_END:
            self.states_of_sequences.pop(request.correlation_id(), None)
        elif self.state_outputs:
            self.states_of_sequences[request.correlation_id()] = {
                name: results[output][rows] if self.max_batch_size > 0 else results[output]
                for name, output in self.state_outputs.items()
            }

    def batch_key(self, index, feeds):
        """Requests with the same key run together. Without batching, every request has its own key."""
        if self.max_batch_size == 0:
            return index
        return tuple((name, array.shape[1:]) for name, array in feeds.items())

    def run_group(self, requests, members, responses):
        try:
            asked = {name for index, _ in members for name in requests[index].requested_output_names()}
            wanted = sorted(asked.union(self.state_outputs.values()))
            if len(members) == 1:
                feeds = members[0][1]
            else:
                feeds = {n: np.concatenate([own[n] for _, own in members]) for n in members[0][1]}
            results = dict(zip(wanted, self.session.run(wanted, feeds)))
            start, total = 0, sum(self.row_count(own) for _, own in members)
            for index, own in members:
                rows = slice(start, start + self.row_count(own))
                start = rows.stop
                self.keep_states(requests[index], results, rows)
                responses[index] = pb_utils.InferenceResponse(
                    [
                        self.write_output(name, results[name], rows, total)
                        for name in sorted(requests[index].requested_output_names())
                    ]
                )
        except Exception as error:
            for index, _ in members:
                responses[index] = failure(error)

    def row_count(self, feeds):
        return len(next(iter(feeds.values()))) if self.max_batch_size > 0 and feeds else 1

    def write_output(self, name, result, rows, total):
        array = np.asarray(result)
        if self.max_batch_size > 0:
            if array.ndim == 0 or array.shape[0] != total:
                raise ValueError(
                    f"output '{name}' of model '{self.name}' has shape {list(array.shape)}: "
                    f"its first dimension is not the batch size {total}"
                )
            array = array[rows]
        elif name in self.scalars:
            array = array.reshape(1)
        if array.dtype.kind in "OU":
            encoded = np.empty(array.size, dtype=np.object_)
            encoded[:] = [str(value).encode("utf-8") for value in array.reshape(-1)]
            array = encoded.reshape(array.shape)
        return pb_utils.Tensor(name, np.ascontiguousarray(array))


def open_session(args, config):
    filename = config.get("default_model_filename") or "model.onnx"
    path = os.path.join(args["model_repository"], args["model_version"], filename)
    if os.path.isdir(path):
        path = os.path.join(path, "model.onnx")
    if not os.path.isfile(path):
        raise pb_utils.TritonModelException(f"unable to find '{path}' for model '{config['name']}'")
    options = onnxruntime.SessionOptions()
    parameters = {key: value.get("string_value", "") for key, value in config.get("parameters", {}).items()}
    options.intra_op_num_threads = int(parameters.get("intra_op_thread_count", 0))
    options.inter_op_num_threads = int(parameters.get("inter_op_thread_count", 0))
    options.log_severity_level = 3
    # NVIDIA's backend spins; tests set this, because idle threads of each model keep a processor busy after each request.
    if os.environ.get("TRITYPE_ORT_SPINNING") == "0":
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def failure(error):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"onnx runtime error: {error}"))
