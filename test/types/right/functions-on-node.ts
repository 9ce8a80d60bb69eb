import { batchStep, bytes, type FunctionEngine, fp32, json, step } from "tritype";

const text = bytes("batch", 1);

export const waits = step({
  name: "waits",
  inputs: { text },
  outputs: { text, length: fp32("batch", 1) },
  async run({ text }) {
    await Promise.resolve();
    return { text, length: text.length };
  },
  engine: "node",
  allow: { fsRead: ["/data/*"], addons: true },
});

export const kinds = step({
  name: "kinds",
  engine: "node",
  inputs: { text },
  outputs: { kind: json<{ kind: "word" | "number" }>() },
  run: async ({ text }) => ({ kind: { kind: Number.isNaN(Number(text)) ? "word" : "number" } }),
});

export const sometimesWaits = step({
  name: "sometimes",
  engine: "node",
  inputs: { text },
  outputs: { text },
  run: ({ text }) => (text === "" ? { text } : Promise.resolve({ text })),
});

export const all = batchStep({
  name: "all",
  engine: "node",
  inputs: { text },
  outputs: { text },
  run: async ({ text: { data, shape } }) => ({ text: { data: data.map((one) => one.trim()), shape } }),
});

export const chosen = (engine: FunctionEngine) =>
  step({ name: "chosen", engine, inputs: { text }, outputs: { text }, run: ({ text }) => ({ text }) });

type Tree = string | readonly Tree[];
const leaf = (text: string): Tree => text;
export const nested = step({
  name: "nested",
  engine: "node",
  inputs: { text },
  outputs: { tree: json<Tree>() },
  run: ({ text }) => ({ tree: leaf(text) }),
});
