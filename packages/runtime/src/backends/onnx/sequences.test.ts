import { type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { configText, fp32, port } from "../../fixtures/onnx-models.ts";
import { floats, reasonOf, served } from "../../fixtures/served.ts";
import type { Files } from "../../fixtures/temporary-repository.ts";
import type { Runtime } from "../../runtime.ts";

/** `Y` = `SUM` = the sum of a sequence's `X`; `WORDS` only shows that strings start empty. */
const model = (): Uint8Array => {
  const row = (name: string, dtype: "FP32" | "BYTES" = "FP32") => port(name, dtype, "batch", 1);
  return buildModel(
    {
      name: "sum",
      inputs: [row("X"), row("SUM_IN"), row("WORD_IN", "BYTES")],
      outputs: [row("Y"), row("SUM_OUT"), row("WORD", "BYTES"), row("WORD_OUT", "BYTES")],
    },
    (builder) => {
      const [sum] = builder.node("Add", ["X", "SUM_IN"]);
      const [word] = builder.node("Identity", ["WORD_IN"]);
      const seen = builder.constant(tensorOf("BYTES", [1], ["seen"]));
      const [shape] = builder.node("Shape", ["X"]);
      return { Y: sum, SUM_OUT: sum, WORD: word, WORD_OUT: builder.node("Expand", [seen, shape])[0] };
    },
  );
};

const files = (batching: string): Files => ({
  "sum/config.pbtxt": `backend: "onnxruntime"\n${configText("sum", {
    maxBatchSize: 64,
    inputs: [fp32("X", 1)],
    outputs: [fp32("Y", 1), { name: "WORD", dtype: "BYTES", dims: [1] }],
    extra: `instance_group { kind: KIND_CPU count: 2 }
      sequence_batching { ${batching} max_sequence_idle_microseconds: 60000000
        state { input_name: "SUM_IN" output_name: "SUM_OUT" data_type: TYPE_FP32 dims: [ 1 ]
          initial_state { name: "hundred" data_type: TYPE_FP32 dims: [ 1 ] data_file: "hundred" } }
        state { input_name: "WORD_IN" output_name: "WORD_OUT" data_type: TYPE_STRING dims: [ 1 ]
          initial_state { name: "none" data_type: TYPE_STRING dims: [ 1 ] zero_data: true } } }`,
  })}`,
  "sum/1/model.onnx": model(),
  "sum/initial_state/hundred": new Uint8Array(new Float32Array([100]).buffer),
});

const send = async (runtime: Runtime, id: number, x: number, flags = ""): Promise<string> => {
  const { outputs } = await runtime.infer({
    model: "sum",
    id: "",
    inputs: new Map([["X", floats([1, 1], x)]]),
    parameters: {
      sequence_id: BigInt(id),
      sequence_start: flags.includes("s"),
      sequence_end: flags.includes("e"),
    },
  });
  const [y, word] = ["Y", "WORD"].map((name) => valuesOf(outputs.get(name) as TensorData).join());
  return `${[...outputs.keys()].join()}: ${y} ${word}`.trim();
};

test.each(["direct { }", "oldest { max_candidate_sequences: 8 }"])(
  "states are kept: %s",
  async (strategy) => {
    const runtime = await served(files(strategy));
    expect(reasonOf(runtime, "sum")).toBe("ready");
    const rounds = [
      [1, 2, 3].map((id) => send(runtime, id, id, "s")),
      [3, 1].map((id) => send(runtime, id, id * 10)),
      [1, 2, 3].map((id) => send(runtime, id, 0, "e")),
      [send(runtime, 1, 5, "se")],
    ];
    const answers: (readonly string[])[] = [];
    for (const round of rounds) answers.push(await Promise.all(round));
    expect(answers).toEqual([
      ["WORD,Y: 101", "WORD,Y: 102", "WORD,Y: 103"],
      ["WORD,Y: 133 seen", "WORD,Y: 111 seen"],
      ["WORD,Y: 111 seen", "WORD,Y: 102 seen", "WORD,Y: 133 seen"],
      ["WORD,Y: 105"],
    ]);
  },
);

test("1,000 simultaneous sequences keep their states", async () => {
  const runtime = await served(files("oldest { max_candidate_sequences: 1000 }"));
  const ids = Array.from({ length: 1000 }, (_, i) => i + 1);
  await Promise.all(ids.map((id) => send(runtime, id, id, "s")));
  await Promise.all(ids.map((id) => send(runtime, id, id)));
  expect(await Promise.all(ids.map((id) => send(runtime, id, 0, "e")))).toEqual(
    ids.map((id) => `WORD,Y: ${100 + 2 * id} seen`),
  );
});

test("a model with a missing or truncated file does not load, and the error gives this as the reason", async () => {
  const { "sum/initial_state/hundred": _, ...without } = files("direct { }");
  const runtimes = await Promise.all([
    served(without),
    served({ ...without, "sum/initial_state/hundred": new Uint8Array(3) }),
  ]);
  expect(runtimes.map((runtime) => reasonOf(runtime, "sum"))).toEqual([
    expect.stringMatching(
      /^failed to open text file for read .*sum.initial_state.hundred: No such file or directory$/,
    ),
    "initial_state setting expects 4 bytes, but the data provided from hundredonly has 3 bytes.",
  ]);
});
