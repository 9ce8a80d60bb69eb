import type { ServerMessage } from "./server-message.ts";

const unreadable = "The response to a request that cannot be parsed has status 500, not 400.";
const stringData =
  "precede each string with its length in bytes (not characters), as a 4-byte little-endian number";

/** Triton's error responses to requests with an unreadable body: JSON, binary data, strings. */
export const bodyMessages: readonly ServerMessage[] = [
  {
    says: "input byte size mismatch for input '{tensor}' for model '{model}'. Expected {wanted:n}, got {count:n}",
    means: "input `{tensor}` of `{model}` has {count} bytes; its shape and dtype need {wanted}",
    why: "A batch of 0 rows gives the same message.",
    help: "make data, `shape` and `datatype` match",
    atLoad: { codes: ["warmup/short-file"], fixIn: "model" },
  },
  {
    says: "unexpected size for input '{tensor}', expecting {missing:n} additional bytes for model '{model}'",
    means: "the body ends {missing} bytes before the end of the data for input `{tensor}`",
    why: "`binary_data_size` announces bytes after the JSON, in the order of the inputs; without the `Inference-Header-Content-Length` header, the whole body counts as JSON.",
    help: "send the header with the JSON's length, and exactly as many bytes as the sizes specify",
  },
  {
    says: "unexpected additional input data for model '{model}'",
    means: "there are extra bytes after the data of the request's inputs",
    help: "set each `binary_data_size` to the number of bytes that follow for that input",
  },
  {
    says: "inference header size should be in range (0, {length:n}), got: {got:n}",
    means: "`Inference-Header-Content-Length` is {got}, but the body has {length} bytes",
    help: "send the length of the JSON in bytes, uncompressed",
  },
  {
    says: "invalid datatype for input {tensor}",
    means: "the `datatype` of input `{tensor}` is not one of KServe's",
    why: "In requests, datatypes are in capitals and without `TYPE_`: FP32, INT64, BYTES (not STRING).",
    help: "write the datatype that `GET /v2/models/<model>` shows",
  },
  {
    says: "receiving {type} data via JSON is not supported. Please use the binary data format for input {tensor}",
    means: "input `{tensor}` is {type}, which JSON cannot represent",
    help: "send it as binary data: `set_data_from_numpy(…, binary_data=True)`, or over gRPC",
  },
  {
    says: "sending {type} data via JSON is not supported. Please use the binary data format for output",
    means: "an output is {type}, which JSON cannot represent",
    help: 'request it with `"parameters": { "binary_data": true }`',
  },
  {
    says: "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But no field is set",
    means: "an input of the request has no data",
    help: "send `data`, or `binary_data_size` with the bytes after the JSON",
  },
  {
    says: "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But set {fields:line}",
    means: "a request input specifies its data more than once: {fields}",
    help: "keep one of them",
  },
  {
    says: "Unable to parse 'data': Shape does not match true shape of 'data' field",
    means: "an input's number of values does not match its `shape`",
    why: unreadable,
    help: "make `shape` and `data` match; only the number of values is compared, not how they are nested",
  },
  {
    says: "Unable to parse '{field}': attempt to access non-existing object member '{member}'",
    means: "the request lacks a required `{member}`",
    why: unreadable,
    help: 'send `{ "inputs": [{ "name", "shape", "datatype", "data" }] }`',
  },
  {
    says: "Unable to parse '{field}': attempt to access JSON non-{wanted} as {kind}",
    means: "`{field}` of the request is not of type {kind}",
    why: unreadable,
    help: "check the values: integers have no fraction or exponent, a dim is 0 or more, booleans are true and false, text is in quotes",
  },
  {
    says: "Unable to set '{field}': attempt to access JSON non-{wanted} as {kind}",
    means: "`{field}` of a requested output is not of type {kind}",
    why: unreadable,
    help: "`classification` must be a whole number, 0 or greater; `binary_data` must be true or false",
  },
  {
    says: "Unable to parse JSON bytes array: attempt to access JSON non-string as string",
    means: "a BYTES input has values that are not text",
    why: unreadable,
    help: "send strings",
  },
  {
    says: "failed to parse the request JSON buffer: {what} at {offset:n}",
    means: "the request is not JSON: {what} (byte {offset})",
    why: unreadable,
    help: "check the JSON, and the header `Inference-Header-Content-Length` when binary data follows it",
  },
  {
    says: "failed to get request params",
    means: "`parameters` of the request is not an object",
    help: 'send an object, such as `{ "priority": 1 }`',
  },
  {
    says: "parameter '{parameter}' has invalid type. It should be either 'int', 'bool', or 'string'",
    means: "parameter `{parameter}` of the request is null, a list or an object",
    help: "send a number, a boolean or a string",
  },
  {
    says: "parameter keys starting with 'triton_' are reserved for Triton usage",
    means: "a parameter of the request begins with `triton_`",
    help: "rename it",
  },
  {
    says: 'Parameter "{parameter}" is a reserved parameter and cannot be specified',
    means: "`{parameter}` cannot be a custom parameter: the client sets it",
    help: "use the call's own argument (`sequence_id`, `priority`, `timeout`), or rename the parameter",
  },
  {
    says: "expected {wanted:n} string elements for inference input '{tensor}' for model '{model}', got {count:n}",
    means: "input `{tensor}` of `{model}` has {count} strings; its shape needs {wanted}",
    help: stringData,
    atLoad: { codes: ["warmup/string-file"], fixIn: "model" },
  },
  {
    says: "unexpected number of string elements {count:n} for inference input '{tensor}' for model '{model}', expecting {wanted:n}",
    means: "input `{tensor}` of `{model}` has more strings than the {wanted} that its shape allows",
    help: stringData,
    atLoad: { codes: ["warmup/string-file"], fixIn: "model" },
  },
  {
    says: "incomplete string length indicator for inference input '{tensor}' for model '{model}', expecting 4 bytes but only {count:n} bytes available",
    means: "the string data for input `{tensor}` ends in the middle of a length",
    help: stringData,
    atLoad: { codes: ["warmup/string-file", "warmup/string-cut-off"], fixIn: "model" },
  },
  {
    says: "incomplete string data for inference input '{tensor}', expecting string of length {length:n} but only {count:n} bytes available",
    means: "a string of input `{tensor}` has a length of {length} bytes, but only {count} are left",
    help: stringData,
    atLoad: { codes: ["warmup/string-cut-off", "warmup/string-file"], fixIn: "model" },
  },
  {
    says: "Raw request must only have 1 input (found {found:n}) to be deduced but got {count:n} inputs in '{model}' model configuration",
    means: "the body was read as raw bytes of one input, but `{model}` has {count}",
    why: "A body without JSON (empty, `Inference-Header-Content-Length: 0`, or one that cannot be decompressed) is one tensor's raw bytes.",
    help: "send JSON; check the header and `Content-Encoding`",
  },
  {
    says: "The shape of the raw input '{tensor}' can not be deduced because there are more than one variable-sized dimension",
    means: "raw bytes for `{tensor}` could have several shapes",
    help: "send JSON with a shape",
  },
  {
    says: '{"error":"attempt to access JSON non-boolean as boolean',
    means: "`ready` in a request for the repository's index is neither true nor false",
    help: 'send `{"ready": true}`, or nothing for every model',
  },
  ...["classification", "binary_data"].map(
    (other): ServerMessage => ({
      says: `Output can't set both 'shared_memory_region' and '${other}'`,
      fixIn: "client",
      means: `an output is in shared memory but also has \`${other}\``,
      help: `remove \`${other}\` or the region`,
    }),
  ),
  {
    says: "nothing to be decompressed",
    means: "`Content-Encoding` says that the body is compressed, but there is no body",
    help: "send a body, or remove the header",
  },
  {
    says: "Unsupported compression type",
    means: "the request is compressed in a way that Triton does not support",
    help: "use gzip or deflate as `Content-Encoding`, or send the body uncompressed",
  },
  {
    says: "exceeds the maximum allowed input size of {limit:n} bytes",
    fixIn: "server",
    means: "the request is larger than {limit} bytes",
    help: "raise the limit with `--http-max-input-size`, or send the tensor over gRPC",
  },
  {
    says: "unable to find data for input tensor '{tensor}' for model '{model}' in request",
    means: "input `{tensor}` of `{model}` has no data",
    help: "call `set_data_from_numpy` on it, or fill `raw_input_contents`",
  },
  {
    says: "contents field must not be specified when using raw_input_contents for '{tensor}' for model '{model}'",
    means: "input `{tensor}` of `{model}` has its data twice: typed and raw",
    help: "use `raw_input_contents` for all inputs or for none",
  },
  {
    says: "unexpected explicit tensor data for input tensor '{tensor}' for model '{model}' of type '{got}', expected datatype '{wanted}'",
    means: "the typed contents of input `{tensor}` are {got}, but its datatype is {wanted}",
    help: "fill the field of that type, or send raw bytes",
  },
  {
    says: "unexpected explicit tensor data for input tensor '{tensor}' for model '{model}', binary data was already supplied.",
    means: "the contents of input `{tensor}` of `{model}` have two fields with data",
    help: "fill only the field of its datatype",
  },
];
