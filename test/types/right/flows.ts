import { createClient } from "tritype/client";
import {
  bytes,
  type CallError,
  defineEnsemble,
  flow,
  fp32,
  int64,
  json,
  onnx,
  optional,
  step,
} from "tritype";

const text = bytes("batch", 1);
const detect = step({
  name: "detect",
  inputs: { text },
  outputs: { language: bytes("batch", 1), sure: fp32("batch", 1) },
  run: ({ text }) => ({ language: text, sure: 1 }),
});
const embed = onnx({
  name: "embed",
  file: "embed.onnx",
  inputs: { ids: int64("batch", "tokens"), scale: optional(fp32("batch", 1)) },
  outputs: { embedding: fp32("batch", 4), grid: fp32("batch", 2, 3) },
});
const weights = onnx({
  name: "weights",
  file: "weights.onnx",
  inputs: { x: fp32(2, "n") },
  outputs: { y: fp32(2, "n") },
});
const tagged = defineEnsemble({
  name: "tagged",
  maxBatchSize: 4,
  inputs: { text },
  run: ({ text }) => ({ tag: detect({ text }).language }),
});

export const routed = flow({
  name: "routed",
  maxBatchSize: 8,
  warmup: [
    { name: "one", inputs: { text: ["a"] } },
    { inputs: { text: ["a", "b"], limit: [0, 1] }, batchSize: 2 },
  ],
  inputs: { text, limit: optional(fp32("batch", 1)) },
  outputs: { text: bytes("batch", 1), found: json<{ tag: string; best: number }>() },
  uses: { detect, embed, weights, tagged, pinned: detect.version(2) },
  async run({ text, limit }, { detect, embed, weights, tagged, pinned }) {
    const { language, sure } = await detect({ text });
    const letter: string = language;
    const certain: boolean = sure > (limit ?? 0.5);
    const { embedding, grid } = await embed({ ids: [1n, 2n] });
    const flat: Float32Array = embedding;
    const shape: readonly [number, number] = grid.shape;
    await embed({ ids: BigInt64Array.of(1n), scale: flat[0] ?? shape[0] });
    const { y } = await weights({ x: { data: [1, 2], shape: [2, 1] } });
    const [{ tag }, other] = await Promise.all([tagged({ text: letter }), pinned({ text })]);
    return { text: certain ? tag : other.language, found: { tag, best: y.data[0] ?? 0 } };
  },
});

export const outer = flow({
  name: "outer",
  inputs: { text },
  outputs: { text },
  uses: { routed },
  run: async ({ text }, { routed }) => ({
    text: await routed({ text }).then(
      ({ found }) => found.tag,
      (error: CallError) => (error.code === "call/late" ? "late" : error.model),
    ),
  }),
});

export const served = defineEnsemble({
  name: "served",
  maxBatchSize: 4,
  inputs: { text },
  run: ({ text }) => ({ answer: outer({ text }).text }),
});

const client = createClient({ url: "http://127.0.0.1:8000", ensemble: routed });
const { found } = await client.infer({ text: ["a"] });
export const shape: readonly number[] = found.shape;
