import { join } from "node:path";
import { type TokenizerTwinOptions, tokenizerTwinSchema } from "@tritype/manifest";
import {
  type BytesTensor,
  type FixedTensor,
  dtypeOfConfigName,
  invariant,
  PipelineError,
  tryDecodeUtf8,
} from "@tritype/core";
import type { LoadedModel, ModelRequest, ModelResult, ModelVersion } from "../backend.ts";
import { type OpenEngine, openEngine } from "./open-engine.ts";
import type { TextRow, TokenizerEngine } from "./tokenizer-engine.ts";
import { paddedLength, paddedTensor } from "./tokenizer-tensors.ts";

/**
 * The native twin of a tokenizer step: the same tensors, texts and codes of errors as the emitted `model.py`, which is the contract.
 * @throws PipelineError as `loadTwin`.
 */
export const loadTokenizerTwin = async (
  options: unknown,
  model: ModelVersion,
  notice: (text: string) => void,
  native?: OpenEngine,
): Promise<LoadedModel> => {
  const read = tokenizerTwinSchema.safeParse(options);
  if (!read.success)
    throw new PipelineError("repository/invalid", `the manifest's tokenizer ${model.name} cannot be read`, {
      cause: read.error,
      help: "build the repository again",
    });
  const file = join(model.versionFolder, "tokenizer.json");
  const engine = await openEngine(file, read.data, notice, native);
  const declared = declaredOutputs(model);
  return {
    execute: (requests) =>
      Promise.all(requests.map((request) => respond(request, read.data, engine, declared))),
    close: async () => {},
  };
};

interface DeclaredOutput {
  readonly dtype: "INT64" | "INT32";
  readonly dims: readonly number[];
}
type DeclaredOutputs = ReadonlyMap<string, DeclaredOutput>;

const declaredOutputs = ({ name: model, config }: ModelVersion): DeclaredOutputs =>
  new Map(
    (config.output ?? []).map(({ name = "", data_type = "TYPE_INVALID", dims = [] }) => {
      const dtype = dtypeOfConfigName(data_type);
      if (dtype !== "INT64" && dtype !== "INT32")
        throw new PipelineError(
          "repository/invalid",
          `output ${name} of ${model} is ${data_type}; a tokenizer makes TYPE_INT64 or TYPE_INT32`,
        );
      return [name, { dtype, dims }];
    }),
  );

const respond = async (
  request: ModelRequest,
  options: TokenizerTwinOptions,
  engine: TokenizerEngine,
  declared: DeclaredOutputs,
): Promise<ModelResult> => {
  try {
    const rows = await engine.encode(readRows(request, options));
    if (!options.truncation)
      rows.forEach((row, index) => {
        if (row.length > options.maxLength)
          throw invalid(`row ${index} has ${row.length} tokens, the most is ${options.maxLength}`);
      });
    const length = paddedLength(rows, options.padding, options.maxLength);
    const tensor = (name: string): FixedTensor => {
      const output = declared.get(name);
      invariant(output !== undefined, `output ${name} was asked for and not declared`);
      const made = paddedTensor(name, output.dtype, rows, length, options.pad);
      holdAgainst(name, output, made.shape);
      return made;
    };
    return { outputs: new Map(request.outputs.map((name) => [name, tensor(name)])) };
  } catch (error) {
    const code = PipelineError.is(error) ? error.code : "model/failed";
    const text = error instanceof Error ? error.message : String(error);
    return { error: new PipelineError(code, `${options.step}: ${text}`, { cause: error }) };
  }
};

const readRows = (request: ModelRequest, { prefix, pair }: TokenizerTwinOptions): readonly TextRow[] => {
  const texts = readTexts(request, "text");
  if (!pair) return texts.map((text) => ({ text: prefix + text }));
  const pairs = readTexts(request, "text_pair");
  return texts.map((text, row) => ({ text: prefix + text, textPair: pairs[row] ?? "" }));
};

const readTexts = (request: ModelRequest, name: string): readonly string[] => {
  const tensor = request.inputs.get(name) as BytesTensor | undefined;
  invariant(tensor !== undefined, `a tokenizer was asked without ${name}`);
  return tensor.data.map((value, row) => {
    const text = tryDecodeUtf8(value);
    if (text === undefined) throw invalid(`row ${row} of ${name} is not valid UTF-8`);
    return text;
  });
};

const holdAgainst = (name: string, { dims }: DeclaredOutput, shape: readonly number[]): void => {
  const sizes = shape.slice(-dims.length);
  if (dims.some((dim, axis) => dim !== -1 && dim !== sizes[axis]))
    throw new Error(`output ${name} has shape ${list(shape)}, config.pbtxt declares ${list(dims)}`);
};

const list = (sizes: readonly number[]): string => `[${sizes.join(", ")}]`;

const invalid = (text: string): PipelineError => new PipelineError("request/invalid", text);
