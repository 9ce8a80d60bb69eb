import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNode } from "./child.mjs";
import { summarize } from "./measure.mjs";
import { makeProject, pipelineBin } from "./projects.mjs";
import { makeScaleProject } from "./scale-projects.mjs";

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const python = process.env.TRITYPE_PYTHON ?? "python3";

/** Models made from functions compared with hand-written Python, and the build time of functions. */
export function* functions(runs = 15) {
  yield measureModels(runs);
  yield measureBuilds(Math.min(runs, 5));
}

const pipeline = `
import { bytes, defineEnsemble, fp32, int32, json, step } from "tritype";

const clean = step({
  name: "clean",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run({ text }) {
    const short = text.replaceAll(/\\s+/g, " ").trim().toLowerCase();
    if (short === "") throw new RangeError("the text is empty");
    return { text: \`query: \${short.slice(0, 200)}\` };
  },
});

interface Answer {
  readonly label: string;
  readonly score: number;
}
const labels = new Map([["LABEL_0", "negative"], ["LABEL_1", "neutral"], ["LABEL_2", "positive"]]);
const label = step({
  name: "label",
  inputs: { label: bytes("batch", 1), score: fp32("batch", 1) },
  outputs: { answer: json<Answer>() },
  run: ({ label: name, score }) => ({ answer: { label: labels.get(name) ?? "unknown", score } }),
});

interface Span {
  start: number;
  end: number;
  label: string;
  text: string;
}
const names = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"];
const spans = step({
  name: "spans",
  inputs: { text: bytes("batch", 1), tags: int32("batch", "words") },
  outputs: { spans: json<Span[]>() },
  run({ text, tags }) {
    const found: Span[] = [];
    let offset = 0;
    const words = text.split(" ");
    for (let index = 0; index < words.length; index++) {
      const word = words[index] ?? "";
      const name = names[tags[index] ?? 0] ?? "O";
      const start = offset;
      offset = offset + word.length + 1;
      if (name === "O") continue;
      const kind = name.slice(2);
      const last = found.at(-1);
      if (name.startsWith("I-") && last !== undefined && last.label === kind && last.end === start - 1) {
        last.end = start + word.length;
        last.text = text.slice(last.start, last.end);
      } else found.push({ start, end: start + word.length, label: kind, text: word });
    }
    return { spans: found };
  },
});

export const all = defineEnsemble({
  name: "all",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1), label: bytes("batch", 1), score: fp32("batch", 1), tags: int32("batch", "words") },
  run: ({ text, label: name, score, tags }) => ({
    cleaned: clean({ text }).text,
    answer: label({ label: name, score }).answer,
    spans: spans({ text, tags }).spans,
  }),
});
`;

const sentence =
  "  The committee will meet again on Thursday in New York \n with Ada Lovelace to decide about the bridge. ";
const words = Array.from({ length: 64 }, (_, i) => (i % 7 === 0 ? "York" : `word${i}`)).join(" ");
const tags = Array.from({ length: 64 }, (_, i) => [0, 0, 1, 2, 0, 3, 4, 4][i % 8]);

const measureModels = (rounds) => {
  const project = makeProject({ "pipeline.ts": pipeline });
  try {
    runNode([pipelineBin, "build"], { cwd: project.root });
    const models = (step) => ({
      "by hand": pathOf(`functions-by-hand/${step}.py`),
      emitted: join(project.root, "build", "model_repository", step, "1", "model.py"),
    });
    const inputs = {
      clean: (rows) => [["text", "BYTES", Array(rows).fill(sentence.repeat(3))]],
      label: (rows) => [
        ["label", "BYTES", Array(rows).fill("LABEL_2")],
        ["score", "FP32", Array.from({ length: rows }, () => [0.9871])],
      ],
      spans: (rows) => [
        ["text", "BYTES", Array(rows).fill(words)],
        ["tags", "INT32", Array(rows).fill(tags)],
      ],
    };
    const outputs = { clean: ["text"], label: ["answer"], spans: ["spans"] };
    const cases = Object.keys(inputs).flatMap((step) =>
      [1, 32].map((rows) => ({
        step,
        rows,
        calls: rows === 1 ? 200 : 20,
        models: models(step),
        inputs: inputs[step](rows).map(([name, dtype, values]) => [name, numpyNames[dtype] ?? dtype, values]),
        outputs: outputs[step],
      })),
    );
    const results = JSON.parse(
      execFileSync(
        python,
        [pathOf("functions.py"), pathOf("../../packages/runtime/python"), String(rounds)],
        {
          input: JSON.stringify(cases),
          maxBuffer: 1e8,
        },
      ).toString(),
    );
    return {
      title: "a model's execute(), per row",
      unit: "µs",
      rows: results.flatMap(({ same, times }, index) => {
        const { step, rows } = cases[index];
        return Object.entries(times).map(([name, { median, min }]) => ({
          name: `${step}, ${rows} ${rows === 1 ? "row" : "rows"}: ${name}`,
          median: median * 1000,
          min: min * 1000,
          n: rounds,
          ...(name === "emitted"
            ? { ratio: median / times["by hand"].median, over: (median - times["by hand"].median) * 1000 }
            : {}),
          extra: { answers: same ? "equal" : "differ" },
        }));
      }),
      checks: results.map(({ times }, index) => {
        const value = times.emitted.median / times["by hand"].median;
        const { step, rows } = cases[index];
        return {
          what: `${step}, ${rows} rows, ratio`,
          value: value.toFixed(2),
          limit: "at most 1.5",
          ok: value <= 1.5,
        };
      }),
    };
  } finally {
    project.remove();
  }
};

const numpyNames = { FP32: "float32", INT32: "int32" };

/** Functions on texts; each one is a separate step, and they are called one after the other. */
const functionSteps = (count) => `
import { bytes, step } from "tritype";
${Array.from(
  { length: count },
  (_, i) => `const clean${i} = step({
  name: "clean_${i}",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run({ text }) {
    const words = text.split(" ").filter((word) => word.length > ${i});
    let longest = "";
    for (const word of words) if (word.length > longest.length) longest = word;
    return { text: \`\${words.length} words, \${longest.toUpperCase()}\` };
  },
});`,
).join("\n")}
export const texts = defineEnsemble({
  name: "texts",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ last: ${Array.from({ length: count }, (_, i) => i).reduce((at, i) => `clean${i}({ text: ${at} }).text`, "text")} }),
});
`;

/** A pipeline of 50 steps, 20 of them functions, compared with one of 50 model files. */
const measureBuilds = (runs) => {
  const plain = makeScaleProject("chain", 50);
  const withFunctions = makeScaleProject("chain", 30);
  appendFileSync(join(withFunctions.root, "pipeline.ts"), functionSteps(20));
  const samples = { "50 model files": [], "30 model files and 20 functions": [] };
  try {
    for (let round = -1; round < runs; round++)
      for (const [name, { root }] of [
        ["50 model files", plain],
        ["30 model files and 20 functions", withFunctions],
      ]) {
        rmSync(join(root, "build"), { recursive: true, force: true });
        const start = performance.now();
        runNode([pipelineBin, "build"], { cwd: root });
        if (round >= 0) samples[name].push(performance.now() - start);
      }
  } finally {
    plain.remove();
    withFunctions.remove();
  }
  return {
    title: "pipeline build, whole processes",
    rows: Object.entries(samples).map(([name, all]) => ({ name, ...summarize(all) })),
  };
};
