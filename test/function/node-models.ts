import type { NodeTwinOptions } from "../../packages/manifest/src/node-options.ts";
import { nodeHost } from "../../packages/compiler/src/generated/node-host.ts";
import { nodeTemplate } from "../../packages/compiler/src/generated/python.ts";
import { printPython } from "../../packages/compiler/src/python-template.ts";

/** A hand-written function on Node: its inputs and outputs, and `run.mjs`. */
export interface NodeModel {
  readonly options: NodeTwinOptions;
  readonly run: string;
}

/** The files of a function in its version folder. */
export const versionFiles = ({ options, run }: NodeModel): Readonly<Record<string, string>> => ({
  "model.py": printPython(nodeTemplate, {}),
  "host.mjs": nodeHost,
  "run.mjs": run,
  "function.json": JSON.stringify(options),
});

/** The files of a repository with these functions; `extra` is added to every configuration. */
export const repositoryFiles = (models: readonly NodeModel[], extra = ""): Readonly<Record<string, string>> =>
  Object.fromEntries(
    models.flatMap((model) => {
      const { step } = model.options;
      return [
        [`${step}/config.pbtxt`, `${configText(model.options)}${extra}\n`],
        ...Object.entries(versionFiles(model)).map(([name, text]) => [`${step}/1/${name}`, text]),
      ];
    }),
  );

const configText = ({ step, inputs, outputs }: NodeTwinOptions): string => {
  const ports = (kind: string, tensors: NodeTwinOptions["inputs"]): string =>
    Object.entries(tensors)
      .map(([name, { dtype, dims, optional }]) => {
        const type = dtype === "BYTES" ? "STRING" : dtype;
        const sizes = dims.slice(1).map((dim) => (typeof dim === "string" ? -1 : dim));
        const rest = optional === true ? " optional: true" : "";
        return `${kind} { name: "${name}" data_type: TYPE_${type} dims: [ ${sizes.join(", ")} ]${rest} }\n`;
      })
      .join("");
  return `name: "${step}"\nbackend: "python"\nmax_batch_size: 8\n${ports("input", inputs)}${ports("output", outputs)}instance_group { kind: KIND_CPU }\n`;
};

const order = { order: { dtype: "BYTES", dims: ["batch", 1] } } as const;

/** Evaluates each row as JavaScript, and returns the result as a string. */
export const obey: NodeModel = {
  options: {
    step: "obey",
    per: "row",
    timeLimit: 1_000_000,
    inputs: order,
    outputs: { result: { dtype: "BYTES", dims: ["batch", 1] } },
    allow: {},
  },
  run: `\
const sleep = (ms, value) => new Promise((done) => setTimeout(done, ms, value));
globalThis.sleep = sleep;
export const run = ({ order }) => {
  const result = (0, eval)(order);
  return result instanceof Promise ? result.then((value) => ({ result: String(value) })) : { result: String(result) };
};
`,
};

const dtypes = "BOOL UINT8 UINT16 UINT32 UINT64 INT8 INT16 INT32 INT64 FP16 FP32 FP64 BYTES".split(" ");
const every: NodeTwinOptions["inputs"] = Object.fromEntries([
  ...dtypes.map((dtype) => [dtype.toLowerCase(), { dtype, dims: ["batch", "n"] }]),
  ["grid", { dtype: "FP32", dims: ["batch", "height", "width"] }],
]);

/** Returns its inputs: every dtype, and a tensor of three dimensions. */
export const echo: NodeModel = {
  options: {
    step: "echo",
    per: "row",
    timeLimit: 10_000_000,
    inputs: { ...every, more: { dtype: "INT32", dims: ["batch", 1], optional: true } },
    outputs: { ...every, has_more: { dtype: "INT32", dims: ["batch", 1] } },
    allow: {},
  },
  run: `\
export const run = ({ more, ...row }) => ({ ...row, has_more: more ?? -1 });
`,
};

/** Returns its bytes: large frames in both directions. */
export const large: NodeModel = {
  options: {
    step: "large",
    per: "request",
    timeLimit: 60_000_000,
    inputs: { x: { dtype: "UINT8", dims: ["batch", "n"] } },
    outputs: { x: { dtype: "UINT8", dims: ["batch", "n"] } },
    allow: {},
  },
  run: `export const run = ({ x }) => ({ x });\n`,
};
