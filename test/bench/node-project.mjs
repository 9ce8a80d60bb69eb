import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "./child.mjs";
import { makeProject, pipelineBin } from "./projects.mjs";

const pipeline = `
import { bytes, defineEnsemble, flow, fp32, int32, json, step, uint8 } from "tritype";

const text = bytes("batch", 1);
const x = fp32("batch", 16);

const noopText = { inputs: { text }, outputs: { text } };
const noop_text_node = step({ name: "noop_text_node", engine: "node", ...noopText, run: ({ text }) => ({ text }) });
const noop_text_python = step({ name: "noop_text_python", ...noopText, run: ({ text }) => ({ text }) });
const noopNumbers = { inputs: { x }, outputs: { x } };
const noop_numbers_node = step({ name: "noop_numbers_node", engine: "node", ...noopNumbers, run: ({ x }) => ({ x }) });
const noop_numbers_python = step({ name: "noop_numbers_python", ...noopNumbers, run: ({ x }) => ({ x }) });

const clean_node = step({
  name: "clean_node",
  engine: "node",
  inputs: { text },
  outputs: { text },
  run({ text }) {
    const short = text.replaceAll(/\\s+/g, " ").trim().toLowerCase();
    if (short === "") throw new RangeError("the text is empty");
    return { text: \`query: \${short.slice(0, 200)}\` };
  },
});

const labels = new Map([["LABEL_0", "negative"], ["LABEL_1", "neutral"], ["LABEL_2", "positive"]]);
const label_node = step({
  name: "label_node",
  engine: "node",
  inputs: { label: text, score: fp32("batch", 1) },
  outputs: { answer: json<{ readonly label: string; readonly score: number }>() },
  run: ({ label, score }) => ({ answer: { label: labels.get(label) ?? "unknown", score } }),
});

interface Span {
  start: number;
  end: number;
  label: string;
  text: string;
}
const names = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"];
const spans_node = step({
  name: "spans_node",
  engine: "node",
  inputs: { text, tags: int32("batch", "words") },
  outputs: { spans: json<Span[]>() },
  run({ text, tags }) {
    const found: Span[] = [];
    let offset = 0;
    for (const [index, word] of text.split(" ").entries()) {
      const name = names[tags[index] ?? 0] ?? "O";
      const start = offset;
      offset = offset + word.length + 1;
      if (name === "O") continue;
      const label = name.slice(2);
      const last = found.at(-1);
      if (name.startsWith("I-") && last !== undefined && last.label === label && last.end === start - 1) {
        last.end = start + word.length;
        last.text = text.slice(last.start, last.end);
      } else found.push({ start, end: start + word.length, label, text: word });
    }
    return { spans: found };
  },
});

const mean = [0.485, 0.456, 0.406];
const spread = [0.229, 0.224, 0.225];
const normalize_node = step({
  name: "normalize_node",
  engine: "node",
  inputs: { pixels: uint8("batch", 224, 224, 3) },
  outputs: { planes: fp32("batch", 3, 224, 224) },
  run({ pixels: { data } }) {
    const planes = new Float32Array(data.length);
    const size = data.length / 3;
    for (let at = 0; at < size; at++)
      for (let channel = 0; channel < 3; channel++)
        planes[channel * size + at] = (data[at * 3 + channel]! / 255 - mean[channel]!) / spread[channel]!;
    return { planes: { data: planes, shape: [3, 224, 224] } };
  },
});

const uses = { noop: noop_numbers_python };
export const call_one_node = flow({
  name: "call_one_node",
  maxBatchSize: 64,
  ...noopNumbers,
  uses,
  run: ({ x }, { noop }) => noop({ x }),
});
export const call_eight_node = flow({
  name: "call_eight_node",
  maxBatchSize: 64,
  ...noopNumbers,
  uses,
  async run({ x }, { noop }) {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => noop({ x: x.map((value) => value * n) })));
    return { x: x.map((_, at) => answers.reduce((sum, answer) => sum + answer.x[at]!, 0)) };
  },
});

export const all = defineEnsemble({
  name: "all",
  maxBatchSize: 64,
  inputs: { text, x, label: text, score: fp32("batch", 1), tags: int32("batch", "words"), pixels: uint8("batch", 224, 224, 3) },
  run: ({ text, x, label, score, tags, pixels }) => ({
    text_node: noop_text_node({ text }).text,
    text_python: noop_text_python({ text }).text,
    x_node: noop_numbers_node({ x }).x,
    x_python: noop_numbers_python({ x }).x,
    cleaned: clean_node({ text }).text,
    answer: label_node({ label, score }).answer,
    spans: spans_node({ text, tags }).spans,
    planes: normalize_node({ pixels }).planes,
  }),
});
`;

/** Functions written by hand: the file, and the model on Node whose configuration they share. */
const byHand = [
  "noop_text",
  "noop_numbers",
  "clean",
  "label",
  "spans",
  "normalize",
  "call_one",
  "call_eight",
];

/**
 * Functions on Node, and the same functions in hand-written Python with the same configurations: a project, and its
 * build.
 */
export const buildNodeProject = () => {
  const project = makeProject({ "pipeline.ts": pipeline });
  runNode([pipelineBin, "build"], { cwd: project.root });
  const build = join(project.root, "build");
  const repository = join(build, "model_repository");
  for (const name of byHand) {
    const config = readFileSync(join(repository, `${name}_node`, "config.pbtxt"), "utf8");
    const model = readFileSync(new URL(`functions-by-hand/${name}.py`, import.meta.url));
    const folder = join(repository, `${name}_by_hand`);
    mkdirSync(join(folder, "1"), { recursive: true });
    writeFileSync(join(folder, "config.pbtxt"), config.replaceAll(`${name}_node`, `${name}_by_hand`));
    writeFileSync(join(folder, "1", "model.py"), model);
  }
  return { build, repository, remove: project.remove };
};
