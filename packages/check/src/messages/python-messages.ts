import { lateMembers } from "../python/backend-utils.ts";
import { packageOfModule } from "../python/package-of-module.ts";
import type { ServerMessage } from "./server-message.ts";
import { ofRule } from "./rule-words.ts";

/** Messages from the python backend: reasons why a model.py does not load, and its error responses. */
export const pythonMessages: readonly ServerMessage[] = [
  {
    says: "Python model file not found in '{path}'",
    codes: ["model-file/missing-python", "version/not-a-number"],
    fixIn: "model-file",
    means: "`{path}` does not exist",
    why: "The model then waits for the stub's timeout before it fails.",
    help: "put model.py there, or name the existing file in `default_model_filename`",
  },
  {
    says: "has no attribute 'TritonPythonModel'",
    codes: ["python/no-model-class"],
    means: "the model's file defines no class `TritonPythonModel`",
  },
  {
    says: [
      "SyntaxError: {what} ({file}, line {line:n})",
      "IndentationError: {what} ({file}, line {line:n})",
      "TabError: {what} ({file}, line {line:n})",
    ],
    codes: ["python/syntax-error"],
    means: "line {line} of `{file}` is not valid Python: {what}",
  },
  {
    says: "ModuleNotFoundError: No module named '{module}'",
    codes: ({ module = "" }) => (isOwnFile(module) ? ["backend/python-file-name"] : []),
    fixIn: "machine",
    means: ({ module = "" }) =>
      isOwnFile(module)
        ? `Python cannot import the model's own file as \`${module}\``
        : `the server's Python has no module \`${module}\``,
    why: ({ module = "" }) =>
      isOwnFile(module)
        ? "Triton imports the file as a module, with the name of the folder that it is in."
        : "model.py runs in the Python of Triton's container, or in the environment of EXECUTION_ENV_PATH, not in yours.",
    help: ({ module = "" }) =>
      isOwnFile(module)
        ? "put model.py into the version's folder; in `default_model_filename`, use no `.` in folders or before `.py`"
        : `install \`${packageOfModule(module)}\` in the image that runs Triton, or point EXECUTION_ENV_PATH at a packed environment that has it; for a model that Tritype built, add it to the step's \`requirements\``,
  },
  {
    says: "ImportError: {what:line}",
    fixIn: "machine",
    means: "an import of model.py failed: {what}",
    help: "check that the package's version works with Triton's Python",
  },
  {
    says: [
      "AttributeError: module 'triton_python_backend_utils' has no attribute '{member}'",
      "ImportError: cannot import name '{member}' from 'triton_python_backend_utils'",
    ],
    codes: ({ member = "" }) => (lateMembers.has(member) ? ["python/too-early"] : []),
    means: ({ member = "" }) =>
      lateMembers.has(member)
        ? `model.py uses \`${member}\` before Triton adds it to triton_python_backend_utils`
        : `model.py uses \`${member}\`, which triton_python_backend_utils does not have`,
    help: ({ member = "" }) =>
      lateMembers.has(member)
        ? "use it inside a method; for annotations, begin the file with `from __future__ import annotations`"
        : "check its spelling",
  },
  {
    says: "FileNotFoundError: [Errno 2] No such file or directory: '{path}'",
    codes: ["python/machine-path", "config/machine-path"],
    means: "model.py opens `{path}`, which the server does not have",
    why: "The server's working directory is not the model's folder.",
    help: 'put the file into the model\'s folder and build its path from `args["model_repository"]` and `args["model_version"]`',
  },
  {
    says: [
      "UnicodeDecodeError: 'ascii' codec can't decode {what:line}",
      "UnicodeEncodeError: 'ascii' codec can't encode {what:line}",
    ],
    means: "model.py reads or prints text that is not ASCII, without naming an encoding",
    why: "Triton's Python never reads the server's locale: `open` and `print` use ASCII, whatever LANG, LC_ALL or PYTHONIOENCODING say.",
    help: 'write `open(path, encoding="utf-8")`; instead of `print`, use `pb_utils.Logger.log_info`',
  },
  {
    says: "KeyError: '{key}'",
    codes: ["python/missing-parameter"],
    means: "model.py reads `{key}` from a dictionary that does not have it",
    why: "If this happens while a model loads, it is usually a parameter.",
    help: "add `{key}` to the configuration's `parameters`, or read it with `.get`",
  },
  {
    says: "KeyError: 'TYPE_BF16'",
    means: "model.py uses bfloat16, which numpy does not have",
    help: "declare FP16 or FP32, or use DLPack and PyTorch for BF16",
  },
  {
    says: "TypeError: int() argument must be a string, a bytes-like object or a real number, not 'dict'",
    codes: ["python/parameter-at-load", "python/parameter-object"],
    means: "model.py treats a parameter as a number, but it is an object",
    help: 'read `["string_value"]` of the parameter first',
  },
  {
    says: "AttributeError: 'TritonPythonModel' object has no attribute '{attribute}'",
    codes: ["python/unset-attribute"],
    means: "model.py uses `self.{attribute}`, which was never set",
    help: "set `self.{attribute}` in `initialize`",
  },
  {
    says: "AttributeError: 'NoneType' object has no attribute '{attribute}'",
    means: "Python code uses `.{attribute}` of None",
    why: "`get_input_tensor_by_name` of model.py and `as_numpy` of a client's response return None for an unknown name, because of a misspelling, an optional input, or an output that the model did not return.",
    help: "compare the name with config.pbtxt, and test for None where it may be missing",
  },
  {
    says: "object has no attribute 'decode'",
    codes: ["python/wrong-rank"],
    means: "model.py decodes something other than text: an array or a number",
    why: "Arrays have one more dim than `dims` when max_batch_size is set.",
    help: "iterate over all dims, as in `[text.decode() for text in array.reshape(-1)]`",
  },
  {
    says: "NameError: name '{name}' is not defined",
    codes: ["python/undefined-name"],
    means: "model.py uses `{name}`, but does not define it",
    help: "define or import `{name}`",
  },
  {
    says: "Python model '{model:instance}' is using the decoupled mode and the execute function must return None",
    codes: ["python/decoupled-returns"],
    means: "`{model}` is decoupled, and its `execute` returns a list",
    help: "send responses with `request.get_response_sender()` and return None, or remove `decoupled` from the configuration",
  },
  {
    says: "Expected a list in the execute return, found type '<class '{type}'>'",
    means: "`execute` returned an object of class `{type}`, not a list",
    help: "return a list with one InferenceResponse for every request",
  },
  {
    says: "Number of InferenceResponse objects do not match the number of InferenceRequest objects. InferenceRequest(s) size is:{requests:n}, and InferenceResponse(s) size is:{responses:n}",
    codes: ["python/one-response"],
    means: "`execute` got {requests} requests and returned {responses} responses",
    why: "This works as long as requests arrive one at a time; when Triton passes several together, all of them fail.",
    help: "create one InferenceResponse for every request, in order, and return them as a list",
  },
  {
    says: "Expected an 'InferenceResponse' object in the execute function return list, found type '<class '{type}'>'",
    means: "the list that `execute` returned contains an object of class `{type}`",
    help: "return only InferenceResponse objects",
  },
  {
    says: "does not implement `execute` method",
    codes: ["python/no-execute"],
    means: "the class `TritonPythonModel` has no method `execute`",
  },
  {
    says: "__init__(): incompatible constructor arguments",
    means: "model.py creates a pb_utils object with arguments that it does not accept",
    why: "`pb_utils.Tensor` takes a name and a numpy array, not lists, numbers or PyTorch tensors.",
    help: "convert first, as in `np.array(value, dtype=np.float32)` or `tensor.cpu().numpy()`",
  },
  {
    says: "Tensor name cannot be an empty string",
    means: "model.py creates a tensor without a name",
    help: "name the output as config.pbtxt does",
  },
  {
    says: "Failed for execute the inference request. Model '{model}' is not ready",
    means: "model.py calls `{model}`, which is not loaded",
    why: "With explicit control, a model that Python code calls is not loaded along with the model that calls it.",
    help: "load `{model}` first; check its spelling, and look in the log for why it did not load",
  },
  {
    says: "The current BLS request call doesn't support models using the decoupled transaction policy",
    means: "model.py calls a decoupled model as if it sent a single response",
    help: "call `exec(decoupled=True)` and iterate over the responses",
  },
  {
    says: "BLS is only supported during the 'execute' function",
    means: "model.py calls another model in `initialize` or `finalize`",
    help: "call it in `execute`",
  },
  {
    says: "Unable to send response. Response sender has been closed",
    means: "a response was sent after the last one",
    help: "send the flag TRITONSERVER_RESPONSE_COMPLETE_FINAL only with the last response",
  },
  {
    says: "Stub process '{model:instance}' is not healthy",
    means: "the Python process of `{model}` has died",
    why: "It crashed in native code (numpy 2 with Triton 24.10 and older, CUDA, a tokenizer), was killed because memory ran out, or exited by itself. Triton only restarts it for later requests.",
    help: "see the previous lines in the log, and check the kernel's log for `Out of memory`; run the model's code alone in the same image",
  },
  {
    says: "Timed out occurred while waiting for the stub process",
    means: "`initialize` of the Python model took longer than the stub's timeout",
    help: "raise the timeout with `--backend-config=python,stub-timeout-seconds=120`, and check that model.py exists",
  },
  {
    ...ofRule("python/force-cpu-value"),
    fixIn: "model",
    means: (names) =>
      `FORCE_CPU_ONLY_INPUT_TENSORS is \`${names["value"]?.replace(/'?;?\s*$/, "")}\`; it must be \`yes\` or \`no\``,
    help: "write `yes` or `no`",
  },
  {
    says: "Failed to get the canonical path for {path}",
    codes: ["python/environment"],
    fixIn: "machine",
    means: "the environment of EXECUTION_ENV_PATH does not exist: `{path}`",
  },
  {
    says: "Path {path} does not exist. The Python environment should contain an 'activate' script",
    codes: ["python/environment"],
    fixIn: "machine",
    means: "the environment of EXECUTION_ENV_PATH has no `bin/activate`: `{path}`",
  },
  {
    says: "Failed to initialize stub, stub process exited unexpectedly: {model:instance}",
    means: "the Python process of `{model}` exited while it was starting",
    why: "The environment is for a different Python version, the stub lacks a library, or an import crashed.",
    help: "use an environment with the Python version that Triton's stub was built for",
  },
  {
    ...ofRule("config/shell-characters"),
    fixIn: "model",
    means: "the model's name contains characters with a special meaning in the shell",
  },
  {
    says: "auto_complete_config function in model '{model}' must return a valid pb.ModelConfig object",
    means: "`auto_complete_config` of `{model}` does not return its argument",
    help: "end it with `return auto_complete_model_config`",
  },
  {
    says: [
      "CUDA out of memory",
      "CUDA error: out of memory",
      "CUDA failure 2: out of memory",
      "cudaMalloc failed: out of memory",
    ],
    fixIn: "machine",
    means: "the GPU's memory is full",
    why: "All models and their instances share it, and each batch needs additional memory.",
    help: "lower the number of instances or max_batch_size, move a model to another GPU, or use a smaller dtype",
  },
  {
    says: "MemoryError: {what:line}",
    fixIn: "machine",
    means: "Python ran out of memory: {what}",
    help: "reduce the batch size or the input lengths, or add memory to the machine",
  },
  {
    says: "No space left on device",
    fixIn: "machine",
    means: "a disk, or /dev/shm, is full",
    why: "The python backend passes tensors through shared memory; a container has 64 MB of it by default.",
    help: "start the container with `--shm-size=1g` or more",
  },
  {
    says: "Failed to increase the shared memory pool size for key '{key}'",
    fixIn: "machine",
    means: "the python backend ran out of shared memory for a tensor",
    why: "A container has 64 MB of /dev/shm by default.",
    help: "start the container with `--shm-size=1g` or more",
  },
  {
    says: "Unable to initialize shared memory key '{key}'",
    fixIn: "machine",
    means: "the python backend could not get shared memory at startup",
    why: "A container has 64 MB of /dev/shm by default.",
    help: "start the container with `--shm-size=1g` or more",
  },
  {
    says: "mismatch in its core dimension",
    means: "numpy cannot multiply two arrays with these shapes",
    help: "print the shapes; the batch is the arrays' first dim when max_batch_size is set",
  },
  {
    says: "could not be broadcast together with shapes {shapes:line}",
    means: "numpy cannot combine arrays with the shapes {shapes}",
    help: "print the shapes; the batch is the arrays' first dim when max_batch_size is set",
  },
  {
    says: "At: {file}({line:n}): {function}",
    means: "line {line} of `{file}` raised an exception, in `{function}`",
    why: "An exception in `initialize` keeps the model from loading; one in `execute` fails all requests in that call.",
    help: "read the message before `At:`; the lines after it are the call stack, innermost first",
  },
];

/** Whether a module is the model's file, `<version>.<name>`, or a folder such as `..`. */
const isOwnFile = (module: string): boolean => /^[.\d]/.test(module);
