import { type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { expect, test } from "vitest";
import { loadPythonModel, outputsOf, requestOf } from "../../../../test/environment/python-model.ts";

/** Responds to each expression in X with the repr of its value, or with the exception that it raises. */
const evaluator = `
import numpy as np
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([
            self.answer(x.decode(), request) for x in request.inputs()[0].as_numpy()], dtype=object))])
            for request in requests]
    def answer(self, expression, request):
        try:
            return repr(eval(expression, {**vars(pb_utils), "np": np, "request": request}))
        except Exception as error:
            return type(error).__name__ + ": " + str(error)
`;
const invoked = (method: string, subject: string, signature: string, values: string): string =>
  `TypeError: ${method}(): incompatible ${subject} arguments. The following argument types are supported:\n    1. ${signature}\n\nInvoked with: ${values}`;
const tensorSignature = "c_python_backend_utils.Tensor(arg0: str, arg1: numpy.ndarray)";
const errorSignature =
  "c_python_backend_utils.TritonError(message: str, code: c_python_backend_utils.TritonError.__ErrorCode = <__ErrorCode.INTERNAL: 1>)";

const responseSignature =
  "c_python_backend_utils.InferenceResponse(output_tensors: List[c_python_backend_utils.Tensor] = [], error: c_python_backend_utils.TritonError = None)";

/**
 * Results of a real Triton 2.51, with three exceptions: `from_dlpack` of a numpy array kills its stub, BF16 needs a
 * binary request, and faulty metrics may crash the server.
 */
const cases: readonly [string, string][] = [
  // dtypes
  ["triton_string_to_numpy('TYPE_FP16')", "<class 'numpy.float16'>"],
  ["triton_string_to_numpy('TYPE_BOOL')", "<class 'bool'>"],
  ["triton_string_to_numpy('TYPE_STRING')", "<class 'numpy.object_'>"],
  ["triton_string_to_numpy('TYPE_BF16')", "KeyError: 'TYPE_BF16'"],
  [
    "triton_to_numpy_type(11), triton_to_numpy_type(13), triton_to_numpy_type(99)",
    "(<class 'numpy.float32'>, <class 'numpy.object_'>, None)",
  ],
  [
    "numpy_to_triton_type(np.int64), numpy_to_triton_type(np.bytes_), numpy_to_triton_type(np.complex64)",
    "(9, 13, None)",
  ],
  // tensors
  [
    "[name for name in dir(Tensor) if not name.startswith('_')]",
    "['as_numpy', 'from_dlpack', 'is_cpu', 'name', 'shape', 'to_dlpack', 'triton_dtype']",
  ],
  ["Tensor('', np.zeros(1))", "TritonModelException: Tensor name cannot be an empty string."],
  ["Tensor('x', [1])", invoked("__init__", "constructor", tensorSignature, "'x', [1]")],
  ["Tensor('x', np.array(['u']))", "TritonModelException: NumPy dtype is not supported."],
  ["Tensor('x', np.zeros(1, '>f4'))", "TritonModelException: NumPy dtype is not supported."],
  ["Tensor('x', np.zeros(1, complex))", "TritonModelException: NumPy dtype is not supported."],
  [
    "Tensor('x', np.ma.array([1.0]))",
    "AttributeError: 'numpy.ndarray' object has no attribute 'c_contiguous'",
  ],
  ["Tensor('x', np.zeros((2, 3))[:, ::2]).shape()", "[2, 2]"],
  ["Tensor('x', np.zeros((2, 3)).T).as_numpy().flags.c_contiguous", "True"],
  ["(a := np.zeros(2), Tensor('x', a).as_numpy() is a)[1]", "True"],
  [
    "Tensor('x', np.zeros(1)).triton_dtype()",
    "TypeError: Unable to convert function return value to a Python type! The signature was\n\t(self: c_python_backend_utils.Tensor) -> TRITONSERVER_datatype_enum",
  ],
  ["Tensor('x', np.zeros(1)).is_cpu()", "True"],
  ["Tensor.from_dlpack('x', np.arange(3)).as_numpy().tolist()", "[0, 1, 2]"],
  ["Tensor.from_dlpack('x', np.arange(3).__dlpack__()).as_numpy().tolist()", "[0, 1, 2]"],
  ["np.from_dlpack(Tensor('x', np.arange(3))).tolist()", "[0, 1, 2]"],
  [
    "Tensor('x', np.array([b'a'], dtype=object)).to_dlpack()",
    "TritonModelException: DLPack does not have support for string tensors.",
  ],
  [
    "request.inputs()[1].as_numpy()",
    "TritonModelException: Tensor dtype is BF16 and cannot be converted to NumPy. Use to_dlpack() and from_dlpack() instead.",
  ],
  [
    "(b := Tensor.from_dlpack('x', request.inputs()[1].to_dlpack()), b.shape(), b.as_numpy())",
    "TritonModelException: Tensor dtype is BF16 and cannot be converted to NumPy. Use to_dlpack() and from_dlpack() instead.",
  ],
  ["Tensor.from_dlpack('x', Tensor.from_dlpack('b', request.inputs()[1])).shape()", "[1]"],
  ["(a := np.arange(2), Tensor.from_dlpack('x', a).as_numpy().fill(7), a.tolist())[2]", "[7, 7]"],
  ["Tensor.from_dlpack('x', np.arange(6)[::2].__dlpack__()).as_numpy().tolist()", "[0, 2, 4]"],
  [
    "request.inputs()[2].as_numpy().flags.writeable, request.inputs()[2].as_numpy().flags.owndata",
    "(True, False)",
  ],
  [
    "deserialize_bytes_tensor(serialize_byte_tensor(np.array([b'a', 'é', None, 1], dtype=object))).tolist()",
    "[b'a', b'\\xc3\\xa9', b'None', b'1']",
  ],
  ["Tensor('x', np.array([b'a\\0'], dtype='S2')).as_numpy().tolist()", "[b'a']"],
  // look-ups
  [
    "get_input_tensor_by_name(request, 'I').shape(), get_input_tensor_by_name(request, 'none')",
    "([1], None)",
  ],
  ["get_output_tensor_by_name(InferenceResponse([Tensor('o', np.zeros(2))]), 'o').name()", "'o'"],
  // errors and responses
  [
    "TritonError('m').code(), TritonError('m', TritonError.NOT_FOUND).code().name",
    "(<__ErrorCode.INTERNAL: 1>, 'NOT_FOUND')",
  ],
  ["str(TritonError.CANCELLED)", "'__ErrorCode.CANCELLED'"],
  ["TritonError(3)", invoked("__init__", "constructor", errorSignature, "3")],
  [
    "InferenceResponse([None])",
    "TritonModelException: Output tensor for inference response should not be empty.",
  ],
  ["InferenceResponse([], TritonError('m')).has_error()", "True"],
  ["InferenceResponse(error=TritonError('m'), output_tensors=[]).error().message()", "'m'"],
  [
    "InferenceResponse([], parameters={'a': 1})",
    invoked("__init__", "constructor", responseSignature, "[]; kwargs: parameters={'a': 1}"),
  ],
  [
    "InferenceResponse([], None, {'a': 1})",
    invoked("__init__", "constructor", responseSignature, "[], None, {'a': 1}"),
  ],
  [
    "InferenceResponse(error='x')",
    invoked("__init__", "constructor", responseSignature, "kwargs: error='x'"),
  ],
  ["InferenceResponse([], 'x')", invoked("__init__", "constructor", responseSignature, "[], 'x'")],
  // requests
  [
    "InferenceRequest(inputs=[None], requested_output_names=[], model_name='n')",
    "TritonModelException: Input tensor for request with id '' and model name 'n' should not be empty.",
  ],
  [
    "InferenceRequest(inputs=[], requested_output_names=[''], model_name='n')",
    "TritonModelException: Requested output name for request with id '' and model name 'n' should not be empty.",
  ],
  [
    "InferenceRequest(correlation_id=1.5, inputs=[], requested_output_names=[], model_name='n')",
    "TritonModelException: Correlation ID must be integer or string",
  ],
  [
    "TritonModelException, type(request), type(request.inputs()[0])",
    "(<class 'c_python_backend_utils.TritonModelException'>, <class 'c_python_backend_utils.InferenceRequest'>, <class 'c_python_backend_utils.Tensor'>)",
  ],
  // metrics
  [
    "MetricFamily('1bad', 'd', MetricFamily.COUNTER)",
    "TritonModelException: Error when creating MetricFamily: Failed to process the request for model 'm_0_0', message: Invalid metric name",
  ],
  [
    "MetricFamily('n', 'd', MetricFamily.COUNTER).Metric(labels=[1])",
    "TritonModelException: Failed to create metric. Labels must be a dictionary.",
  ],
  [
    "MetricFamily('n', 'd', MetricFamily.COUNTER).Metric(labels={'a': 1})",
    "TritonModelException: Error when creating Metric: Failed to process the request for model 'm_0_0', message: attempt to access JSON non-string as string",
  ],
  [
    "MetricFamily('n', 'd', MetricFamily.COUNTER).Metric(buckets=[1])",
    "TritonModelException: Failed to create metric. Unexpected buckets found.",
  ],
  [
    "MetricFamily('h', 'd', MetricFamily.HISTOGRAM).Metric()",
    "TritonModelException: Failed to create metric. Missing required buckets.",
  ],
  [
    "(f := MetricFamily('n', 'd', MetricFamily.COUNTER), m := f.Metric(), m.increment(2), m.value())[3]",
    "2.0",
  ],
  [
    "(f := MetricFamily('n', 'd', MetricFamily.COUNTER), m := f.Metric(), m.set(2))",
    "TritonModelException: Failed to set metric value: Failed to process the request for model 'm_0_0', message: TRITONSERVER_METRIC_KIND_COUNTER does not support Set",
  ],
  [
    "MetricFamily('n', 'd', MetricFamily.COUNTER).Metric().value()",
    "TritonModelException: Failed to get metric value: Invalid metric operation as the corresponding 'MetricFamily' has been deleted. The 'MetricFamily' object should be deleted AFTER its corresponding 'Metric' objects have been deleted.",
  ],
  // model control
  ["is_model_ready('nobody')", "False"],
  [
    "load_model('m', files=[1])",
    "TritonModelException: failed to load model 'm', files should be a dictionary of file paths and file contents",
  ],
  [
    "load_model('m')",
    "TritonModelException: Failed to load model: Failed to process the request for model 'm_0_0', message: explicit model load / unload is not allowed if polling is enabled",
  ],
  // logger
  ["Logger.INFO, str(Logger.VERBOSE)", "(<LogLevel.INFO: 0>, 'LogLevel.VERBOSE')"],
  ["Logger.log_info(1)", invoked("log_info", "function", "(message: str) -> None", "1")],
];

test("pb_utils gives the same results as Triton's", async () => {
  const { model } = await loadPythonModel(evaluator);
  const [result] = await model.execute([
    requestOf({
      X: tensorOf(
        "BYTES",
        [cases.length],
        cases.map(([expression]) => expression),
      ),
      B: tensorOf("BF16", [1], [1]),
      I: tensorOf("INT32", [1], [1]),
    }),
  ]);
  const answers = valuesOf(outputsOf(result).get("Y") as TensorData);
  expect(cases.map(([expression], n) => [expression, answers[n]])).toEqual(cases);
});
