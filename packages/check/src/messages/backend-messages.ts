import type { ServerMessage } from "./server-message.ts";
import { wordsOf } from "./words-of.ts";

const instance = (names: Readonly<Record<string, string>>): string =>
  `instance group \`${names["group"]}\` of \`${names["model"]}\``;

/** Backends, platforms, runtimes, instance groups. */
export const backendMessages: readonly ServerMessage[] = [
  {
    says: wordsOf("backend/unknown-platform"),
    codes: ["backend/unknown-platform", "backend/none"],
    mend: "model",
    means: "`{model}` has no backend, and platform `{platform}` names none",
  },
  {
    says: wordsOf("backend/of-ensemble"),
    codes: ["backend/of-ensemble"],
    mend: "ensemble",
    means: "`{model}` is an ensemble and has a backend",
    help: "leave `backend` out, and remove files such as model.onnx or model.py from its version folder: Triton takes the backend from them",
  },
  {
    says: wordsOf("backend/none", "unnamed"),
    codes: ["backend/none"],
    mend: "model",
    means: "nothing says which backend runs `{model}`",
    help: 'write `backend: "…"`; an ensemble needs `platform: "ensemble"`',
  },
  {
    says: wordsOf("backend/platform-mismatch"),
    codes: ["backend/platform-mismatch"],
    mend: "model",
    means: "platform and backend do not go together: {platform}, {backend}",
  },
  {
    says: wordsOf("backend/misnamed"),
    codes: ["backend/misnamed", "backend/not-installed", "backend/misspelt"],
    mend: "machine",
    means: "the server has no backend `{backend}`",
    help: "look for a misspelling (`onnx` for `onnxruntime`, a capital), install the backend, or start the container that has it",
  },
  {
    says: "unable to find backend library '{runtime}' for model '{model}'",
    codes: ["backend/runtime-not-found", "backend/runtime-escapes"],
    mend: "model",
    means: "`{model}` asks for the runtime `{runtime}`, which is not there",
    help: "leave `runtime` out: Triton then takes the backend's own library",
  },
  {
    says: wordsOf("backend/python-runtime"),
    codes: ["backend/python-runtime", "backend/runtime-not-found"],
    mend: "model",
    means: "`{model}` asks for the runtime `{runtime}`, and its backend is not written in Python",
  },
  {
    says: "backend library name '{runtime}' escapes backend directory '{folder}', for model '{model}'",
    codes: ["backend/runtime-escapes", "backend/runtime-not-found"],
    mend: "model",
    means: "runtime `{runtime}` of `{model}` leads out of the backend's folder",
  },
  {
    says: wordsOf("backend/python-file-name"),
    codes: ["backend/python-file-name"],
    mend: "model",
    means: "the python backend cannot run `{file}`: its name does not end in .py",
  },
  {
    says: "'optional' is set to true for input '{tensor}' while the backend model doesn't support optional input",
    codes: ["backend/optional-input"],
    mend: "model",
    means: "input `{tensor}` is optional, which its backend does not support",
  },
  {
    says: wordsOf("instance/no-gpu"),
    codes: ["instance/no-gpu"],
    mend: "model",
    means: (names) => `${instance(names)} wants a GPU, and the server sees none`,
    help: "write `kind: KIND_AUTO` or KIND_CPU; on a machine that has one, give the container its GPUs (`docker run --gpus all`)",
  },
  {
    says: wordsOf("instance/unknown-gpu"),
    codes: ["instance/unknown-gpu"],
    mend: "model",
    means: (names) => `${instance(names)} wants GPU ${names["gpu"]}, which the server does not have`,
  },
  {
    says: wordsOf("instance/gpus-without-gpu"),
    codes: ["instance/gpus-without-gpu"],
    mend: "model",
    means: (names) => `${instance(names)} is ${names["kind"]} and names GPUs`,
  },
  {
    says: "instance group {group} of model {model} has unexpected kind {kind}",
    codes: ["instance/unknown-kind"],
    mend: "model",
    means: (names) => `the kind of ${instance(names)} is none`,
  },
  {
    says: "specifies profile field which is only supported for TensorRT models",
    codes: ["instance/profile"],
    mend: "model",
    means: "an instance group has a `profile`, and its model is none of TensorRT's",
  },
  {
    says: "instance group {group} of model {model} and platform {platform} specifies invalid profile {profile}",
    codes: ["instance/profile-index"],
    mend: "model",
    means: (names) =>
      `profile \`${names["profile"]?.replace(/\.$/, "")}\` of ${instance(names)} is no number of a profile`,
  },
  {
    says: wordsOf("instance/profile-index", "number"),
    codes: ["instance/profile-index"],
    mend: "model",
    means: "`{profile}` is no number where one is due, such as the `profile` of an instance group",
  },
  {
    says: 'Resource "{resource}" is present as both global and device-specific resource',
    codes: ["instance/global-and-device-resource"],
    mend: "model",
    means: "resource `{resource}` is global in one model and per device in another",
    help: "give `global` the same value everywhere",
  },
  {
    says: 'Resource count for "{resource}" is limited to {limit:n} which will prevent scheduling of one or more model instances, the minimum required count is {wanted:n}',
    mend: "server",
    means: "an instance needs {wanted} of resource `{resource}`, and the server has {limit}",
    why: "With `--rate-limit-resource` each resource must be enough for the largest instance.",
    help: "raise the resource to {wanted}, or lower what the instance takes",
  },
  {
    says: "GPU instances not supported",
    mend: "server",
    means: "the python backend of this server was built without GPUs",
    help: "write `kind: KIND_CPU`, or use NVIDIA's container",
  },
  {
    says: wordsOf("sequence/response-cache"),
    codes: ["sequence/response-cache"],
    mend: "model",
    means: "`{model}` caches responses, but has `sequence_batching`",
  },
  {
    says: wordsOf("cache/decoupled"),
    codes: ["cache/decoupled", "ensemble/decoupled-cache"],
    mend: "model",
    means: "`{model}` caches responses, but is decoupled, itself or through a step",
    help: "leave `response_cache` out",
  },
  {
    says: "autofill failed for model '{model}': configuration specified max-batch {size:n} but TensorRT engine only supports max-batch {limit:n}",
    mend: "model",
    means: "`{model}` has max_batch_size {size}, and its engine takes at most {limit}",
    help: "lower max_batch_size to {limit}, or build the engine with a larger profile",
  },
  {
    says: "Cannot update scheduling choice from {from} to {to} when auto-completing",
    mend: "model-code",
    means: "the model's code sets another scheduler than its configuration has",
    help: "leave the scheduler out of config.pbtxt, or out of `auto_complete_config`",
  },
  {
    says: "Invalid value for 'execution_context_allocation_strategy': '{value}' for model instance '{model:instance}'",
    codes: ["backend/tensorrt-allocation-strategy"],
    mend: "model",
    means: "`execution_context_allocation_strategy` is `{value}`; it has to be STATIC or ON_PROFILE_CHANGE",
  },
  {
    says: "model configuration must contain at least one {side}, none were specified",
    codes: ["backend/pytorch-no-tensors"],
    mend: "model",
    means: "the configuration lists no {side}, and the PyTorch backend completes none",
  },
  {
    says: "Triton only supports 1 dimensional List of String as {side}",
    codes: ["backend/pytorch-string-shape"],
    mend: "model",
    means: "a BYTES tensor of a PyTorch model has more than one dim",
  },
  {
    says: "does not follow <name>__<index> naming convention",
    codes: ["backend/pytorch-name"],
    mend: "model",
    means: "a tensor of a PyTorch model is not named `<name>__<index>`",
    help: "call inputs `INPUT__0`, `INPUT__1`, … and outputs `OUTPUT__0`, … in the order of `forward()`",
  },
];
