import type { ServerMessage } from "./server-message.ts";
import { ofRule } from "./rule-words.ts";

const instance = (names: Readonly<Record<string, string>>): string =>
  `instance group \`${names["group"]}\` of \`${names["model"]}\``;

/** Messages about backends, platforms, runtimes and instance groups. */
export const backendMessages: readonly ServerMessage[] = [
  {
    ...ofRule(["backend/unknown-platform", "backend/none"]),
    means: "`{model}` has no backend, and platform `{platform}` implies none",
  },
  {
    ...ofRule("backend/of-ensemble"),
    fixIn: "ensemble",
    means: "`{model}` is an ensemble but has a backend",
    help: "remove `backend`, and remove files such as model.onnx or model.py from its version folder: Triton infers the backend from them",
  },
  {
    ...ofRule("backend/none", "unnamed"),
    means: "`{model}` does not say which backend runs it",
    help: 'write `backend: "…"`; an ensemble needs `platform: "ensemble"`',
  },
  {
    ...ofRule("backend/platform-mismatch"),
    means: "platform and backend do not match: {platform}, {backend}",
  },
  {
    ...ofRule(["backend/misnamed", "backend/not-installed", "backend/misspelt"]),
    fixIn: "machine",
    means: "the server has no backend `{backend}`",
    help: "check for a misspelling (`onnx` for `onnxruntime`, a capital letter), install the backend, or use a container that has it",
  },
  {
    says: "unable to find backend library '{runtime}' for model '{model}'",
    codes: ["backend/runtime-not-found", "backend/runtime-escapes"],
    means: "`{model}` uses the runtime `{runtime}`, which does not exist",
    help: "remove `runtime`: Triton then uses the backend's own library",
  },
  {
    ...ofRule(["backend/python-runtime", "backend/runtime-not-found"]),
    means: "`{model}` uses the runtime `{runtime}`, but its backend is not written in Python",
  },
  {
    says: "backend library name '{runtime}' escapes backend directory '{folder}', for model '{model}'",
    codes: ["backend/runtime-escapes", "backend/runtime-not-found"],
    means: "runtime `{runtime}` of `{model}` is outside the backend's folder",
  },
  {
    ...ofRule("backend/python-file-name", "ending"),
    means: "the python backend cannot run `{name}`: its name does not end in .py",
  },
  {
    says: "'optional' is set to true for input '{tensor}' while the backend model doesn't support optional input",
    codes: ["backend/optional-input"],
    means: "input `{tensor}` is optional, which its backend does not support",
  },
  {
    ...ofRule("instance/no-gpu"),
    means: (names) => `${instance(names)} needs a GPU, but the server sees none`,
    help: "write `kind: KIND_AUTO` or KIND_CPU; on a machine that has one, give the container its GPUs (`docker run --gpus all`)",
  },
  {
    ...ofRule("instance/unknown-gpu"),
    means: (names) => `${instance(names)} needs GPU ${names["gpu"]}, which the server does not have`,
  },
  {
    ...ofRule("instance/gpus-without-gpu"),
    means: (names) => `${instance(names)} is ${names["kind"]} but names GPUs`,
  },
  {
    says: "instance group {group} of model {model} has unexpected kind {kind}",
    codes: ["instance/unknown-kind"],
    means: (names) => `the kind of ${instance(names)} does not exist`,
  },
  {
    says: "specifies profile field which is only supported for TensorRT models",
    codes: ["instance/profile"],
    means: "an instance group has a `profile`, but its model is not for TensorRT",
  },
  {
    says: "instance group {group} of model {model} and platform {platform} specifies invalid profile {profile}",
    codes: ["instance/profile-index"],
    means: (names) =>
      `profile \`${names["profile"]?.replace(/\.$/, "")}\` of ${instance(names)} is not a profile number`,
  },
  {
    ...ofRule("instance/profile-index", "number"),
    means: "`{profile}` is not a number where one is required, such as the `profile` of an instance group",
  },
  {
    says: 'Resource "{resource}" is present as both global and device-specific resource',
    codes: ["instance/global-and-device-resource"],
    means: "resource `{resource}` is global in one model and per device in another",
    help: "give `global` the same value everywhere",
  },
  {
    says: 'Resource count for "{resource}" is limited to {limit:n} which will prevent scheduling of one or more model instances, the minimum required count is {wanted:n}',
    fixIn: "server",
    means: "an instance needs {wanted} of resource `{resource}`, but the server has {limit}",
    why: "With `--rate-limit-resource`, each resource must be sufficient for the largest instance.",
    help: "raise the resource to {wanted}, or lower the instance's demand",
  },
  {
    says: "GPU instances not supported",
    fixIn: "server",
    means: "the python backend of this server was built without GPUs",
    help: "write `kind: KIND_CPU`, or use NVIDIA's container",
  },
  {
    ...ofRule("sequence/response-cache"),
    means: "`{model}` has both `response_cache` and `sequence_batching`",
  },
  {
    ...ofRule(["cache/decoupled", "ensemble/decoupled-cache"]),
    means: "`{model}` caches responses, but is decoupled, itself or through a step",
    help: "remove `response_cache`",
  },
  {
    says: "autofill failed for model '{model}': configuration specified max-batch {size:n} but TensorRT engine only supports max-batch {limit:n}",
    means: "`{model}` has max_batch_size {size}, but its engine accepts at most {limit}",
    help: "lower max_batch_size to {limit}, or build the engine with a larger profile",
  },
  {
    says: "Cannot update scheduling choice from {from} to {to} when auto-completing",
    fixIn: "model-code",
    means: "the model's code sets a different scheduler than its configuration",
    help: "remove the scheduler from config.pbtxt or from `auto_complete_config`",
  },
  {
    says: "Invalid value for 'execution_context_allocation_strategy': '{value}' for model instance '{model:instance}'",
    codes: ["backend/tensorrt-allocation-strategy"],
    means: "`execution_context_allocation_strategy` is `{value}`; it must be STATIC or ON_PROFILE_CHANGE",
  },
  {
    says: "model configuration must contain at least one {side}, none were specified",
    codes: ["backend/pytorch-no-tensors"],
    means: "the configuration lists no {side}, and the PyTorch backend does not complete them",
  },
  {
    says: "Triton only supports 1 dimensional List of String as {side}",
    codes: ["backend/pytorch-string-shape"],
    means: "a BYTES tensor of a PyTorch model has more than one dim",
  },
  {
    says: "does not follow <name>__<index> naming convention",
    codes: ["backend/pytorch-name"],
    means: "a tensor of a PyTorch model is not named `<name>__<index>`",
    help: "name inputs `INPUT__0`, `INPUT__1`, … and outputs `OUTPUT__0`, … in the order of `forward()`",
  },
];
