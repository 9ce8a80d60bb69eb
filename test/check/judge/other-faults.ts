import type { ModelInstanceGroup } from "@tritype/triton";
import { addFiles, all, append, changeModel, clear, type Edit, each, set } from "./draft.ts";
import type { Fault } from "./fault.ts";
import { legalPython, legalSingle } from "./legal-single.ts";

const group = (fields: ModelInstanceGroup): Edit => set({ instance_group: [fields] });
const python = (source: string): Edit =>
  changeModel((model) => ({ ...model, files: { "1/model.py": source } }));
const parameter = (key: string, string_value: string): Edit =>
  set({ parameters: { [key]: { string_value } } });

/** Rules 146 to 172: instances, cache, metrics, agents, parameters of the python backend. */
export const otherFaults: readonly Fault[] = [
  {
    rule: "146",
    about: "GPU instances without a GPU",
    on: legalSingle.map(clear("instance_group")),
    says: /has kind KIND_GPU but no GPUs are available|invalid or unsupported gpu id|unexpected kind|kind/,
    refused: each(
      group({ kind: "KIND_GPU" }),
      group({ kind: "KIND_GPU", gpus: [0] }),
      group({ kind: "KIND_GPU", gpus: [-1, 7] }),
      append("instance_group { kind: 9 }"),
    ),
    accepted: each(group({ kind: "KIND_AUTO" }), group({ kind: "KIND_CPU" })),
  },
  {
    rule: "147",
    about: "GPUs of instances on the CPU",
    on: legalSingle,
    says: /has kind KIND_(CPU|MODEL) but specifies one or more GPUs/,
    refused: each(group({ kind: "KIND_CPU", gpus: [0] }), group({ kind: "KIND_MODEL", gpus: [0, 1] })),
    accepted: each(group({ kind: "KIND_CPU", gpus: [] }), group({ kind: "KIND_MODEL" })),
  },
  {
    rule: "148",
    about: "GPUs that choose the kind",
    on: legalSingle,
    says: /has kind KIND_CPU but specifies one or more GPUs/,
    refused: each(group({ gpus: [0] }), group({ kind: "KIND_AUTO", gpus: [-1] })),
    accepted: each(group({}), group({ kind: "KIND_AUTO" })),
  },
  {
    rule: "150",
    about: "counts below one",
    on: legalSingle,
    accepted: each(group({ count: 0 }), group({ count: -3 }), group({ kind: "KIND_CPU", count: 2 })),
  },
  {
    rule: "151",
    about: "profiles elsewhere than in TensorRT",
    on: legalSingle,
    says: /profile|unable to parse/,
    refused: each(
      group2({ backend: "openvino", platform: "" }, { kind: "KIND_CPU", profile: ["0"] }),
      group2({ backend: "pytorch", platform: "pytorch_libtorch" }, { kind: "KIND_MODEL", profile: ["1"] }),
      group2({ backend: "openvino", platform: "" }, { profile: ["a"] }),
      group2({ backend: "tensorrt", platform: "tensorrt_plan" }, { profile: ["a"] }),
      group2({ backend: "tensorrt", platform: "tensorrt_plan" }, { profile: ["0", "-1"] }),
    ),
    accepted: each(
      group2({ backend: "tensorrt", platform: "tensorrt_plan" }, { kind: "KIND_CPU", profile: ["0", "1x"] }),
      group({ kind: "KIND_CPU" }),
    ),
  },
  {
    rule: "152",
    about: "the rate limiter is off",
    on: legalSingle,
    accepted: each(
      group({
        kind: "KIND_CPU",
        rate_limiter: {
          priority: 2,
          resources: [
            { name: "R", count: 9 },
            { name: "R", global: true, count: 1 },
          ],
        },
      }),
      group({ kind: "KIND_CPU", rate_limiter: { resources: [{}] } }),
    ),
  },
  {
    rule: "155",
    about: "policies and names of groups",
    on: legalSingle,
    accepted: each(
      set({
        instance_group: [
          { name: "g", kind: "KIND_CPU" },
          { name: "g", kind: "KIND_CPU" },
        ],
      }),
      group({ kind: "KIND_CPU", passive: true }),
      group({ kind: "KIND_CPU", host_policy: "nobody" }),
    ),
  },
  {
    rule: "156",
    about: "a cache of a decoupled model",
    on: legalSingle.map(clear("sequence_batching")),
    says: /Response Cache does not currently support model .* with 'decoupled'/,
    refused: each(set({ response_cache: { enable: true }, model_transaction_policy: { decoupled: true } })),
    accepted: each(
      set({ response_cache: { enable: false }, model_transaction_policy: { decoupled: true } }),
      set({ response_cache: { enable: true }, model_transaction_policy: { decoupled: false } }),
    ),
  },
  {
    rule: "157",
    about: "a cache that the server does not have",
    on: legalSingle,
    accepted: each(set({ response_cache: { enable: true } })),
  },
  {
    rule: "158",
    about: "model metrics, which came later",
    on: legalSingle,
    says: /failed to read text proto/,
    refused: each(append("model_metrics { }"), append("model_metrics { metric_control [ ] }")),
  },
  {
    rule: "159",
    about: "agents",
    on: legalSingle,
    says: /repo agent|repository agent|libtritonrepoagent/,
    refused: each("foo", "checksum_2").map((name) =>
      set({ model_repository_agents: { agents: [{ name }] } }),
    ),
    accepted: each(clear("model_repository_agents")),
  },
  {
    rule: "160",
    about: "accelerators",
    on: legalSingle,
    accepted: each(
      set({
        optimization: {
          execution_accelerators: { gpu_execution_accelerator: [{ name: "nope", parameters: { a: "b" } }] },
        },
      }),
      set({ optimization: { cuda: { graphs: true, graph_spec: [{ batch_size: -1 }] } } }),
      set({ optimization: { eager_batching: true, gather_kernel_buffer_threshold: 1 } }),
    ),
  },
  {
    rule: "159",
    about: "no agents, which kills the server",
    on: legalSingle,
    costly: true,
    dies: true,
    refused: each(set({ model_repository_agents: { agents: [] } }), set({ model_repository_agents: {} })),
  },
  {
    rule: "172",
    about: "names of metric tags, which become labels",
    on: legalSingle,
    costly: true,
    dies: true,
    refused: each("a b", "a:b", "a-b", "_a", "ä").map((name) =>
      set({ metric_tags: { ok: "x", [name]: "c" } }),
    ),
    accepted: each("", "1a", "a_b", "model", "version").map((name) =>
      set({ metric_tags: { [name]: "c\n" } }),
    ),
  },
  {
    rule: "32",
    about: "a Python file of another name",
    on: legalPython,
    costly: true,
    says: /Model name must end with '.py'/,
    refused: each("model.txt", "model").map((file) =>
      changeModel((model) => ({
        ...model,
        config: { ...model.config, default_model_filename: file },
        files: { [`1/${file}`]: model.files["1/model.py"] ?? "" },
      })),
    ),
    accepted: each(
      changeModel((model) => ({
        ...model,
        config: { ...model.config, default_model_filename: "other.py" },
        files: { "1/other.py": model.files["1/model.py"] ?? "" },
      })),
    ),
  },
  {
    rule: "32c",
    about: "Python without a TritonPythonModel",
    on: legalPython,
    costly: true,
    says: /SyntaxError|has no attribute 'TritonPythonModel'|ModuleNotFoundError/,
    refused: each(
      python("def"),
      python("x = 1\n"),
      python("class Model:\n    def execute(self, requests): return []\n"),
    ),
    accepted: each(
      python("class TritonPythonModel:\n    pass\n"),
      python("TritonPythonModel = type('T', (), {})\n"),
    ),
  },
  {
    rule: "169",
    about: "FORCE_CPU_ONLY_INPUT_TENSORS",
    on: legalPython,
    costly: true,
    says: /Incorrect value for FORCE_CPU_ONLY_INPUT_TENSORS/,
    refused: each("true", "", "Yes").map((value) => parameter("FORCE_CPU_ONLY_INPUT_TENSORS", value)),
    accepted: each("yes", "no").map((value) => parameter("FORCE_CPU_ONLY_INPUT_TENSORS", value)),
  },
  {
    rule: "170",
    about: "an environment that does not exist",
    on: legalPython,
    costly: true,
    says: /canonical path|bin\/activate|[Pp]ath/,
    refused: each(
      parameter("EXECUTION_ENV_PATH", "$$TRITON_MODEL_DIRECTORY/env.tar.gz"),
      all(
        parameter("EXECUTION_ENV_PATH", "$$TRITON_MODEL_DIRECTORY/env"),
        addFiles({ "env/bin/python": "" }),
      ),
    ),
    accepted: each(
      all(
        parameter("EXECUTION_ENV_PATH", "$$TRITON_MODEL_DIRECTORY/env"),
        addFiles({ "env/bin/activate": "" }),
      ),
    ),
  },
];

/** Fields with one instance group. */
function group2(fields: object, instances: ModelInstanceGroup): Edit {
  return set({ ...fields, instance_group: [instances] });
}
