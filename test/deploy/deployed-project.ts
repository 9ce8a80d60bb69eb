import { readFileSync } from "node:fs";
import { smokePath } from "@tritype/deploy";
import { onTestFinished } from "vitest";
import { parse } from "yaml";
import { pipeline } from "../cli/run-pipeline.ts";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { doubleModel } from "../fixtures/models.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";

/** Two ensembles that share `double`, one of them with a tokenizer, a cache and a batching delay; three profiles. */
const source = `import { bytes, defineEnsemble, fp32, onnx, tokenizer } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  dynamicBatching: { maxQueueDelay: "2ms" },
  responseCache: { enable: true },
});
const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 16 });

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ sum: double({ x }).y.sum(-1, { keepDims: true }) }),
  warmup: [{ name: "ones", inputs: { x: [[1, 1, 1, 1]] } }],
});

export const twice = defineEnsemble({
  name: "twice",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ sum: total({ x: double({ x }).y }).sum }),
});

export const ids = defineEnsemble({
  name: "ids",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ input_ids: tokenize({ text }).input_ids }),
});
`;

/** More of the project: a flow that calls `total` if another ensemble, which clients call too, fails. */
export const flowSource = `import { flow, step } from "tritype";

const x = fp32("batch", 4);
const sum = fp32("batch", 1);
const positive = step({
  name: "positive",
  inputs: { x },
  outputs: { sum },
  run({ x }) {
    const [first = 0] = x;
    if (first < 0) throw new RangeError("negative");
    return { sum: first };
  },
});
export const picky = defineEnsemble({ name: "picky", maxBatchSize: 8, inputs: { x }, run: ({ x }) => positive({ x }) });
export const fallback = flow({
  name: "fallback",
  maxBatchSize: 8,
  inputs: { x },
  outputs: { sum },
  uses: { picky, total },
  async run({ x }, { picky, total }) {
    try {
      return await picky({ x });
    } catch {
      return total({ x });
    }
  },
});
`;

/** More of the project: a model that only runs on a GPU, except in the profile `cpu`. */
export const gpuSource = `
const accelerated = onnx({
  name: "accelerated",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  instanceGroup: [{ kind: "gpu" }],
  profiles: { cpu: { instanceGroup: [{ kind: "cpu" }] } },
});
export const fast = defineEnsemble({
  name: "fast",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: accelerated({ x }).y }),
});
`;

const config = (deploy: string): string => `import { defineConfig } from "tritype";

export default defineConfig({
  profiles: { gpu: { instanceGroup: [{ kind: "gpu" }] }, cpu: { instanceGroup: [{ kind: "cpu", count: 2 }] } },
  deploy: ${deploy},
});
`;

export interface DeployedProject extends ProjectFixture {
  /** Changes `deploy` in the configuration. */
  readonly configure: (deploy: string) => void;
}

/**
 * A project with a build, removed when the test ends.
 * @param deploy `deploy` in its configuration
 * @param more Further source text of the pipeline.
 */
export const builtProject = async (deploy = "{}", more = ""): Promise<DeployedProject> => {
  let files = built.get(more);
  if (files === undefined) built.set(more, (files = buildFiles(more)));
  const made = makeProject(await files);
  onTestFinished(made.remove);
  const configure = (changed: string): void => made.write("pipeline.config.ts", config(changed));
  configure(deploy);
  return { ...made, configure };
};

/** The files of built projects, by their further source text: a build does not depend on `deploy`. */
const built = new Map<string, Promise<Readonly<Record<string, Uint8Array>>>>();

const buildFiles = async (more: string): Promise<Readonly<Record<string, Uint8Array>>> => {
  const made = makeProject({
    "pipeline.ts": `${source}${more}`,
    "pipeline.config.ts": config("{}"),
    "models/double.onnx": doubleModel(),
  });
  try {
    const { code, err } = await pipeline(made, ["build"]);
    if (code !== 0) throw new Error(err);
    return Object.fromEntries(filesBelow(made.root).map((file) => [file, readFileSync(made.path(file))]));
  } finally {
    made.remove();
  }
};

/** The answers of the builds, by their further source text: they do not depend on `deploy` either. */
const measured = new Map<string, Promise<Readonly<Record<string, string>>>>();

const measureFiles = async (more: string): Promise<Readonly<Record<string, string>>> => {
  const made = await builtProject("{}", more);
  const written = await pipeline(made, ["deploy"]);
  if (written.code !== 0) throw new Error(written.err);
  const record = JSON.parse(readFileSync(made.path("deploy/deployment.json"), "utf8")) as {
    readonly files: Readonly<Record<string, string>>;
  };
  const files = { [smokePath]: record.files[smokePath] };
  return {
    [`deploy/${smokePath}`]: readFileSync(made.path(`deploy/${smokePath}`), "utf8"),
    "deploy/deployment.json": JSON.stringify({ ...record, files }),
  };
};

/** The same project, with the files of `pipeline deploy`. */
export const deployedProject = async (deploy?: string, more = ""): Promise<DeployedProject> => {
  const made = await builtProject(deploy, more);
  let files = measured.get(more);
  if (files === undefined) measured.set(more, (files = measureFiles(more)));
  for (const [path, text] of Object.entries(await files)) made.write(path, text);
  const written = await pipeline(made, ["deploy"]);
  if (written.code !== 0) throw new Error(written.err);
  return made;
};

/** A rule of Prometheus: it records a value, or raises an alert. */
export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: object;
}

/** The rules that `pipeline deploy` has written. */
export const rulesOf = (made: DeployedProject): readonly Rule[] => {
  const text = readFileSync(made.path("deploy/observability/rules.yaml"), "utf8");
  const { groups } = parse(text) as { groups: readonly { readonly rules: readonly Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
};
