import { fileURLToPath } from "node:url";
import { encodeUtf8, PipelineError, tensorOf, valuesOf } from "@tritype/core";
import type { CollateTwinOptions } from "@tritype/manifest";
import { beforeEach, expect, test } from "vitest";
import type { Asker, LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import type { ModelHost } from "../python/model-host.ts";
import type { InferRequest, InferResponse } from "../runtime.ts";
import { loadCollateTwin } from "./collate-twin.ts";

const tokenizerFolder = fileURLToPath(
  new URL("../../../../examples/sentence-embedding/assets/tokenizer", import.meta.url),
);
const options: CollateTwinOptions = {
  step: "tokenize",
  behind: "behind",
  inputs: ["input_ids", "attention_mask"],
  maxBatchSize: 8,
  maxWaste: 0,
  maxLength: 32,
  padding: "longest",
  truncation: true,
  truncationSide: "right",
  addSpecialTokens: true,
  prefix: "",
  pair: false,
  ids: "INT64",
  tokenTypeIds: false,
  specialTokensMask: false,
  offsets: false,
  pad: { token: "[PAD]", id: 0, typeId: 0, side: "right" },
};

interface Call {
  readonly request: InferRequest;
  readonly asker: Asker;
  readonly answer: (response: InferResponse | Error) => void;
}

/** The twin's requests; none of them are answered automatically. */
let calls: Call[];
let ready: boolean;
let twin: LoadedModel;
const host = {
  isReady: () => ready,
  decoupled: () => false,
  admitStream: () => {
    throw new Error("there is no decoupled model");
  },
  admit: (request: InferRequest, asker: Asker) => () =>
    new Promise<InferResponse>((resolve, reject) => {
      calls.push({
        request,
        asker,
        answer: (response) => (response instanceof Error ? reject(response) : resolve(response)),
      });
    }),
} as unknown as ModelHost;

beforeEach(async () => {
  calls = [];
  ready = true;
  twin = await loadCollateTwin(
    options,
    {
      name: "embed_collate",
      version: "1",
      folder: tokenizerFolder,
      versionFolder: tokenizerFolder,
      config: {
        output: [{ name: "length", data_type: "TYPE_INT64", dims: [1] }],
        instance_group: [{ kind: "KIND_CPU", count: 2 }],
      },
    },
    () => {},
    host,
  );
});

const request = (texts: readonly string[], asker: Asker = {}): ModelRequest => ({
  id: "",
  inputs: new Map([["text", { dtype: "BYTES", shape: [texts.length, 1], data: texts.map(encodeUtf8) }]]),
  outputs: ["length"],
  parameters: {},
  ...asker,
});

/** Number of tokens per row. */
const lengths = ({ request: { inputs } }: Call): InferResponse => {
  const mask = inputs.get("attention_mask");
  const [rows = 0, length = 0] = mask?.shape ?? [];
  const flags = mask === undefined ? [] : valuesOf(mask).map(Number);
  const sums = Array.from({ length: rows }, (_, row) =>
    flags.slice(row * length, (row + 1) * length).reduce((a, b) => a + b, 0),
  );
  return {
    model: "behind",
    version: "1",
    id: "",
    outputs: new Map([["length", tensorOf("INT64", [rows, 1], sums)]]),
  };
};

const called = async (count: number): Promise<void> => {
  while (calls.length < count) await new Promise((resolve) => setImmediate(resolve));
};

const shown = (result: ModelResult | undefined): unknown => {
  if (result === undefined || "error" in result) return result?.error.message;
  const tensor = result.outputs.get("length");
  return tensor === undefined ? undefined : valuesOf(tensor).map(Number);
};

test("rows are sent by length and returned to their requests in order", async () => {
  const run = twin.execute([request(["one two three", "one"]), request(["two", "three four five"])]);
  await called(2);
  expect(calls.map(({ request: { model, inputs } }) => [model, inputs.get("input_ids")?.shape])).toEqual([
    ["behind", [2, 5]],
    ["behind", [2, 3]],
  ]);
  for (const call of calls.toReversed()) call.answer(lengths(call));
  expect((await run).map(shown)).toEqual([
    [5, 3],
    [3, 5],
  ]);
});

test("a failing group fails only the requests with rows in it", async () => {
  const run = twin.execute([request(["one"]), request(["one two three"]), request(["two", "three four"])]);
  await called(3);
  for (const call of calls)
    call.answer(
      call.request.inputs.get("input_ids")?.shape[1] === 4 ? new Error("no memory") : lengths(call),
    );
  expect((await run).map(shown)).toEqual([[3], [5], "no memory"]);
});

test("if the next model is not ready, its message is Triton's", async () => {
  ready = false;
  expect((await twin.execute([request(["one"])])).map(shown)).toEqual([
    "Model behind - Error when running inference: Failed for execute the inference request. Model 'behind' is not ready.",
  ]);
});

test("a group is aborted when none of its requests are needed anymore", async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const run = twin.execute([
    request(["one"], { signal: first.signal }),
    request(["two"], { signal: second.signal }),
  ]);
  await called(1);
  const signal = calls[0]?.asker.signal;
  first.abort();
  expect(signal?.aborted).toBe(false);
  second.abort();
  expect(signal?.aborted).toBe(true);
  calls[0]?.answer(new PipelineError("request/cancelled", "Request was cancelled"));
  await run;
});

test("a call names the instance that makes it among its callers, so that no request waits for itself", async () => {
  const waiting = { name: "who asks" };
  const runs = [twin.execute([request(["one"], { callers: [waiting] })]), twin.execute([request(["two"])])];
  await called(2);
  const [one, both] = [
    calls[0]?.asker.callers ?? [],
    calls.flatMap(({ asker }) => [...(asker.callers ?? [])]),
  ];
  expect(one).toContain(waiting);
  const { callers = [] } = twin;
  expect(callers).toHaveLength(2);
  expect(callers.filter((instance) => one.includes(instance))).toHaveLength(1);
  expect(both).toEqual(expect.arrayContaining([...callers]));
  for (const call of calls) call.answer(lengths(call));
  await Promise.all(runs);
});
