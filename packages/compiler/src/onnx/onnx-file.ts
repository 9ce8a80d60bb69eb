import {
  type Diagnostic,
  didYouMean,
  type Dim,
  inBackticks,
  isObject,
  type OptionPath,
  remembered,
  showType,
  type Signature,
  type StepDefinition,
  type TensorType,
} from "@tritype/core";
import type { BackendOptions } from "@tritype/dsl";
import {
  type OnnxPort,
  onnxTypeName,
  type OnnxSignature,
  readOnnxSignature,
  replacementOf,
  showKind,
} from "@tritype/onnx";
import { definedAt, writtenAt } from "../check/check-declaration.ts";
import { nearFileHelp } from "../files/near-file.ts";
import { openFile } from "../open-file.ts";
import type { CompilerHost } from "../compiler-host.ts";
import type { Found, StepContext } from "../step-kind.ts";
import type { Tree, TreeFile } from "../tree.ts";
import { onnxBytes } from "./onnx-bytes.ts";
import { diagnoseOnnx, scalarInFile } from "./onnx-diagnostics.ts";

/** An ONNX file in the project that the release's ONNX Runtime can read. */
export interface OpenedOnnx {
  readonly file: string;
  /** The file's content; for a large file, without the values of its tensors. */
  readonly bytes: Uint8Array;
  readonly signature: OnnxSignature;
  /** The file itself, and the weights next to it by their locations. */
  readonly model: TreeFile;
  readonly weights: Tree;
}

/** An ONNX file that fits a step's declaration. */
export interface OnnxFile extends OpenedOnnx {
  /** The step's outputs as declared in the file. */
  readonly outputs: Signature;
}

/**
 * Reads an ONNX file and compares it with what a step declares.
 * @param option The option that names the file.
 */
export const readOnnxFile = (
  step: StepDefinition,
  file: string | undefined,
  context: StepContext,
  option: OptionPath = ["file"],
): Found<OnnxFile> => {
  const { diagnostics, value: opened } = openOnnx(step, file, context, option);
  if (opened === undefined) return { diagnostics };
  return {
    diagnostics: [...diagnostics, ...checkSignature(step, opened.signature, context.batched)],
    value: { ...opened, outputs: fileOutputs(step, opened.signature, context.batched) },
  };
};

/** Whether an ONNX file exists, is complete, and can be read by the release's ONNX Runtime. */
export const openOnnx = (
  step: StepDefinition,
  file: string | undefined,
  context: StepContext,
  option: OptionPath = ["file"],
): Found<OpenedOnnx> => {
  const { host } = context;
  const at = { labels: writtenAt(step, ...option) };
  if (file === undefined || file === "")
    return { diagnostics: [diagnoseOnnx("onnx/no-file", { with: { step: step.name }, ...at })] };
  const bytes = onnxBytes(host, file);
  const model = copyOf(file, host);
  if (bytes === undefined || model === undefined)
    return {
      diagnostics: [
        diagnoseOnnx("onnx/file-not-found", {
          with: { step: step.name, file },
          ...at,
          ...nearFileHelp(host, file),
        }),
      ],
    };
  const signature = signatureOf(bytes);
  if (signature.problem !== undefined)
    return {
      diagnostics: [
        diagnoseOnnx("onnx/not-readable", {
          with: { step: step.name, file, problem: signature.problem },
          ...at,
          ...(signature.gitLfs ? { help: "run `git lfs pull`" } : {}),
        }),
      ],
    };
  const weights = new Map<string, TreeFile>();
  const problems = signature.externalFiles.flatMap((location) => {
    const place = placeInside(location);
    if (place === undefined)
      return [
        diagnoseOnnx("onnx/external-data-outside", { with: { step: step.name, file, location }, ...at }),
      ];
    const path = beside(file, place);
    const found = copyOf(path, host);
    if (found === undefined)
      return [diagnoseOnnx("onnx/external-data-not-found", { with: { step: step.name, file: path }, ...at })];
    weights.set(place, found);
    return [];
  });
  return {
    diagnostics: [...problems, ...checkOpset(step, signature, context, option)],
    value: { file, bytes, signature, model, weights },
  };
};

/** Remembered, because many steps may share a file. */
const signatureOf = remembered(readOnnxSignature);

const copyOf = (from: string, host: CompilerHost): TreeFile | undefined => {
  const file = openFile(host, from);
  return file && { kind: "large-copy", from, file, onlyRead: true };
};

/** The file, called `name`, and the weights next to it. */
export const onnxFiles = ({ model, weights }: OpenedOnnx, name = "model.onnx"): Tree =>
  new Map([[name, model], ...weights]);

/** The configuration, which all versions share, states the outputs' sizes exactly as they are in the file. */
export const checkSameOutputs = (
  step: StepDefinition,
  versions: ReadonlyMap<number, OnnxFile>,
): readonly Diagnostic[] => {
  const [first, ...others] = versions;
  if (first === undefined) return [];
  const [firstNumber, firstFile] = first;
  return others.flatMap(([number, { outputs }]) =>
    Object.entries(outputs).flatMap(([tensor, type]) => {
      const known = firstFile.outputs[tensor];
      if (known === undefined || sameSizes(known, type)) return [];
      return [
        diagnoseOnnx("onnx/versions-differ", {
          with: {
            step: step.name,
            tensor,
            first: firstNumber,
            firstType: showType(known),
            second: number,
            secondType: showType(type),
          },
          labels: definedAt(step),
        }),
      ];
    }),
  );
};

const sameSizes = (a: TensorType, b: TensorType): boolean => {
  const sizes = ({ dims }: TensorType): string =>
    JSON.stringify(dims.map((dim) => (typeof dim === "number" ? dim : -1)));
  return sizes(a) === sizes(b);
};

const beside = (file: string, path: string): string => [...file.split("/").slice(0, -1), path].join("/");

/** The location of weights relative to the folder of the file that refers to them, without `.` and `..`; undefined outside that folder. */
const placeInside = (location: string): string | undefined => {
  const parts: string[] = [];
  for (const part of location.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return location.startsWith("/") || parts.length === 0 ? undefined : parts.join("/");
};

const checkOpset = (
  step: StepDefinition,
  { opset }: OnnxSignature,
  { release }: StepContext,
  option: OptionPath,
): readonly Diagnostic[] =>
  opset <= release.maxOpset
    ? []
    : [
        diagnoseOnnx("onnx/opset-too-new", {
          with: { step: step.name, opset, target: release.container, most: release.maxOpset },
          labels: writtenAt(step, ...option),
        }),
      ];

const checkSignature = (
  step: StepDefinition,
  signature: OnnxSignature,
  batched: boolean,
): readonly Diagnostic[] => {
  const names = (tensors: readonly OnnxPort[]): string =>
    inBackticks(tensors.map(({ name }) => name)) || "none";
  const filled = filledByTriton(step);
  const missing = signature.inputs
    .filter(({ name }) => !Object.hasOwn(step.inputs, name) && !filled.has(name))
    .map((tensor) =>
      diagnoseOnnx("onnx/missing-input", {
        with: { step: step.name, input: tensor.name, type: showOnnx(tensor) },
        labels: writtenAt(step, "inputs"),
        ...(tensor.kind === "tensor" ? {} : { help: replacementOf(tensor, "input") }),
      }),
    );
  const near = (name: string, tensors: readonly OnnxPort[]): { readonly help?: string } => {
    const found = didYouMean(
      name,
      tensors.map((tensor) => tensor.name),
    );
    return found === undefined ? {} : { help: `did you mean \`${found}\`?` };
  };
  const inputs = checkSide(step, "input", signature.inputs, batched, (input) =>
    signature.overridable.includes(input)
      ? []
      : [
          diagnoseOnnx("onnx/unknown-input", {
            with: { step: step.name, input, inputs: names(signature.inputs) },
            labels: writtenAt(step, "inputs", input),
            ...near(input, signature.inputs),
          }),
        ],
  );
  const outputs = checkSide(step, "output", signature.outputs, batched, (output) => [
    diagnoseOnnx("onnx/unknown-output", {
      with: { step: step.name, output, outputs: names(signature.outputs) },
      labels: writtenAt(step, "outputs", output),
      ...near(output, signature.outputs),
    }),
  ]);
  const fixedBatch = [...inputs, ...outputs].filter(({ code }) => code === "onnx/fixed-batch").slice(0, 1);
  return [
    ...missing,
    ...fixedBatch,
    ...[...inputs, ...outputs].filter(({ code }) => code !== "onnx/fixed-batch"),
  ];
};

/** Inputs in the file that Triton fills itself: sequence controls, states, and tensors for a ragged batch. */
export const filledByTriton = ({ options }: StepDefinition): ReadonlySet<unknown> => {
  const { sequenceBatching, batchInput } = options;
  const { controlInput, state } = isObject(sequenceBatching) ? sequenceBatching : {};
  return new Set([
    ...objectsIn(controlInput).map(({ name }) => name),
    ...objectsIn(state).map(({ inputName }) => inputName),
    ...objectsIn(batchInput).flatMap(({ targetName }) => targetName),
  ]);
};

const objectsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter((one) => isObject(one)) : [];

const checkSide = (
  step: StepDefinition,
  side: Side,
  tensors: readonly OnnxPort[],
  batched: boolean,
  unknown: (name: string) => readonly Diagnostic[],
): readonly Diagnostic[] =>
  Object.entries(step[`${side}s`]).flatMap(([name, type]) => {
    const tensor = tensors.find((candidate) => candidate.name === name);
    return tensor === undefined ? unknown(name) : checkTensor(step, side, name, type, tensor, batched);
  });

type Side = "input" | "output";

/** The sizes, without the batch, that `reshape` gives a tensor inside the model; undefined without a reshape. */
const reshapeOf = ({ options }: StepDefinition, side: Side, name: string): readonly number[] | undefined => {
  const fields = options[`${side}Fields`] as BackendOptions["inputFields"];
  const shape: unknown = fields?.[name]?.reshape?.shape;
  return Array.isArray(shape) && shape.every((size) => typeof size === "number") ? shape : undefined;
};

const checkTensor = (
  step: StepDefinition,
  side: Side,
  name: string,
  declared: TensorType,
  tensor: OnnxPort,
  batched: boolean,
): readonly Diagnostic[] => {
  const reshaped = reshapeOf(step, side, name);
  const type =
    reshaped === undefined
      ? declared
      : { dtype: declared.dtype, dims: [...(batched ? ["batch"] : []), ...reshaped] };
  const at = {
    labels: writtenAt(
      step,
      ...(reshaped === undefined ? [`${side}s`, name] : [`${side}Fields`, name, "reshape"]),
    ),
    ...(reshaped === undefined
      ? {}
      : { notes: [`\`reshape\` turns ${showType(declared)} into ${showType(type)}`] }),
  };
  const parameters = { step: step.name, tensor: name, declared: showType(type), file: showOnnx(tensor) };
  if (tensor.dtype === undefined)
    return [
      diagnoseOnnx("onnx/unsupported-dtype", {
        with: {
          step: step.name,
          tensor: name,
          what:
            tensor.kind === "tensor"
              ? `has the ONNX type ${onnxTypeName(tensor.onnxType)}`
              : `is ${showKind(tensor.kind)}`,
        },
        ...at,
        help: replacementOf(tensor, side),
      }),
    ];
  if (tensor.dtype !== type.dtype) return [diagnoseOnnx("onnx/wrong-dtype", { with: parameters, ...at })];
  const { dims } = tensor;
  if (dims === undefined) return [];
  const help = dims.length === 0 ? { help: scalarInFile(side, batched) } : {};
  if (dims.length !== type.dims.length)
    return [diagnoseOnnx("onnx/wrong-rank", { with: parameters, ...at, ...help })];
  if (batched && typeof dims[0] === "number" && dims[0] !== -1)
    return [diagnoseOnnx("onnx/fixed-batch", { with: parameters, ...at })];
  const misfit = type.dims.findIndex((dim, axis) => !agrees(dim, dims[axis]));
  return misfit < 0 ? [] : [diagnoseOnnx("onnx/wrong-dim", { with: parameters, ...at })];
};

/** Sizes that the file fixes must be declared; sizes that it leaves open may be declared (Triton's rule 60). */
const agrees = (declared: Dim, file: Dim | undefined): boolean =>
  typeof file !== "number" || file === -1 || declared === file;

const showOnnx = ({ kind, dtype, onnxType, dims }: OnnxPort): string =>
  kind === "tensor"
    ? `${dtype ?? onnxTypeName(onnxType)}${dims === undefined ? "[...]" : showType({ dtype: "", dims })}`
    : showKind(kind);

/**
 * Triton compares the outputs' dims exactly with the file's, including -1, so a size that is only known from the declaration is left out.
 */
const fileOutputs = (step: StepDefinition, signature: OnnxSignature, batched: boolean): Signature =>
  Object.fromEntries(
    Object.entries(step.outputs).map(([name, type]) => {
      const dims = signature.outputs.find((tensor) => tensor.name === name)?.dims;
      // With a `reshape`, the file has the sizes of the reshape, not those of the declaration.
      if (dims === undefined || reshapeOf(step, "output", name) !== undefined) return [name, type];
      return [
        name,
        { dtype: type.dtype, dims: dims.map((dim, axis) => (batched && axis === 0 ? "batch" : dim)) },
      ];
    }),
  );
