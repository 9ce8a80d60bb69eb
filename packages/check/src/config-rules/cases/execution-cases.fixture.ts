import { releaseOf, type TritonRelease } from "@tritype/triton";
import { io, python, type RuleCase } from "./rule-case.fixture.ts";

const group = (fields: string, gpus?: readonly number[]) => ({
  config: `${python}\ninstance_group { ${fields} }`,
  ...(gpus ? { options: { gpus } } : {}),
});
const tensorrt = (fields: string) => ({ config: `backend: "tensorrt" ${io} instance_group { ${fields} }` });
const resources = (fields: string) => ({
  config: `${python}\ninstance_group { rate_limiter { ${fields} } }`,
});
const metric = (fields: string, container = "24.11") => ({
  config: `${python}\nmodel_metrics { metric_control { ${fields} } }`,
  options: { release: releaseOf(container) as TritonRelease },
});
const family = 'metric_identifier { family: "nv_inference_first_response_histogram_ms" }';
const parameter = (key: string, value: string, files: Readonly<Record<string, string | null>> = {}) => ({
  config: `${python}\nparameters { key: "${key}" value { string_value: "${value}" } }`,
  files: { "m/1/model.py": "", ...files },
});
const environment = (path: string, files?: Readonly<Record<string, string | null>>) =>
  parameter("EXECUTION_ENV_PATH", path, files);

export const executionCases: readonly RuleCase[] = [
  {
    code: "instance/unknown-kind",
    breaks: group("kind: 9"),
    says: "kind 9 of instance group 0 of `m` does not exist",
    at: "kind",
    passes: [group("kind: 2"), group("")],
  },
  {
    code: "instance/no-gpu",
    breaks: group("kind: KIND_GPU", []),
    says: "instance group 0 of `m` needs a GPU, but the machine has none",
    at: "kind",
    passes: [group("kind: KIND_GPU", [0]), group("kind: KIND_GPU"), group("kind: KIND_AUTO", [])],
  },
  {
    code: "instance/unknown-gpu",
    breaks: group("kind: KIND_GPU gpus: [ 0, 7 ]", [0, 1]),
    says: "instance group 0 of `m` needs GPU 7, which the machine does not have",
    at: "7",
    passes: [group("kind: KIND_GPU gpus: [ 0, 1 ]", [0, 1]), group("kind: KIND_GPU gpus: 7")],
  },
  {
    code: "instance/gpus-without-gpu",
    breaks: group("kind: KIND_CPU gpus: 0"),
    says: "instance group 0 of `m` has kind KIND_CPU and names GPUs",
    at: "gpus",
    passes: [
      group("kind: KIND_CPU"),
      group("kind: KIND_GPU gpus: 0"),
      group("gpus: 0"),
      group("gpus: 0", [0]),
    ],
  },
  {
    code: "instance/gpus-without-gpu",
    breaks: group("gpus: 0", []),
    says: "instance group 0 of `m` has kind KIND_CPU and names GPUs",
    at: "gpus",
    passes: [group("", [])],
  },
  {
    code: "instance/profile",
    breaks: group('profile: "0"'),
    says: "instance group 0 of `m` has a profile, which only platform `tensorrt_plan` has",
    at: "profile",
    passes: [tensorrt('profile: "0"')],
  },
  {
    code: "instance/profile-index",
    breaks: tensorrt('profile: [ "0", "-1" ]'),
    says: "profile `-1` of instance group 0 of `m` is not a profile number",
    at: '"-1"',
    passes: [tensorrt('profile: [ "0", "1x" ]')],
  },
  {
    code: "instance/profile-index",
    breaks: tensorrt('profile: "first"'),
    says: "profile `first` of instance group 0 of `m` is not a profile number",
    at: '"first"',
    passes: [tensorrt('profile: "1"')],
  },
  {
    code: "instance/global-and-device-resource",
    breaks: resources('resources [ { name: "R" count: 1 }, { name: "R" global: true count: 1 } ]'),
    says: "resource `R` is global in `m` and per device in `m`",
    at: '{ name: "R" count',
    passes: [resources('resources [ { name: "R" count: 1 }, { name: "S" global: true count: 1 } ]')],
  },
  {
    code: "cache/decoupled",
    breaks: {
      config: `${python}\nresponse_cache { enable: true } model_transaction_policy { decoupled: true }`,
    },
    says: "`m` is decoupled but uses the response cache",
    at: "enable",
    passes: [
      { config: `${python}\nresponse_cache { enable: false } model_transaction_policy { decoupled: true }` },
      { config: `${python}\nresponse_cache { enable: true }` },
    ],
  },
  {
    code: "config/metric-tag-name",
    breaks: { config: `${python}\nmetric_tags { key: "a-b" value: "" }` },
    says: "metric tag `a-b` of `m` is not a valid label name, which crashes the server",
    at: "metric_tags",
    passes: [
      { config: `${python} metric_tags { key: "a_b1" value: "any-thing" }` },
      { config: `${python} metric_tags { key: "1" value: "" }` },
    ],
  },
  {
    code: "config/metric-tag-name",
    breaks: { config: `${python}\nmetric_tags { key: "a b" value: "c" }` },
    says: "metric tag `a b` of `m` is not a valid label name, which crashes the server",
    at: "metric_tags",
    passes: [
      { config: `${python}\nmetric_tags { key: "1a_" value: "c d" }` },
      { config: `${python}\nmetric_tags { key: "" value: "c" }` },
    ],
  },
  {
    code: "config/incomplete-metric",
    breaks: metric("histogram_options { buckets: 1 }"),
    says: "metric control 0 of `m` lacks `metric_identifier.family`",
    at: "metric_control",
    passes: [metric(`${family} histogram_options { buckets: 1 }`)],
  },
  {
    code: "config/incomplete-metric",
    breaks: metric(`${family} histogram_options { }`),
    says: "metric control 0 of `m` lacks `histogram_options.buckets`",
    at: "histogram_options",
    passes: [{ config: `${python} model_metrics { }`, options: metric("").options }],
  },
  {
    code: "config/metric-family",
    breaks: metric('metric_identifier { family: "nv_inference_count" } histogram_options { buckets: 1 }'),
    says: "metric family `nv_inference_count` of `m` has no configurable buckets",
    at: "family",
    passes: [metric(`${family} histogram_options { buckets: 1 }`)],
  },
  {
    code: "config/no-agents",
    breaks: { config: `${python}\nmodel_repository_agents { }` },
    says: "`m` has `model_repository_agents` without agents, which crashes the server",
    at: "model_repository_agents",
    passes: [
      { config: python },
      { config: `${python} model_repository_agents { agents { name: "checksum" } }` },
    ],
  },
  {
    code: "config/nameless-agent",
    breaks: { config: `${python} model_repository_agents {\nagents { } }` },
    says: "a repository agent of `m` has no name",
    at: "agents",
    passes: [{ config: `${python} model_repository_agents { agents { name: "checksum" } }` }],
  },
  {
    code: "model-file/missing-python",
    breaks: { config: `${python}\nversion_policy { all { } }`, files: { "m/1/model.py": "", "m/2/x": "" } },
    says: "`m` has no file `2/model.py`",
    at: "backend",
    passes: [
      { config: python, files: { "m/1/x": "", "m/2/model.py": "" } },
      { config: `default_model_filename: "src/a.py" ${python}`, files: { "m/1/src/a.py": "" } },
      { config: python, files: {}, options: { configsOnly: true } },
    ],
  },
  {
    code: "python/force-cpu-value",
    breaks: parameter("FORCE_CPU_ONLY_INPUT_TENSORS", "true"),
    says: "FORCE_CPU_ONLY_INPUT_TENSORS of `m` is `true`",
    at: "string_value",
    passes: [
      parameter("FORCE_CPU_ONLY_INPUT_TENSORS", "yes"),
      parameter("FORCE_CPU_ONLY_INPUT_TENSORS", "no"),
    ],
  },
  {
    code: "python/environment",
    breaks: environment("$$TRITON_MODEL_DIRECTORY/env.tar.gz"),
    says: "the environment of `m` does not exist: the model has no `env.tar.gz`",
    at: "string_value",
    passes: [
      environment("$$TRITON_MODEL_DIRECTORY/env.tar.gz", { "m/env.tar.gz": "" }),
      environment("/opt/env.tar.gz"),
    ],
  },
  {
    code: "python/environment",
    breaks: environment("$$TRITON_MODEL_DIRECTORY/env/", { "m/env/bin/python": "" }),
    says: "the environment of `m` does not exist: `env` has no `bin/activate`",
    at: "string_value",
    passes: [environment("$$TRITON_MODEL_DIRECTORY/env", { "m/env/bin/activate": "" })],
  },
];
