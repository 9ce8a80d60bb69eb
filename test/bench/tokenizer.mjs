import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUtf8 } from "@tritype/core";
import { loadTwin } from "@tritype/runtime";
import { parseModelConfig } from "@tritype/triton";
import { Tokenizer } from "tokenizers";
import { inTurn, rowsOf } from "./measure.mjs";
import { copyExample } from "./projects.mjs";
import { buildRepository } from "./repository.mjs";
import { sentences } from "./texts.mjs";

/** The native twin of the example's tokenizer step, compared with npm `tokenizers` itself. */
export const tokenizer = async (runs = 30) => {
  const project = copyExample();
  try {
    const folder = join(buildRepository(project), "tokenize");
    const twin = await openTwin(project.root, folder);
    const raw = Tokenizer.fromFile(join(folder, "1", "tokenizer.json"));
    raw.disablePadding();
    raw.setTruncation(256);
    const sections = [];
    for (const count of [1, 8, 64]) sections.push(await measureBatch(twin, raw, sentences(count), runs));
    return sections;
  } finally {
    project.remove();
  }
};

const openTwin = (root, folder) => {
  const manifest = JSON.parse(readFileSync(join(root, "build", "manifest.json"), "utf8"));
  const { twin } = manifest.models.find(({ name }) => name === "tokenize");
  const { config } = parseModelConfig(readFileSync(join(folder, "config.pbtxt"), "utf8"));
  return loadTwin(twin, { name: "tokenize", version: "1", folder, versionFolder: join(folder, "1"), config });
};

const measureBatch = async (twin, raw, texts, runs) => {
  const inputs = new Map([
    ["text", { dtype: "BYTES", shape: [texts.length, 1], data: texts.map(encodeUtf8) }],
  ]);
  const outputs = ["input_ids", "attention_mask", "token_type_ids"];
  const wanted = { id: "", inputs, outputs, parameters: {} };
  const [result] = await twin.execute([wanted]);
  if ("error" in result) throw result.error;
  const options = { addSpecialTokens: true };
  const summaries = await inTurn(
    {
      encodeBatch: () => raw.encodeBatch(texts, options),
      "encodeBatch, then the three lists of each": async () =>
        (await raw.encodeBatch(texts, options)).map((one) => [
          one.getIds(),
          one.getAttentionMask(),
          one.getTypeIds(),
        ]),
      "the twin: bytes in, padded INT64 tensors out": () => twin.execute([wanted]),
    },
    { runs, warmup: 10, block: 10 },
  );
  const rows = rowsOf(summaries, "encodeBatch").map((row) => ({
    ...row,
    extra: { "strings/s": Math.round((1000 * texts.length) / row.median) },
  }));
  return {
    title: `tokenizer, ${texts.length} ${texts.length === 1 ? "text" : "texts"} a request`,
    unit: "µs",
    rows,
  };
};
