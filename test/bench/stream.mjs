import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { runNode } from "./child.mjs";
import { summarize } from "./measure.mjs";
import { makeProject, pipelineBin } from "./projects.mjs";
import { startChild } from "./serving-child.mjs";

const files = fileURLToPath(new URL("../fixtures/generate/llama", import.meta.url));
const seconds = 4;

const pipeline = `
import { defineEnsemble, generate, int64 } from "tritype";

const shared = {
  from: "llama",
  search: { kind: "greedy" },
  maxNewTokens: 200,
  maxPositions: 256,
  perRequest: ["min_new_tokens", "max_new_tokens"],
} as const;
const whole = generate({ name: "whole", ...shared });
const stream = generate({ name: "stream", ...shared, stream: true });
const inputs = { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") };

export const answer = defineEnsemble({
  name: "answer",
  maxBatchSize: 16,
  inputs,
  run: (given) => ({ tokens: whole(given).sequences }),
});
export const tokens = defineEnsemble({
  name: "tokens",
  maxBatchSize: 1,
  inputs,
  run: (given) => ({ tokens: stream(given).sequences }),
});
`;

/**
 * 16 clients of a tiny model in a real Triton, with outputs of 5 to 200 tokens: streams compared with whole answers, in
 * turn.
 */
export const stream = async (runs = 3) => {
  const project = makeProject({ "pipeline.ts": pipeline });
  const running = [];
  try {
    cpSync(files, join(project.root, "llama"), { recursive: true });
    runNode([pipelineBin, "build"], { cwd: project.root });
    const installation = await installTriton({ cache: cacheFolder(), notice: console.error });
    const triton = await serveTriton(installation, {
      repository: join(project.root, "build", "model_repository"),
    });
    running.push(triton);
    await triton.waitReady();
    const caller = await startChild("stream-caller.mjs", [triton.grpcAddress]);
    running.push(caller);
    const samples = { whole: [], stream: [] };
    for (let round = -1; round < runs; round++)
      for (const [model, all] of Object.entries(samples)) {
        const asked = { model, streams: model === "stream", clients: 16, seconds: round < 0 ? 1 : seconds };
        const sample = await caller.ask(asked);
        if (round >= 0) all.push(sample);
      }
    return [describe(samples)];
  } finally {
    for (const one of running.toReversed()) await one.stop();
    project.remove();
  }
};

const describe = ({ whole, stream: streamed }) => {
  const ratio = (key) => summarize(streamed.map((one, round) => one[key] / whole[round][key])).median;
  const rowOf = (name, all) => ({
    name,
    ...summarize(all.map(({ first }) => first)),
    extra: {
      "whole answer": `${summarize(all.map(({ took }) => took)).median.toFixed(0)} ms`,
      "tokens/s": Math.round(summarize(all.map(({ rate }) => rate)).median),
    },
  });
  const first = ratio("first");
  const rate = ratio("rate");
  return {
    title: "generate(), streams, 16 clients, 5 to 200 tokens each",
    rows: [rowOf("whole answers: first token", whole), rowOf("streams: first token", streamed)],
    notes: ["a real Triton over gRPC; times are medians of a round, and ratios are medians over the rounds"],
    checks: [
      {
        what: "time to the first token, relative to whole answers",
        value: first.toFixed(2),
        limit: "at most 0.33",
        ok: first <= 0.33,
      },
      {
        what: "tokens per second, relative to whole answers",
        value: rate.toFixed(2),
        limit: "at least 1",
        ok: rate >= 1,
      },
    ],
  };
};
