import {
  type Diagnostic,
  type Label,
  type OptionPath,
  type Signature,
  type StepDefinition,
  showType,
} from "@tritype/core";
import { checkModelName } from "@tritype/triton";
import { diagnose } from "../diagnostics.ts";
import { labels } from "../graph/infer-graph.ts";
import type { Program } from "../graph/program.ts";
import { optionSpan } from "../graph/read-option-places.ts";
import { scalarDeclared } from "../onnx/onnx-diagnostics.ts";
import { showValue } from "../warmup/show-value.ts";

/** A step or ensemble is batched if the first dim of one of its tensors is named "batch". */
export const isBatched = ({ inputs, outputs }: Pick<StepDefinition, "inputs" | "outputs">): boolean =>
  [...Object.values(inputs), ...Object.values(outputs)].some(({ dims }) => dims[0] === "batch");

/** The maximum batch size; undefined if the ensemble determines it. */
export const ownMaxBatchSize = ({ options }: StepDefinition): number | undefined =>
  options["maxBatchSize"] as number | undefined;

export const definedAt = (definition: StepDefinition, text = "defined here"): readonly Label[] =>
  labels(definition, text);

/** The position of the option at `path`, or of its nearest parent in the source; the call if the source shows neither. */
export const writtenAt = (definition: StepDefinition, ...path: OptionPath): readonly Label[] => {
  const span = optionSpan(definition.places, path);
  return span === undefined ? definedAt(definition) : [{ span, text: "written here" }];
};

/** The checks of a declaration by itself: names, dims and batching. */
export const checkDeclaration = (definition: StepDefinition): readonly Diagnostic[] => [
  ...checkName(definition),
  ...checkSides(definition),
  ...checkTensors(definition, definition.inputs),
  ...checkTensors(definition, definition.outputs),
  ...checkBatchSize(definition),
];

/** Invalid dims, which must not appear in any graph. An ensemble's outputs only repeat those of its inputs and steps. */
export const checkDims = ({ steps, ensembles }: Program): readonly Diagnostic[] => [
  ...[...steps.values()].flatMap((step) => [...checkSide(step, "inputs"), ...checkSide(step, "outputs")]),
  ...[...ensembles.values()].flatMap((ensemble) => checkSide(ensemble, "inputs")),
];

const checkSide = (definition: StepDefinition, side: "inputs" | "outputs"): readonly Diagnostic[] =>
  Object.entries(definition[side]).flatMap(([name, { dims }]) => {
    const bad = dims.findIndex(
      (dim: unknown) => typeof dim !== "string" && !(Number.isSafeInteger(dim) && Number(dim) >= -1),
    );
    if (bad < 0) return [];
    const dim: unknown = dims[bad];
    return [
      diagnose("shape/bad-dim", {
        with: { owner: definition.name, name, dim: String(dim) },
        labels: writtenAt(definition, side, name),
        help:
          dim === undefined || Number.isNaN(dim)
            ? "the value passed here is not set: check where it is created"
            : undefined,
      }),
    ];
  });

/** The missing value that a name was built from: `"twice" + size` with an undefined `size`. */
const unsetPart = (name: string): string | undefined =>
  /undefined|(?<![A-Za-z])NaN(?![A-Za-z])/.exec(name)?.[0];

/** The same checks for an ensemble, whose outputs are inferred. */
export const checkEnsembleDeclaration = (definition: StepDefinition): readonly Diagnostic[] => {
  const inputs = { ...definition, outputs: {} };
  return [
    ...checkName(definition),
    ...checkTensors(inputs, definition.inputs),
    ...checkBatchSize(inputs),
    ...Object.keys(definition.outputs).flatMap((name) => checkTensorName(definition, name)),
  ];
};

/** Triton requires at least one input and one output of every step to be mapped. */
const checkSides = (definition: StepDefinition): readonly Diagnostic[] =>
  (["inputs", "outputs"] as const)
    .filter((side) => Object.keys(definition[side]).length === 0)
    .map((side) =>
      diagnose("step/no-tensors", {
        with: { step: definition.name, side },
        labels: writtenAt(definition, side),
      }),
    );

const checkTensorName = (definition: StepDefinition, name: string): readonly Diagnostic[] => {
  const bad = {
    with: { owner: definition.name, name: JSON.stringify(name) },
    labels: tensorAt(definition, name),
  };
  if (name === "__proto__")
    return [
      diagnose("tensor/bad-name", {
        ...bad,
        help: "use another name: requests are objects, and JavaScript treats `__proto__` specially",
      }),
    ];
  const unset = unsetPart(name);
  if (unset !== undefined)
    return [
      diagnose("tensor/bad-name", {
        ...bad,
        help: `a part of the name was not set when the name was built: look for the \`${unset}\``,
      }),
    ];
  // oxlint-disable-next-line no-control-regex
  return /^[^\u0000-\u001f\u007f]+$/.test(name) ? [] : [diagnose("tensor/bad-name", bad)];
};

/** The declaration of an input or output. */
export const tensorAt = (definition: StepDefinition, name: string): readonly Label[] =>
  writtenAt(definition, Object.hasOwn(definition.inputs, name) ? "inputs" : "outputs", name);

const checkName = (definition: StepDefinition): readonly Diagnostic[] => {
  const unset = unsetPart(definition.name);
  const problem =
    checkModelName(definition.name) ??
    (unset === undefined ? undefined : `\`${unset}\` in it means that a part of the name was not set`);
  return problem === undefined
    ? []
    : [
        diagnose("model/bad-name", {
          with: { name: definition.name, problem },
          labels: writtenAt(definition, "name"),
          help: unset === undefined ? undefined : "check the parts that the name is built from",
        }),
      ];
};

const checkTensors = (definition: StepDefinition, signature: Signature): readonly Diagnostic[] => {
  const owner = definition.name;
  const batched = isBatched(definition);
  const side = signature === definition.inputs ? "input" : "output";
  const scalarHelp = definition.kind === "onnx" ? { help: scalarDeclared(side, batched) } : {};
  return Object.entries(signature).flatMap(([name, type]): readonly Diagnostic[] => {
    const at = { labels: tensorAt(definition, name) };
    const named = checkTensorName(definition, name);
    if (named.length > 0) return named;
    if (type.dims.length === 0)
      return [
        diagnose("shape/scalar", { with: { owner, name, type: showType(type) }, ...at, ...scalarHelp }),
      ];
    const bad = type.dims.find((dim) =>
      typeof dim === "number" ? dim === 0 : dim === "" || dim.includes("#") || unsetPart(dim) !== undefined,
    );
    if (bad !== undefined)
      return [diagnose("shape/bad-dim", { with: { owner, name, dim: JSON.stringify(bad) }, ...at })];
    if (batched && type.dims.indexOf("batch") + type.dims.lastIndexOf("batch") !== 0)
      return [diagnose("batch/partly-batched", { with: { owner, name, type: showType(type) }, ...at })];
    return [];
  });
};

const checkBatchSize = (definition: StepDefinition): readonly Diagnostic[] => {
  const size = ownMaxBatchSize(definition);
  if (size === undefined) return [];
  const at = { labels: writtenAt(definition, "maxBatchSize") };
  if (!Number.isInteger(size) || size < 1 || size > 2147483647)
    return [
      diagnose("batch/bad-max-batch-size", {
        with: {
          owner: definition.name,
          size: showValue(size),
        },
        ...at,
      }),
    ];
  return isBatched(definition)
    ? []
    : [diagnose("batch/nothing-batched", { with: { owner: definition.name }, ...at })];
};
