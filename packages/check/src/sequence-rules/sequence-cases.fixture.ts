import type { RepositoryCase } from "../ensemble-rules/findings.fixture.ts";

interface Surroundings {
  readonly size?: number;
  readonly head?: string;
  readonly files?: RepositoryCase["files"];
}

/** A model whose `sequence_batching` begins on line 4. */
const sequential = (
  batcher: string,
  says: readonly string[] = [],
  { size = 4, head = "", files = {} }: Surroundings = {},
): RepositoryCase => ({
  files: {
    "m/config.pbtxt": `backend: "identity" max_batch_size: ${size} ${head}
input { name: "x" data_type: TYPE_FP32 dims: [ 1 ] }
output { name: "out" data_type: TYPE_FP32 dims: [ 1 ] }
sequence_batching {
  ${batcher}
}
`,
    "m/1/.keep": "",
    "m/initial_state/six": new Uint8Array(24),
    ...files,
  },
  says,
});

const at = (line: number, code: string, message: string): string =>
  `sequence/${code} m/config.pbtxt:${line}: ${message}`;
const flag = (name: string, kind: string, values = "int32_false_true: [ 0, 1 ]"): string =>
  `control_input { name: "${name}" control { kind: CONTROL_SEQUENCE_${kind} ${values} } }`;
const id = (says: string): string =>
  `control_input { name: "id" control { kind: CONTROL_SEQUENCE_CORRID ${says} } }`;

/** A state with what its initial state says. */
const state = (initial: string, says = "data_type: TYPE_FP32 dims: [ 2, 3 ]"): string =>
  `state {
    input_name: "s" output_name: "t" ${says}
    ${initial}
  }`;
const zero = `initial_state { name: "i" data_type: TYPE_FP32 dims: [ 2, 3 ] zero_data: true }`;
const fromFile = (file: string, dims = "2, 3", type = "FP32"): string =>
  state(
    `initial_state { name: "i" data_type: TYPE_${type} dims: [ ${dims} ] data_file: "${file}" }`,
    `data_type: TYPE_${type} dims: [ ${dims} ]`,
  );

/** Sequence batchers by title; the codes that are errors are refused by Triton. */
export const sequenceCases: Readonly<Record<string, RepositoryCase>> = {
  empty: sequential(""),
  "without batches": sequential(flag("start", "START"), [], { size: 0 }),
  "response cache": sequential(
    "",
    [at(1, "response-cache", "`m` has both `response_cache` and `sequence_batching`")],
    {
      head: "response_cache { enable: true }",
    },
  ),
  "response cache off": sequential("", [], { head: "response_cache { enable: false }" }),
  "control without a name": sequential(
    "control_input { control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } }",
    [at(5, "control-name", "a `control_input` of `m` has no name")],
  ),
  "control without a kind": sequential(`control_input { name: "c" control { int32_false_true: [ 0, 1 ] } }`),
  "control without controls": sequential(`control_input { name: "c" }`),
  "one tensor twice": sequential(`${flag("c", "START")}\n  ${flag("c", "END")}`, [
    at(6, "control-twice", "`m` has `control_input` `c` twice"),
  ]),
  "two kinds on one tensor": sequential(
    `control_input { name: "c" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } control { kind: CONTROL_SEQUENCE_END int32_false_true: [ 0, 1 ] } }`,
  ),
  "control named like an input": sequential(flag("x", "READY")),
  "one kind twice": sequential(`${flag("a", "READY")}\n  ${flag("b", "READY")}`, [
    at(6, "control-kind-twice", "`m` has CONTROL_SEQUENCE_READY twice, in `a` and `b`"),
  ]),
  "ids twice": sequential(
    `${id("data_type: TYPE_UINT64")}\n  control_input { name: "b" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_INT32 } }`,
    [at(6, "control-kind-twice", "`m` has CONTROL_SEQUENCE_CORRID twice, in `id` and `b`")],
  ),
  "all kinds": sequential(
    `${flag("a", "START")}\n  ${flag("b", "END", "fp32_false_true: [ 0, 1 ]")}\n  ${flag("c", "READY", "bool_false_true: [ false, true ]")}\n  ${id("data_type: TYPE_STRING")}`,
  ),
  "flag without values": sequential(flag("a", "START", ""), [
    at(
      5,
      "control-values",
      "CONTROL_SEQUENCE_START of `m` needs one list of two values, but has none of int32_false_true, fp32_false_true, bool_false_true",
    ),
  ]),
  "flag with two lists": sequential(
    flag("a", "END", "int32_false_true: [ 0, 1 ] bool_false_true: [ false, true ]"),
    [
      at(
        5,
        "control-values",
        "CONTROL_SEQUENCE_END of `m` needs one list of two values, but has int32_false_true and bool_false_true",
      ),
    ],
  ),
  "flag with three values": sequential(flag("a", "READY", "fp32_false_true: [ 0, 1, 2 ]"), [
    at(
      5,
      "control-values",
      "CONTROL_SEQUENCE_READY of `m` needs one list of two values, but fp32_false_true has 3",
    ),
  ]),
  "flag with a data_type": sequential(
    flag("a", "READY", "bool_false_true: [ false, true ] data_type: TYPE_FP16"),
  ),
  "id without a type": sequential(id(""), [
    at(5, "correlation-id", "CONTROL_SEQUENCE_CORRID of `m` has no data_type"),
  ]),
  "id of another type": sequential(id("data_type: TYPE_FP32"), [
    at(5, "correlation-id", "CONTROL_SEQUENCE_CORRID of `m` is TYPE_FP32"),
  ]),
  "id with values": sequential(id("data_type: TYPE_UINT64 int32_false_true: [ 0 ]"), [
    at(5, "correlation-id", "CONTROL_SEQUENCE_CORRID of `m` has int32_false_true"),
  ]),
  "preferred size 0": sequential("oldest { preferred_batch_size: [ 4, 0 ] }", [
    at(
      5,
      "preferred-batch-size",
      "`m` prefers sequence batches of 0; the size must be from 1 to its max_batch_size, 4",
    ),
  ]),
  "preferred size too large": sequential("oldest { preferred_batch_size: 5 }", [
    at(
      5,
      "preferred-batch-size",
      "`m` prefers sequence batches of 5; the size must be from 1 to its max_batch_size, 4",
    ),
  ]),
  "oldest without batches": sequential("oldest { max_candidate_sequences: 2 }", [], { size: 0 }),
  "preferred size without batches": sequential(
    "oldest { preferred_batch_size: 1 }",
    [
      at(
        5,
        "preferred-batch-size",
        "`m` prefers sequence batches of 1; the size must be from 1 to its max_batch_size, 0",
      ),
    ],
    { size: 0 },
  ),
  "utilization 1.5": sequential("direct { minimum_slot_utilization: 1.5 }", [
    at(5, "slot-utilization", "`minimum_slot_utilization` of `m` is 1.5, not from 0 to 1"),
  ]),
  "utilization -0.1": sequential("direct { minimum_slot_utilization: -0.5 }", [
    at(5, "slot-utilization", "`minimum_slot_utilization` of `m` is -0.5, not from 0 to 1"),
  ]),
  "utilization 0 and 1": sequential("direct { minimum_slot_utilization: 0 }"),
  "utilization nan": sequential("direct { minimum_slot_utilization: nan }"),
  "bare state": sequential("state { }\n  state { }"),
  "zero state": sequential(state(zero)),
  "two initial states": sequential(state(`${zero} ${zero}`), [
    at(7, "initial-states", "state `s` of `m` has 2 initial states; at most one is allowed"),
  ]),
  "initial state without a name": sequential(state(zero.replace(`name: "i"`, "")), [
    at(7, "initial-state-name", "the initial state of `s` of `m` has no name"),
  ]),
  "two states of one input": sequential(`${state(zero)}\n  ${state(zero).replace(`"t"`, `"u"`)}`, [
    at(10, "state-twice", "two states of `m` give an initial state to input `s`"),
  ]),
  "two states of one input, one initial": sequential(`${state(zero)}\n  ${state("")}`),
  "initial state of another type": sequential(state(zero.replace("FP32", "FP16")), [
    at(7, "initial-state-type", "state `s` of `m` is FP32[2, 3], but its initial state is FP16[2, 3]"),
  ]),
  "no types at all": sequential(state(zero.replace("data_type: TYPE_FP32", ""), "dims: [ 2, 3 ]")),
  "initial state of another rank": sequential(state(zero.replace("2, 3", "6")), [
    at(7, "initial-state-type", "state `s` of `m` is FP32[2, 3], but its initial state is FP32[6]"),
  ]),
  "initial state of another size": sequential(state(zero.replace("2, 3", "3, 2")), [
    at(7, "initial-state-type", "state `s` of `m` is FP32[2, 3], but its initial state is FP32[3, 2]"),
  ]),
  "open state": sequential(state(zero, "data_type: TYPE_FP32 dims: [ -1, 3 ]")),
  "open initial state": sequential(
    state(zero.replace("2, 3", "-1, 3"), "data_type: TYPE_FP32 dims: [ -1, 3 ]"),
    [at(7, "initial-state-type", "state `s` of `m` is FP32[-1, 3], but its initial state is FP32[-1, 3]")],
  ),
  "initial state without data": sequential(state(zero.replace("zero_data: true", "")), [
    at(7, "initial-state-data", "the initial state of `s` of `m` has no data"),
  ]),
  "zero_data: false": sequential(state(zero.replace("true", "false"))),
  "state from a file": sequential(fromFile("six")),
  "state from a longer file": sequential(fromFile("six", "2, 2")),
  "state from a shorter file": sequential(fromFile("six", "2, 4"), [
    at(
      7,
      "initial-state-file",
      "the initial state of `s` of `m` needs 32 bytes of `initial_state/six`, which has 24",
    ),
  ]),
  "state from no file": sequential(fromFile("seven"), [
    at(
      7,
      "initial-state-file",
      "the initial state of `s` of `m` needs 24 bytes of `initial_state/seven`, which does not exist",
    ),
  ]),
  "strings from a short file": sequential(fromFile("six", "100", "STRING")),
  "growable memory": sequential(state("use_growable_memory: true"), [
    at(
      7,
      "growable-memory",
      "state `s` of `m` has `use_growable_memory`, but not `use_same_buffer_for_input_output`",
    ),
  ]),
  "growable memory on a CPU": sequential(
    state("use_growable_memory: true use_same_buffer_for_input_output: true"),
    [at(7, "growable-memory", "state `s` of `m` has `use_growable_memory`, but runs on KIND_CPU")],
    { head: "instance_group { kind: KIND_CPU }" },
  ),
};
