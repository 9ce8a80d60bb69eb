import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { PipelineError } from "@tritype/core";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Files, writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { realTriton } from "../environment/triton.ts";
import { installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { sendRaw } from "./raw-request.ts";

const code = `import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([]) for r in requests]
`;
const x = 'input { name: "X" data_type: TYPE_FP32 dims: 2 }';
const y = 'output { name: "Y" data_type: TYPE_FP32 dims: 2 }';
const noDims = 'input { name: "X" data_type: TYPE_FP32 }';
const python = (name: string, config: string): Files => ({
  [`${name}/config.pbtxt`]: `backend: "python" ${config}`,
  [`${name}/1/model.py`]: code,
});
const step = (model: string, from: string, to: string): string =>
  `step { model_name: "${model}" model_version: -1 input_map { key: "X" value: "${from}" } output_map { key: "Y" value: "${to}" } }`;
const ensemble = (name: string, config: string, ...steps: readonly string[]): Files => ({
  [`${name}/config.pbtxt`]: `platform: "ensemble" ${config} ensemble_scheduling { ${steps.join(" ")} }`,
  [`${name}/1/`]: "",
});
const labelled = (dims: string): string =>
  `output { name: "Y" data_type: TYPE_FP32 dims: ${dims} label_filename: "labels" }`;

/** Repositories by the model that is loaded. Triton refuses all of them. */
const repositories: Readonly<Record<string, Files>> = {
  // Triton only looks at the tensors once the backend has completed the configuration.
  no_dims: python("no_dims", `${noDims} ${y}`),
  tensor_by_tensor: python(
    "tensor_by_tensor",
    `${noDims} input { data_type: TYPE_FP32 dims: 2 } output { name: "Y" dims: 2 }`,
  ),
  source: python(
    "source",
    `max_batch_size: 2 ${x} ${y} batch_input { kind: BATCH_ELEMENT_COUNT target_name: "C" data_type: TYPE_FP32 source_input: "Z" }`,
  ),
  typeless: python(
    "typeless",
    `max_batch_size: 2 ${x} ${y} batch_input { kind: BATCH_ELEMENT_COUNT target_name: "C" source_input: "X" }`,
  ),
  instances_first: python("instances_first", `${noDims} ${y} instance_group { kind: KIND_CPU gpus: 0 }`),
  labels_last: python(
    "labels_last",
    `${noDims} output { name: "Y" data_type: TYPE_FP32 dims: 2 label_filename: "nothing" }`,
  ),
  labels_twice: {
    ...python("labels_twice", `${x} ${labelled("2")} ${labelled("3")}`),
    "labels_twice/labels": "a\n",
  },
  name_last: python("name_last", `name: "other" max_batch_size: -1 ${x} ${y}`),
  link: { ...python("link", `max_batch_size: -1 ${x} ${y}`), "link/elsewhere": "→" },
  short_state: {
    ...python(
      "short_state",
      `${x} ${y} sequence_batching { state { input_name: "S" output_name: "T" data_type: TYPE_FP32 dims: 2 initial_state { name: "s" data_type: TYPE_FP32 dims: 2 data_file: "f" } } }`,
    ),
    "short_state/initial_state/f": "abc",
  },
  text_state: python(
    "text_state",
    `${x} ${y} sequence_batching { state { input_name: "S" output_name: "T" data_type: TYPE_STRING dims: 2 initial_state { name: "s" data_type: TYPE_STRING dims: 2 data_file: "nothing" } } }`,
  ),
  kind_by_kind: python(
    "kind_by_kind",
    `${x} ${y} max_batch_size: 2 sequence_batching { oldest { max_candidate_sequences: 2 preferred_batch_size: 9 } control_input { name: "E" control { kind: CONTROL_SEQUENCE_END int32_false_true: 1 } } control_input { name: "S" control { int32_false_true: 1 } } }`,
  ),
  labels_of_ensemble: {
    ...python("member_of_labels", `${x} ${y}`),
    ...ensemble(
      "labels_of_ensemble",
      `${x} ${labelled("2")} ${labelled("2")}`,
      step("member_of_labels", "X", "Y"),
    ),
    "labels_of_ensemble/labels": "a\n",
  },
  several_missing: ensemble("several_missing", `${x} ${y}`, step("zz", "X", "t"), step("aa", "t", "Y")),
  refused_member: {
    ...python("member_no_dims", `${noDims} ${y}`),
    ...ensemble("refused_member", `${x} ${y}`, step("member_no_dims", "X", "Y")),
  },
  read_output: {
    ...python("member", `${x} ${y}`),
    ...ensemble(
      "read_output",
      `${x} output { name: "never" data_type: TYPE_FP32 dims: 2 }`,
      step("member", "X", "Y"),
      step("member", "never", "Z"),
    ),
  },
  ensemble_format: {
    ...python("member_of_format", `${x} ${y}`),
    ...ensemble(
      "ensemble_format",
      `input { name: "X" data_type: TYPE_FP32 dims: 2 format: FORMAT_NHWC } ${y}`,
      step("member_of_format", "X", "Y"),
    ),
  },
};

let folder: TemporaryFolder;
let triton: TritonServer;
let runtime: Runtime;
const lines: string[] = [];
beforeAll(async () => {
  folder = await temporaryFolder();
  writeFiles(folder.path, Object.assign({}, ...Object.values(repositories)));
  const link = join(folder.path, "link", "elsewhere");
  await rm(link);
  await symlink("nowhere", link);
  const installation = await realTriton();
  [triton, runtime] = await Promise.all([
    serveTriton(installation, {
      repository: folder.path,
      strict: false,
      extraArguments: ["--model-control-mode=explicit", "--allow-grpc=false"],
      onLine: (line) => void lines.push(line),
    }),
    startRuntime({
      repository: folder.path,
      control: { kind: "explicit", load: [] },
      device: "cpu",
      python: "always",
      notice: () => {},
      pythonCommand: installation.python,
    }),
  ]);
}, installTime);
afterAll(async () => {
  await Promise.all([killTriton(triton), runtime.close(true)]);
  await folder.remove();
});

/** Why a load fails: the answer, and the reason in the log if the model could not be polled. */
const byTriton = async (model: string): Promise<string> => {
  const { body } = await sendRaw(triton.httpUrl, {
    method: "POST",
    path: `/v2/repository/models/${model}/load`,
  });
  const { error } = JSON.parse(body.toString()) as { readonly error: string };
  if (!error.includes("failed to poll")) return error.trim();
  const head = `Poll failed for model directory '${model}': `;
  const line = (): string | undefined => lines.find((one) => one.includes(head));
  await expect.poll(line).toBeDefined();
  const reason = line()?.split(head)[1] ?? "";
  return `${error}: ${reason.replace(/"$/, "")}`;
};

const byRuntime = async (model: string): Promise<string> => {
  try {
    await runtime.load(model);
    return "loaded";
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    const { message, help } = error;
    return message.includes("failed to poll") ? `${message}: ${help}` : message.trim();
  }
};

test.each(Object.keys(repositories))("%s is refused at the same stage with the same words", async (model) => {
  const [wanted, got] = await Promise.all([byTriton(model), byRuntime(model)]);
  expect(got).toBe(wanted);
});

test("a model that fails because of its tensors has a state, so that the server is not ready", async () => {
  await byRuntime("no_dims");
  expect(runtime.ready).toBe(false);
  const { status } = await sendRaw(triton.httpUrl, { path: "/v2/health/ready" });
  expect(status).toBe(400);
});
