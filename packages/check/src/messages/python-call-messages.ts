import { messagesOf, type ServerMessage } from "./server-message.ts";

const code = "model-code";

/**
 * Messages from pb_utils about invalid calls, in a real server and in the local runtime; the last few only come from
 * the runtime.
 */
export const pythonCallMessages: readonly ServerMessage[] = messagesOf([
  [
    "NumPy dtype is not supported",
    code,
    "model.py creates a tensor from an array whose dtype Triton does not have",
    "convert the array with `.astype`, to the dtype that config.pbtxt declares; text needs dtype object",
  ],
  [
    "'numpy.ndarray' object has no attribute 'c_contiguous'",
    code,
    "model.py creates a tensor from an array of strings whose elements are not contiguous in memory",
    "pass `np.ascontiguousarray(array)`",
  ],
  [
    "Tensor dtype is BF16 and cannot be converted to NumPy",
    code,
    "model.py requests a BF16 tensor as a numpy array, but numpy has no such dtype",
    "read it with `to_dlpack()`, for example in PyTorch",
  ],
  [
    "DLPack does not have support for string tensors",
    code,
    "model.py passes text through DLPack, which only supports numbers",
    "use `as_numpy()`",
  ],
  [
    "Provided tensor is not supported. Tensor must be a DLPack capsule",
    code,
    "model.py passes something to `Tensor.from_dlpack` that is not a tensor",
    "pass a tensor with `__dlpack__`, for example from PyTorch; for a NumPy array, use `pb_utils.Tensor(name, array)`",
  ],
  [
    "Unable to convert function return value to a Python type!",
    code,
    "model.py reads something from pb_utils that has no Python type, such as a tensor's dtype in Triton's enum",
    "use the numpy array instead: `tensor.as_numpy().dtype`",
  ],
  [
    "Failed to create metric. {why:line}",
    code,
    "model.py creates an invalid metric: {why}",
    "pass labels as a dictionary of strings; only for a histogram, also pass ascending `buckets` as a list",
  ],
  [
    "Error when creating {kind:name}: {why:line}",
    code,
    "model.py could not create a {kind}: {why}",
    "check its labels and its name, which only one family may use",
  ],
  [
    "configuration specified max_batch_size {size:n}, but in auto-complete-config function for model '{model}' specified max_batch_size {got:n}",
    code,
    "`auto_complete_config` of `{model}` sets max_batch_size {got}, but config.pbtxt says {size}",
    "set only one of the two",
  ],
  [
    "Configuration specified scheduling_choice as '{choice}', but auto-complete-config function for model '{model}' tries to set scheduling_choice",
    code,
    "`auto_complete_config` of `{model}` sets a different scheduler than config.pbtxt, which has {choice}",
    "remove the scheduler from one of the two",
  ],
  [
    "in auto-complete-config function for model '{model}' contains property other than 'decoupled'",
    code,
    "`auto_complete_config` of `{model}` sets a transaction policy with fields other than `decoupled`",
    'call `set_model_transaction_policy({"decoupled": True})`',
  ],
  [
    "trying to change decoupled property in auto-complete-config for model '{model}', which is already set to '{value}'",
    code,
    "`auto_complete_config` of `{model}` changes `decoupled`, which config.pbtxt sets to {value}",
    "set it in only one of them",
  ],
  [
    "model '{model}', tensor '{tensor}': the model expects {wanted} but the model configuration specifies {got:line}",
    "model",
    "`{tensor}` of `{model}` differs: the model expects {wanted}, but config.pbtxt says {got}",
    "in config.pbtxt, write what the model expects, or remove the tensor from one of the two",
  ],
  [
    "contains property other than {list:line}",
    code,
    "`auto_complete_config` adds a tensor with a field that is not allowed; only {list} are allowed",
    "remove the other fields",
  ],
  [
    "is missing '{key}' property.",
    code,
    "`auto_complete_config` adds a tensor without `{key}`",
    "give every tensor `name`, `data_type` and `dims`",
  ],
  [
    "failed to load model '{model}', files should be a dictionary of file paths and file contents",
    code,
    "`pb_utils.load_model` of `{model}` got `files` that are not a dictionary",
    'pass { "file:1/model.onnx": bytes }',
  ],
  [
    "Unable to cast Python instance to C++ type",
    code,
    "model.py passes a value of the wrong Python type to pb_utils",
    "check the types of the arguments on the line that the traceback names",
  ],
  [
    "Object of type '{type}' is not an instance of 'bytes'",
    code,
    "`pb_utils.load_model` got a file whose content is a {type}",
    "pass the content as bytes",
  ],
  [
    [
      "A dictionary is expected",
      "Expect N8pybind114dictE, got {type:line}",
      "Expect parameters keys to have type str, found type {type:line}",
    ],
    code,
    "the parameters that model.py passes are not a dictionary with strings as keys",
    'pass { "name": value }, where each value is a bool, an int or a str',
  ],
  [
    "Expect parameters values to have type bool/int/str, found type {type:line}",
    code,
    "a parameter that model.py passes has the type {type}",
    "pass a bool, int or str; convert anything else to a string",
  ],
  [
    "Correlation ID must be integer or string",
    code,
    "model.py calls a model with a correlation ID that is neither a number nor a string",
    "pass an int or a str",
  ],
  [
    [
      "Input tensor for request with id '{id}' and model name '{model}' should not be empty",
      "Requested output name for request with id '{id}' and model name '{model}' should not be empty",
    ],
    code,
    "model.py calls `{model}` with None for an input, or without a name for an output",
    "pass `pb_utils.Tensor` objects, and the names that the called model declares",
  ],
  [
    "Output tensor for inference response should not be empty",
    code,
    "model.py returns None instead of a tensor",
    "pass only `pb_utils.Tensor` objects",
  ],
  [
    [
      "Unable to send response. Non-decoupled model cannot send more than one response",
      "Unable to send response. Non-decoupled model cannot send complete final before sending a response",
    ],
    code,
    "a model that is not decoupled did not send exactly one response to a request",
    "send one response with the flag TRITONSERVER_RESPONSE_COMPLETE_FINAL, or make the model decoupled",
  ],
  [
    ["Unable to send response. Unsupported flag provided", "when the response flags is set to zero"],
    code,
    "model.py calls `send` of a response sender with flags that do not fit the response",
    "send a response without flags, and TRITONSERVER_RESPONSE_COMPLETE_FINAL with or after the last one",
  ],
  [
    "Unable to send response. Response sender has no reference to the decoupled state of the model",
    code,
    "model.py uses a response sender that it did not get from a request",
    "call `request.get_response_sender()`",
  ],
  [
    "returned None from execute, so its requests have no response",
    code,
    "`execute` finished without `return`, so no request gets a response; in Triton, the client waits forever",
    "return a list with one InferenceResponse for every request",
  ],
  [
    "Expected a None object in the execute function return list for reschduled request",
    code,
    "`execute` returned a response for a request that it reschedules with `set_release_flags`",
    "return None in its place",
  ],
  [
    "sent a response to a request that it reschedules; only decoupled models may",
    code,
    "`execute` sent a response and rescheduled the request; in Triton, the client gets several responses to one request",
    "set `modelTransactionPolicy: { decoupled: true }` (`model_transaction_policy { decoupled: true }`), or respond only in the last execution",
  ],
]);
