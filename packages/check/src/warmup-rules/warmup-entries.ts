/** Every kind of warmup sample problem, with its message. */
export const warmupEntries = {
  "open-dims": {
    code: "warmup/open-dims",
    triton: ["136"],
    reason: "Triton creates one tensor for a warmup input, so all of its sizes must be given.",
    words: "warmup setting expects all variable-size dimensions are specified for input '{tensor}'",
    message: "input `{tensor}` of warmup sample `{sample}` of `{model}` has the dims [{dims}]",
    help: "write the size that you want to use for the warmup",
  },
  "no-data": {
    code: "warmup/no-data",
    triton: ["139"],
    reason: "Triton needs data for a warmup input.",
    words: "warmup setting expects input '{tensor}' to have input_data_type set",
    message: "input `{tensor}` of warmup sample `{sample}` of `{model}` has no data",
    help: "set `input_data_file`, `zero_data` or `random_data`",
  },
  "missing-file": {
    code: "warmup/missing-file",
    triton: ["140"],
    reason: "Triton looks for warmup files in the `warmup` folder of the model.",
    message: "input `{tensor}` of warmup sample `{sample}` of `{model}` needs `{file}`, which {found}",
    help: "put the file into the folder of `{model}` as `{file}`, or correct `input_data_file`",
  },
  "short-file": {
    code: "warmup/short-file",
    triton: ["141"],
    reason: "A warmup file contains the raw bytes of one request's tensor, without a batch axis.",
    message: "`{file}` of `{model}` has {found} bytes; {tensor} needs {wanted}",
    help: "write the tensor's raw little-endian bytes, without the batch axis",
  },
  "string-file": {
    code: "warmup/string-file",
    triton: ["142"],
    reason:
      "In a file of strings, each string is preceded by its length in bytes as a 4-byte little-endian number.",
    message: "`{file}` of `{model}` should have {wanted} strings for `{tensor}`, but {why}",
    help: "write the strings one after another, each preceded by its length in bytes (not characters) as a 4-byte number",
  },
  "missing-inputs": {
    code: "warmup/missing-inputs",
    triton: ["137", "138"],
    reason: "A warmup sample is a request: it must contain every input that is not optional.",
    message: "warmup sample `{sample}` of `{model}` lacks {missing}",
  },
  dtype: {
    code: "warmup/dtype",
    triton: ["137"],
    reason: "Triton checks a warmup sample like any request.",
    message: "input `{tensor}` of warmup sample `{sample}` is {found}, but `{model}` takes {wanted}",
  },
  shape: {
    code: "warmup/shape",
    triton: ["135", "137"],
    reason: "Triton checks a warmup sample like any request, and adds the batch axis itself.",
    message: "input `{tensor}` of warmup sample `{sample}` is {found}, but `{model}` takes {wanted}",
  },
  "batch-size": {
    code: "warmup/batch-size",
    triton: ["134"],
    reason:
      "The backend receives `batch_size` requests together, and refuses more than max_batch_size; the ONNX Runtime backend crashes the server.",
    message: "warmup sample `{sample}` has batch_size {size}, but `{model}` accepts at most {limit}",
    help: "write `batch_size: {limit}`, or raise `max_batch_size` of `{model}`",
  },
  "correlation-id": {
    code: "warmup/string-correlation-id",
    triton: ["100"],
    since: "25.01",
    reason:
      "A warmup request has the number 0 as its sequence ID; as of 25.01, that ID must have the control's type.",
    message: "`{model}` has a warmup, but its sequence control `{control}` needs strings",
    help: "remove the warmup, or make `{control}` TYPE_UINT64",
  },
  skipped: {
    code: "warmup/skipped",
    triton: ["133"],
    judged: "ours",
    reason: "A sample with batch_size 0 (the default) is silently skipped, so the first request is slow.",
    message: "warmup sample `{sample}` of `{model}` never runs: its batch_size is {size}",
    help: "write `batch_size: 1`",
  },
  "long-file": {
    code: "warmup/long-file",
    triton: ["141"],
    judged: "ours",
    reason:
      "Triton only uses the first bytes of a file that is too long. The dims or the datatype do not match the file.",
    message: "`{file}` of `{model}` has more than the {wanted} bytes of {tensor}; the rest is ignored",
    help: "check dims and data_type; `batch_size` repeats a single tensor, so the file need not be longer",
  },
  "random-ids": {
    code: "warmup/random-ids",
    reason:
      "Random bytes produce ids far outside any vocabulary, and an embedding fails on them or reads beyond its table.",
    message:
      "warmup sample `{sample}` of `{model}` fills `{tensor}` with random {dtype} values, which are not ids",
    help: "use `input_data_file` with ids of a real text, or `zero_data: true`",
  },
  "empty-strings": {
    code: "warmup/empty-strings",
    triton: ["143"],
    judged: "ours",
    reason:
      "For strings, both `zero_data` and `random_data` mean empty strings, which give a tokenizer nothing to do.",
    message: "warmup sample `{sample}` of `{model}` fills `{tensor}` with empty strings ({field})",
    help: "use `input_data_file` with real texts",
  },
  "unknown-input": {
    code: "warmup/unknown-input",
    triton: ["138"],
    judged: "ours",
    reason:
      "An unknown input name is passed to the backend unchanged; the ONNX Runtime backend then crashes the server.",
    message: "warmup sample `{sample}` contains `{tensor}`, which is not an input of `{model}`",
  },
} as const;
