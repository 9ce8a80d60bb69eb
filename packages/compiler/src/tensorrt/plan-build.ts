import { type Diagnostic, type Dims, guessHelp, type StepDefinition } from "@tritype/core";
import type { PlanBuild, PlanSizes } from "@tritype/dsl";
import { diagnoseBackend } from "../backends/backend-diagnostics.ts";
import { writtenAt } from "../check/check-declaration.ts";
import { type OnnxFile, onnxFiles } from "../onnx/onnx-file.ts";
import type { PreparedFile, StepContext } from "../step-kind.ts";

/** The first releases with TensorRT 10. */
const tensorrt10 = "24.05";

const precisions = ({ release }: StepContext): readonly string[] => [
  "fp32",
  "fp16",
  ...(release.container < tensorrt10 ? [] : ["bf16"]),
  "int8",
];

/** Checks a step's plan-building settings against its declaration. */
export const checkPlanBuild = (
  step: StepDefinition,
  build: PlanBuild,
  context: StepContext,
): readonly Diagnostic[] => {
  const { precision = "fp32", optimizationLevel = 3, workspace = 1 } = build;
  const sizes = (problem: string, help: string, dim?: string): Diagnostic => {
    const labels = writtenAt(step, "build", ...(dim === undefined ? [] : ["sizes", dim]));
    return diagnoseBackend("tensorrt/sizes", { with: { step: step.name, problem }, labels, help });
  };
  const found: Diagnostic[] = [];
  if (!precisions(context).includes(precision))
    found.push(
      diagnoseBackend("tensorrt/precision", {
        with: {
          step: step.name,
          precision: JSON.stringify(precision),
          target: context.release.container,
          precisions: precisions(context).join(", "),
        },
        labels: writtenAt(step, "build", "precision"),
      }),
    );
  const named = new Set<string>();
  for (const [input, { dims }] of Object.entries(step.inputs))
    for (const dim of dims) {
      if (typeof dim === "string") named.add(dim);
      else if (dim === -1)
        found.push(
          sizes(
            `the sizes of \`${input}\` for the plan are unknown: one of its dims is -1`,
            `give the dim a name, and its sizes under \`build.sizes\``,
          ),
        );
    }
  for (const dim of Object.keys(build.sizes ?? {}))
    if (!named.has(dim))
      found.push(
        sizes(
          `\`build.sizes\` names \`${dim}\`, which is not a dim of its inputs`,
          guessHelp(dim, [...named], `their named dims are ${[...named].join(", ") || "none"}`),
          dim,
        ),
      );
  for (const dim of named) {
    const range = rangeOf(dim, build, context);
    if (range === undefined) {
      found.push(
        sizes(
          `the sizes of \`${dim}\` for the plan are unknown`,
          `write \`build: { sizes: { ${dim}: { min: 1, opt: 64, max: 256 } } }\` with your sizes`,
        ),
      );
      continue;
    }
    const { min, opt, max } = range;
    if (![min, opt, max].every((size) => Number.isInteger(size)) || min < 1 || opt < min || max < opt)
      found.push(
        sizes(
          `the sizes of \`${dim}\` are ${min}, ${opt}, ${max}`,
          "write whole numbers from 1 in ascending order: min, opt, max",
          dim,
        ),
      );
    else if (dim === "batch" && max < context.maxBatchSize)
      found.push(
        sizes(
          `the plan is for batches of at most ${max}, but the model accepts ${context.maxBatchSize}`,
          `raise \`sizes.batch.max\` to ${context.maxBatchSize}, or lower \`maxBatchSize\``,
          dim,
        ),
      );
    else if (dim === "batch" && min > 1)
      found.push(
        sizes(
          `the plan is for batches of at least ${min}, but requests may have one row`,
          "set `sizes.batch.min` to 1: Triton has no smallest batch size, and smaller batches would fail",
          dim,
        ),
      );
  }
  if (!Number.isInteger(optimizationLevel) || optimizationLevel < 0 || optimizationLevel > 5)
    found.push(sizes(`\`optimizationLevel\` is ${optimizationLevel}`, "write a whole number from 0 to 5"));
  if (!Number.isInteger(workspace) || workspace < 1)
    found.push(sizes(`\`workspace\` is ${workspace}`, "write a whole number of MiB"));
  return found;
};

const rangeOf = (
  dim: string,
  { sizes = {} }: PlanBuild,
  { maxBatchSize }: StepContext,
): PlanSizes | undefined =>
  (sizes as Readonly<Record<string, PlanSizes>>)[dim] ??
  (dim === "batch" && maxBatchSize > 0 ? { min: 1, opt: maxBatchSize, max: maxBatchSize } : undefined);

/**
 * `model.plan`, and the command with which TensorRT's own tool builds it from the ONNX file. Source: NVIDIA's guide from TensorRT 8 to 10
 * for `trtexec`; not tested.
 */
export const planFile = (
  step: StepDefinition,
  build: PlanBuild,
  onnx: OnnxFile,
  context: StepContext,
): PreparedFile => {
  const source = "model.onnx";
  const { precision = "fp32", workspace, optimizationLevel, arguments: more = [] } = build;
  const shapes = (side: keyof PlanSizes): string =>
    Object.entries(step.inputs)
      .map(([input, { dims }]) => `${input}:${sizesOf(dims, side, build, context).join("x")}`)
      .join(",");
  const open = Object.values(step.inputs).some(({ dims }) => dims.some((dim) => typeof dim === "string"));
  return {
    path: "model.plan",
    image: `nvcr.io/nvidia/tensorrt:${context.release.container}-py3`,
    sources: onnxFiles(onnx, source),
    command: [
      "trtexec",
      `--onnx=${source}`,
      "--saveEngine={path}",
      ...(open
        ? [`--minShapes=${shapes("min")}`, `--optShapes=${shapes("opt")}`, `--maxShapes=${shapes("max")}`]
        : []),
      ...(precision === "fp32" ? [] : [`--${precision}`]),
      ...(workspace === undefined ? [] : [`--memPoolSize=workspace:${workspace}`]),
      ...(optimizationLevel === undefined ? [] : [`--builderOptimizationLevel=${optimizationLevel}`]),
      "--skipInference",
      ...more,
    ],
  };
};

const sizesOf = (
  dims: Dims,
  side: keyof PlanSizes,
  build: PlanBuild,
  context: StepContext,
): readonly number[] =>
  dims.map((dim) => (typeof dim === "number" ? dim : (rangeOf(dim, build, context)?.[side] ?? 1)));
