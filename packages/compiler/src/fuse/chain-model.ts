import { invariant, type Json } from "@tritype/core";
import type { ChainTwinOptions } from "@tritype/manifest";
import { configOutputs } from "../emit/emit-config.ts";
import { unused } from "../emit/plan-ensemble.ts";
import { chainTemplate } from "../generated/python.ts";
import { plain } from "../plain.ts";
import { printPython } from "../python-template.ts";
import type { ModelOptions, ProgramStep, StepModel } from "../step-kind.ts";
import { textFile, type TreeFile } from "../tree.ts";

/** The steps of a chain, in the order in which they run, and the sources of their inputs and of the chain's outputs. */
export interface ChainWiring {
  /** An input's source: an input of the model, or "step/output" of an earlier step. */
  readonly steps: readonly { readonly name: string; readonly inputs: Readonly<Record<string, string>> }[];
  /** The model's output → "step/output". */
  readonly outputs: Readonly<Record<string, string>>;
}

/** A model that runs the models of several steps. Each step has a folder with the files it would have as a separate model. */
export const chainModel = (
  host: string,
  members: readonly ProgramStep[],
  wiring: ChainWiring,
  batched: boolean,
  options: ModelOptions,
): StepModel => {
  const used = new Set([
    ...wiring.steps.flatMap(({ inputs }) => Object.values(inputs)),
    ...Object.values(wiring.outputs),
  ]);
  const all = members.map(({ step, read }, at) => ({
    step,
    model: read.model(options),
    folder: unused(step.name, new Set([modelFile])),
    inputs: wiring.steps[at]?.inputs ?? {},
    outputs: configOutputs(step.outputs, batched).flatMap(({ name = "", data_type, dims }) =>
      used.has(`${step.name}/${name}`) ? [{ name, data_type, dims }] : [],
    ),
  }));
  const own = all.find(({ step }) => step.name === host)?.model;
  invariant(own !== undefined, `${host} is not part of its own model`);
  const steps = all.map(({ step: { name }, folder, inputs, outputs }) => ({ name, folder, inputs, outputs }));
  const text = printPython(chainTemplate, {
    docstring: `"""The steps ${list(steps.map(({ name }) => name))} in one model."""`,
    steps: `[\n${steps.map((step) => `    {\n${entries(step, 8)}    },\n`).join("")}]`,
    outputs: `{\n${entries(wiring.outputs, 4)}}`,
  });
  const files = new Map<string, TreeFile>([[modelFile, textFile(text)]]);
  for (const { folder, model } of all)
    for (const [path, file] of model.files) files.set(`${folder}/${path}`, file);
  const twins = all.flatMap(({ step: { name }, folder, inputs, outputs, model: { twin } }) =>
    twin === undefined ? [] : [{ name, folder, inputs, outputs, twin }],
  );
  const twinOptions: ChainTwinOptions = { steps: twins, outputs: wiring.outputs };
  return {
    config: own.config,
    files,
    requirements: [...new Set(all.flatMap(({ model: { requirements = [] } }) => requirements))],
    functions: all.flatMap(({ step, model: { functions = [] } }) =>
      functions.map((one) => ({ ...one, step: step.name })),
    ),
    ...(twins.length < all.length ? {} : { twin: { kind: "chain", options: plain(twinOptions) } }),
  };
};

const modelFile = "model.py";

const list = (names: readonly string[]): string => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** One line for each entry of a Python dictionary; JSON without true, false and null is also Python. */
const entries = (values: object, indent: number): string =>
  Object.entries(values)
    .map(([name, value]) => `${" ".repeat(indent)}${JSON.stringify(name)}: ${spaced(value as Json)},\n`)
    .join("");

const spaced = (value: Json): string =>
  JSON.stringify(value, null, 1)
    .replaceAll(/\n\s*/g, " ")
    .replaceAll(/([[{]) | (?=[\]}])/g, "$1");
