import { propertyName, type Dim } from "@tritype/core";
import { type OnnxPort, type OnnxSignature, replacementOf, showKind } from "@tritype/onnx";
import { cliError } from "./errors.ts";

export interface SignatureModule {
  /** Name of the export. */
  readonly name: string;
  /** Path of the ONNX file relative to the project's root. */
  readonly file: string;
  readonly sha256: string;
  readonly signature: OnnxSignature;
}

/** Whether `pipeline types` or `pipeline add` wrote the module: only then may they overwrite it. */
export const isSignatureModule = (text: string): boolean => text.split(/\r?\n/).includes(signatureHeader);

/** Whether every tensor leaves its first dim open, and no file's name says that another dim is the batch, as in `[seq, batch, 4]`. */
export const isBatched = ({ inputs, outputs }: Pick<OnnxSignature, "inputs" | "outputs">): boolean =>
  [...inputs, ...outputs].every(
    ({ dims }) =>
      dims !== undefined &&
      (dims[0] === -1 || typeof dims[0] === "string") &&
      (namesBatch(dims[0]) || !dims.some(namesBatch)),
  );

const namesBatch = (dim: Dim | undefined): boolean =>
  typeof dim === "string" && /^batch([ _]?size)?$/i.test(dim);

/** Tensors whose first size is fixed although another tensor's is variable: only these prevent requests from being batched. */
export const unbatchedPorts = ({
  inputs,
  outputs,
}: Pick<OnnxSignature, "inputs" | "outputs">): readonly OnnxPort[] => {
  const ports = [...inputs, ...outputs];
  const fixed = ports.filter(({ dims }) => typeof dims?.[0] === "number" && dims[0] !== -1);
  return fixed.length < ports.length ? fixed : [];
};

const signatureHeader = "// Written by `pipeline types`. Do not edit.";

/**
 * The TypeScript module that declares a model file: `export const encoder = { file, inputs, outputs } as const`. The first dim is called
 * "batch" if it is variable in every tensor; otherwise no dim has this name. Sizes without a name, or with a name that an exporter
 * invented, become -1.
 * @throws PipelineError `request/unsupported` for a tensor that Triton does not support.
 */
export const printSignatureModule = async ({
  name,
  file,
  sha256,
  signature,
}: SignatureModule): Promise<string> => {
  const { Project, VariableDeclarationKind, Writers } = await import("ts-morph");
  const { inputs, outputs, opset } = signature;
  const batched = isBatched(signature);
  const first = inputs[0]?.dims?.[0];
  const sides = { input: inputs, output: outputs };
  const constructors = Object.entries(sides).flatMap(([side, ports]) =>
    ports.map((port) => constructorOf(port, side as Side)),
  );
  const declare = (side: Side): Record<string, string> =>
    Object.fromEntries(
      sides[side].map((port) => {
        const type = `${constructorOf(port, side)}(${printDims(port, batched, first)})`;
        return [propertyName(port.name), type];
      }),
    );
  const source = new Project({ useInMemoryFileSystem: true }).createSourceFile("signature.ts");
  source.addStatements(signatureHeader);
  source.addImportDeclaration({
    moduleSpecifier: "tritype",
    namedImports: [...new Set(constructors)].toSorted(),
  });
  source.addVariableStatement({
    declarationKind: VariableDeclarationKind.Const,
    isExported: true,
    // A path may contain the characters that end a comment.
    docs: [
      `${file.replaceAll("*/", "*\\/")} · opset ${opset} · sha256 ${sha256.slice(0, 4)}…${sha256.slice(-4)}`,
    ],
    declarations: [
      {
        name,
        initializer: Writers.assertion(
          Writers.object({
            file: JSON.stringify(file),
            inputs: Writers.object(declare("input")),
            outputs: Writers.object(declare("output")),
          }),
          "const",
        ),
      },
    ],
  });
  source.formatText({ indentSize: 2 });
  return source.getFullText();
};

type Side = "input" | "output";

const constructorOf = (port: OnnxPort, side: Side): string => {
  const { name, kind, dtype, onnxType } = port;
  if (dtype !== undefined) return dtype.toLowerCase();
  const what =
    kind === "tensor" ? `has ${uncarried[onnxType] ?? `ONNX type ${onnxType}`}` : `is ${showKind(kind)}`;
  throw cliError("signature/not-a-tensor", { name, what }, { help: replacementOf(port, side) });
};

/** Element types of `TensorProto.DataType` (onnx.proto) without a datatype in KServe v2. */
const uncarried: Readonly<Record<string, string>> = {
  14: "complex64",
  15: "complex128",
  17: "float8e4m3fn",
  18: "float8e4m3fnuz",
  19: "float8e5m2",
  20: "float8e5m2fnuz",
  21: "uint4",
  22: "int4",
  23: "float4e2m1",
  24: "float8e8m0",
};

const printDims = (port: OnnxPort, batched: boolean, first: Dim | undefined): string => {
  if (port.dims === undefined) throw cliError("signature/unknown-rank", { tensor: port.name });
  if (port.dims.length === 0) throw cliError("signature/scalar", { tensor: port.name });
  const dims = port.dims.map((dim, axis) => {
    if (batched) return axis === 0 || (dim === first && dim !== -1) ? "batch" : readableDim(dim);
    return dim === "batch" ? -1 : readableDim(dim);
  });
  return dims.map((dim) => JSON.stringify(dim)).join(", ");
};

/** Names that exporters invent carry no information, and two of them may stand for the same size. */
const invented = /^(?:unk__\d+|dynamic_axes_\w+|\w*_dim_\d+|\?|None|-?\d+)$/;
const readableDim = (dim: Dim): Dim =>
  typeof dim === "string" && (invented.test(dim) || !/^[A-Za-z_][\w ]*$/.test(dim)) ? -1 : dim;
