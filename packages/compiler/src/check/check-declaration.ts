import {
  type Diagnostic,
  type Label,
  type Signature,
  type StepDefinition,
  showType,
  siteSpan,
} from "@tritype/core";
import { checkModelName } from "@tritype/triton";
import { diagnose } from "../diagnostics.ts";

/** A step or ensemble is batched when the first dim of one of its tensors is called "batch". */
export const isBatched = ({ inputs, outputs }: Pick<StepDefinition, "inputs" | "outputs">): boolean =>
  [...Object.values(inputs), ...Object.values(outputs)].some(({ dims }) => dims[0] === "batch");

/** The largest batch the author allowed; undefined when he left it to the ensemble. */
export const ownMaxBatchSize = ({ options }: StepDefinition): number | undefined =>
  options["maxBatchSize"] as number | undefined;

export const definedAt = (definition: StepDefinition, text = "defined here"): readonly Label[] => {
  const span = siteSpan(definition.site);
  return span === undefined ? [] : [{ span, text }];
};

/** What can be said of a declaration alone: names, dims, batching. */
export const checkDeclaration = (definition: StepDefinition): readonly Diagnostic[] => [
  ...checkName(definition),
  ...checkSides(definition),
  ...checkTensors(definition, definition.inputs),
  ...checkTensors(definition, definition.outputs),
  ...checkBatchSize(definition),
];

/** The same for an ensemble, whose outputs are inferred. */
export const checkEnsembleDeclaration = (definition: StepDefinition): readonly Diagnostic[] => {
  const inputs = { ...definition, outputs: {} };
  return [
    ...checkName(definition),
    ...checkTensors(inputs, definition.inputs),
    ...checkBatchSize(inputs),
    ...Object.keys(definition.outputs).flatMap((name) => checkTensorName(definition, name)),
  ];
};

/** Triton maps at least one input and one output of every step. */
const checkSides = (definition: StepDefinition): readonly Diagnostic[] =>
  (["inputs", "outputs"] as const)
    .filter((side) => Object.keys(definition[side]).length === 0)
    .map((side) =>
      diagnose("step/no-tensors", { with: { step: definition.name, side }, labels: definedAt(definition) }),
    );

const checkTensorName = (definition: StepDefinition, name: string): readonly Diagnostic[] =>
  // oxlint-disable-next-line no-control-regex
  /^[^\u0000-\u001f\u007f]+$/.test(name)
    ? []
    : [
        diagnose("tensor/bad-name", {
          with: { owner: definition.name, name: JSON.stringify(name) },
          labels: definedAt(definition),
        }),
      ];

const checkName = (definition: StepDefinition): readonly Diagnostic[] => {
  const problem = checkModelName(definition.name);
  return problem === undefined
    ? []
    : [
        diagnose("model/bad-name", {
          with: { name: definition.name, problem },
          labels: definedAt(definition),
        }),
      ];
};

const checkTensors = (definition: StepDefinition, signature: Signature): readonly Diagnostic[] => {
  const owner = definition.name;
  const at = { labels: definedAt(definition) };
  const batched = isBatched(definition);
  return Object.entries(signature).flatMap(([name, type]): readonly Diagnostic[] => {
    const named = checkTensorName(definition, name);
    if (named.length > 0) return named;
    if (type.dims.length === 0)
      return [diagnose("shape/scalar", { with: { owner, name, type: showType(type) }, ...at })];
    const bad = type.dims.find((dim) =>
      typeof dim === "number"
        ? !Number.isInteger(dim) || (dim < 1 && dim !== -1)
        : dim === "" || dim.includes("#"),
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
  const at = { labels: definedAt(definition) };
  if (!Number.isInteger(size) || size < 1 || size > 2147483647)
    return [
      diagnose("batch/bad-max-batch-size", {
        with: { owner: definition.name, size: JSON.stringify(size) ?? String(size) },
        ...at,
      }),
    ];
  return isBatched(definition)
    ? []
    : [diagnose("batch/nothing-batched", { with: { owner: definition.name }, ...at })];
};
