import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkRepository } from "@tritype/check";
import { startRuntime } from "@tritype/runtime";
import { defaultRelease } from "@tritype/triton";
import { beforeAll, describe, expect, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { caseHost } from "../check/judge/case-files.ts";
import { startJudge, type Verdict, type Verdicts } from "../check/judge/server-judge.ts";
import { realTriton } from "../environment/triton.ts";

const python = `import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", pb_utils.get_input_tensor_by_name(r, "X").as_numpy())]) for r in requests]
`;
const x = 'input { name: "X" data_type: TYPE_FP32 dims: 2 }';
const y = 'output { name: "Y" data_type: TYPE_FP32 dims: 2 }';
const io = `${x} ${y}`;
const labelled = (file: string): string =>
  `${x} output { name: "Y" data_type: TYPE_FP32 dims: 2 label_filename: "${file}" }`;
const warmed = (file: string): string =>
  `${io} model_warmup { name: "w" batch_size: 1 inputs { key: "X" value { data_type: TYPE_FP32 dims: 2 input_data_file: "${file}" } } }`;
const stateful = (file: string): string =>
  `max_batch_size: 4 ${io} sequence_batching { state { input_name: "S" output_name: "T" data_type: TYPE_FP32 dims: 2 initial_state { name: "s" data_type: TYPE_FP32 dims: 2 data_file: "${file}" } } }`;
const labels = { "l.txt": "a\nb\n" };
const noFile = "No such file or directory";
const notFolder = "Not a directory";

interface Row {
  readonly model: string;
  readonly config: string;
  /** Further files in the model's folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Default "1". */
  readonly version?: string;
  /** The checker's code; "" if it finds no error. */
  readonly code?: string;
  /** Triton's message; if omitted, Triton loads the model. */
  readonly words?: string;
  /** The local runtime's message, if different; "" if it serves the model although Triton does not. */
  readonly local?: string;
}

const rows: readonly Row[] = [
  { model: "plain", config: `max_batch_size: 4 ${io}` },
  ...(
    [
      ["file_in_a_folder", "sub/model.py", "1/sub/model.py", undefined],
      ["file_of_another_version", "../2/model.py", "2/model.py", undefined],
      ["file_of_the_model", "../model.py", "model.py", "No module named '.'"],
      ["file_here", "./model.py", "1/model.py", "No module named '.'"],
      ["file_absolute", "/model.py", "1/model.py", "No module named '1'"],
      ["file_dotted", "other.v2.py", "1/other.v2.py", "No module named '1.other'"],
      ["file_dotted_beside", "model.v2.py", "1/model.v2.py", "'1.model.v2'; '1.model' is not a package"],
      ["file_in_a_dotted_folder", "my.dir/model.py", "1/my.dir/model.py", "No module named 'my'"],
      ["file_of_text", "sub/model.txt", "1/sub/model.txt", 'Model name is "model.txt".'],
    ] as const
  ).map(
    ([model, file, place, words]): Row => ({
      model,
      config: `version_policy { specific { versions: 1 } } default_model_filename: "${file}" ${io}`,
      files: { [place]: python },
      ...(words === undefined ? {} : { words, code: "backend/python-file-name" }),
    }),
  ),
  {
    model: "preferred",
    config: `max_batch_size: 4 dynamic_batching { preferred_batch_size: 8 } ${io}`,
    code: "batch/preferred-size",
    words: "dynamic batching preferred size must be <= max batch size for preferred",
  },
  {
    model: "gpus",
    config: `${io} instance_group { kind: KIND_CPU gpus: 0 }`,
    code: "instance/gpus-without-gpu",
    words: "instance group gpus_0 of model gpus has kind KIND_CPU but specifies one or more GPUs",
  },
  {
    model: "reshape",
    config: `max_batch_size: 4 input { name: "X" data_type: TYPE_FP32 dims: 2 reshape { shape: 3 } } ${y}`,
    code: "tensor/reshape-size",
    words: "model input 'X' has different size for dims and reshape for reshape",
  },
  {
    model: "priority",
    config: `max_batch_size: 4 dynamic_batching { priority_levels: 2 default_priority_level: 5 } ${io}`,
    code: "batch/default-priority",
    words: "default priority level must be in range [1, 2] for priority",
  },
  {
    model: "target",
    config: `max_batch_size: 4 ${io} batch_output { target_name: "Z" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "X" }`,
    code: "batch/unknown-tensor",
    words: "unknown target output name 'Z' for target",
  },
  {
    model: "counted",
    config: `max_batch_size: 4 ${io} batch_input { kind: BATCH_ELEMENT_COUNT target_name: "I" data_type: TYPE_STRING source_input: "X" }`,
    code: "batch/input-datatype",
    words: "batch input data type must be TYPE_INT32 or TYPE_FP32 for counted",
  },
  {
    model: "agent",
    config: `${io} model_repository_agents { agents { name: "" } }`,
    code: "config/nameless-agent",
    words: "unable to find 'libtritonrepoagent_.so' for repo agent ''",
  },
  {
    model: "gpu",
    config: `${io} instance_group { kind: KIND_GPU }`,
    code: "instance/no-gpu",
    words: "instance group gpu_0 of model gpu has kind KIND_GPU but no GPUs are available",
    // A laptop runs a model for a GPU on its CPU.
    local: "",
  },
  {
    model: "policy",
    config: `${io} version_policy { latest { } }`,
    code: "version/empty-policy",
    words: "at least one version must be available under the version policy of model 'policy'",
  },
  {
    model: "labels",
    config: labelled("none.txt"),
    code: "tensor/missing-labels",
    words: "failed to open text file for read",
  },
  {
    model: "labels_through_nothing",
    config: labelled("nosub/../l.txt"),
    files: labels,
    code: "tensor/missing-labels",
    words: `labels_through_nothing/nosub/../l.txt: ${noFile}`,
  },
  {
    model: "labels_through_a_file",
    config: labelled("l.txt/../l.txt"),
    files: labels,
    code: "tensor/missing-labels",
    words: `labels_through_a_file/l.txt/../l.txt: ${notFolder}`,
  },
  {
    model: "labels_slash",
    config: labelled("l.txt/"),
    files: labels,
    code: "tensor/missing-labels",
    words: `labels_slash/l.txt/: ${notFolder}`,
  },
  { model: "labels_through_a_folder", config: labelled("/1/..//./l.txt"), files: labels },
  { model: "labels_of_the_model", config: labelled("../labels_of_the_model/l.txt"), files: labels },
  {
    model: "state_through_nothing",
    config: stateful("no/../f"),
    files: { "initial_state/f": "12345678" },
    code: "sequence/initial-state-file",
    words: `state_through_nothing/initial_state/no/../f: ${noFile}`,
  },
  {
    model: "state_beside",
    config: stateful("../f"),
    files: { f: "12345678", "initial_state/other": "" },
  },
  {
    model: "warmup_beside_nothing",
    config: warmed("../f"),
    files: { f: "12345678" },
    code: "warmup/missing-file",
    words: `warmup_beside_nothing/warmup/../f: ${noFile}`,
  },
  { model: "warmup_beside", config: warmed("../f"), files: { f: "12345678", "warmup/other": "" } },
  {
    model: "warmup_slash",
    config: warmed("f/"),
    files: { "warmup/f": "12345678" },
    code: "warmup/missing-file",
    words: `warmup_slash/warmup/f/: ${notFolder}`,
  },
  {
    model: "warmup_empty",
    config: warmed(""),
    code: "warmup/missing-file",
    words: `warmup_empty/warmup/: ${noFile}`,
  },
  { model: "version_of_19_digits", config: io, version: "1234567890123456789" },
  { model: "largest_version", config: io, version: "9223372036854775807" },
  {
    model: "sequence",
    config: `max_batch_size: 4 sequence_batching { } response_cache { enable: true } ${io}`,
    code: "sequence/response-cache",
    words: "Response Cache does not currently support model sequence with sequence batching scheduler.",
  },
  {
    model: "limiter",
    config: `${io} instance_group { rate_limiter { resources { name: "r" count: -3 } } }`,
    code: "config/syntax",
    words: "failed to read text proto",
  },
  { model: "twice", config: `${x} ${io}`, code: "tensor/duplicate-input" },
  { model: "no_batches", config: `max_batch_size: 0 dynamic_batching { } ${io}` },
  { model: "negative_count", config: `${io} instance_group { count: -1 }` },
  {
    model: "queue",
    config: `max_batch_size: 4 dynamic_batching { default_queue_policy { timeout_action: DELAY max_queue_size: 1 } priority_queue_policy { key: 9 value {} } } ${io}`,
  },
  { model: "odd_priority", config: `${io} optimization { priority: 7 }` },
];

const files = Object.fromEntries(
  rows.flatMap(({ model, config, version = "1", files: others = {} }) => [
    [`${model}/config.pbtxt`, `backend: "python" ${config}`],
    [`${model}/${version}/model.py`, python],
    ...Object.entries(others).map(([file, content]) => [`${model}/${file}`, content]),
  ]),
);

const judgeByTriton = async (): Promise<Verdicts> => {
  const judge = await startJudge(await realTriton(), { strict: false });
  try {
    return await judge.judge(files);
  } finally {
    await judge.close();
  }
};

const judgeByRuntime = async (): Promise<Verdicts> => {
  const repository = await mkdtemp(join(tmpdir(), "tritype-refused-"));
  try {
    writeFiles(repository, files);
    const runtime = await startRuntime({
      repository,
      device: "cpu",
      python: "always",
      notice: () => {},
      pythonCommand: (await realTriton()).python,
    });
    const verdicts = runtime
      .models()
      .map(({ name, state, reason = "" }): [string, Verdict] => [name, { ready: state === "READY", reason }]);
    await runtime.close(true);
    return new Map(verdicts);
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
};

describe("the checker, the local runtime and Triton agree on which models load, and on the reasons for the others", () => {
  let triton: Verdicts;
  let local: Verdicts;
  beforeAll(async () => {
    [triton, local] = await Promise.all([judgeByTriton(), judgeByRuntime()]);
  }, 240_000);

  const found = checkRepository(caseHost(files), { release: defaultRelease, gpus: [] }).diagnostics;
  const codesOf = (model: string): readonly string[] =>
    found.flatMap(({ severity, code, labels }) =>
      severity === "error" && labels[0]?.span.file.startsWith(`${model}/`) === true ? [code] : [],
    );

  test.each(rows)("$model", ({ model, code, words, local: own = words }) => {
    expect(codesOf(model)).toEqual(code === undefined ? [] : [code]);
    const [said, mine] = [triton.get(model), local.get(model)];
    expect(said).toEqual(words === undefined ? ready : refused(words));
    expect(mine).toEqual(own === undefined || own === "" ? ready : refused(own));
  });
});

const ready = { ready: true, reason: "" };
const refused = (words: string): unknown => ({ ready: false, reason: expect.stringContaining(words) });
