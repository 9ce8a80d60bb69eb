import type { CaseFiles } from "./case-files.ts";

const io = `input { name: "X" data_type: TYPE_FP32 dims: 2 } output { name: "Y" data_type: TYPE_FP32 dims: 2 }`;

/**
 * Configurations of a Python model that copies X to Y, each with its oddity, whether Triton 24.10 serves it, and whether a
 * laptop does if that differs.
 */
const odd: readonly (readonly [about: string, config: string, server: boolean, laptop?: boolean])[] = [
  ["nothing odd", `max_batch_size: 4 ${io}`, true],
  [
    "a preferred size above the largest",
    `max_batch_size: 4 dynamic_batching { preferred_batch_size: 8 } ${io}`,
    false,
  ],
  ["GPUs on the CPU", `${io} instance_group { kind: KIND_CPU gpus: 0 }`, false],
  [
    "a reshape of another size",
    `max_batch_size: 4 input { name: "X" data_type: TYPE_FP32 dims: 2 reshape { shape: 3 } } output { name: "Y" data_type: TYPE_FP32 dims: 2 }`,
    false,
  ],
  [
    "a default priority that does not exist",
    `max_batch_size: 4 dynamic_batching { priority_levels: 2 default_priority_level: 5 } ${io}`,
    false,
  ],
  [
    "a batch output of no output",
    `max_batch_size: 4 ${io} batch_output { target_name: "Z" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "X" }`,
    false,
  ],
  [
    "a batch input of strings",
    `max_batch_size: 4 ${io} batch_input { kind: BATCH_ELEMENT_COUNT target_name: "I" data_type: TYPE_STRING source_input: "X" }`,
    false,
  ],
  ["an agent without a name", `${io} model_repository_agents { agents { name: "" } }`, false],
  ["a GPU instance without a GPU", `${io} instance_group { kind: KIND_GPU }`, false, true],
  ["a version policy without versions", `${io} version_policy { latest { } }`, false],
  [
    "labels that do not exist",
    `input { name: "X" data_type: TYPE_FP32 dims: 2 } output { name: "Y" data_type: TYPE_FP32 dims: 2 label_filename: "none.txt" }`,
    false,
  ],
  [
    "a cache of sequences",
    `max_batch_size: 4 sequence_batching { } response_cache { enable: true } ${io}`,
    false,
  ],
  [
    "a negative count of a resource",
    `${io} instance_group { rate_limiter { resources { name: "r" count: -3 } } }`,
    false,
  ],
  ["two inputs with one name", `input { name: "X" data_type: TYPE_FP32 dims: 2 } ${io}`, true],
  ["dynamic batching without batches", `max_batch_size: 0 dynamic_batching { } ${io}`, true],
  ["a negative count of instances", `${io} instance_group { count: -1 }`, true],
  [
    "a queue policy of a level that does not exist",
    `max_batch_size: 4 dynamic_batching { default_queue_policy { timeout_action: DELAY max_queue_size: 1 } priority_queue_policy { key: 9 value {} } } ${io}`,
    true,
  ],
  ["an optimization priority that does not exist", `${io} optimization { priority: 7 }`, true],
];

const code = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("Y", pb_utils.get_input_tensor_by_name(r, "X").as_numpy())])
            for r in requests
        ]
`;

const nameOf = (index: number): string => `odd${index}`;

/** The oddity, by model name. */
export const oddConfigurations: ReadonlyMap<
  string,
  { readonly about: string; readonly server: boolean; readonly laptop: boolean }
> = new Map(
  odd.map(([about, , server, laptop = server], index) => [nameOf(index), { about, server, laptop }]),
);

/** All of them as one repository. */
export const oddRepository: CaseFiles = Object.fromEntries(
  odd.flatMap(([, config], index) => [
    [`${nameOf(index)}/config.pbtxt`, `backend: "python" ${config}\n`],
    [`${nameOf(index)}/1/model.py`, code],
  ]),
);
