import { join } from "node:path";
import {
  addedLength,
  type Languages,
  type TokenizerTwinOptions,
  tokenizerTwinSchema,
} from "@tritype/manifest";
import { type FixedTensor, invariant, tensorOf } from "@tritype/core";
import type { LoadedModel, ModelRequest, ModelResult, ModelVersion } from "../backend.ts";
import { type DeclaredOutput, declaredOutputs } from "./declared-outputs.ts";
import { type OpenEngine, openEngine } from "./open-engine.ts";
import type { EncodedRow, EngineOptions, TokenizerEngine } from "./tokenizer-engine.ts";
import { readLanguages, readRows, refuseTooLong } from "./tokenizer-rows.ts";
import { requireWaiting } from "./take-turns.ts";
import { paddedLength, paddedTensor } from "./tokenizer-tensors.ts";
import { readOptions } from "./read-options.ts";
import { failureAt } from "../failure-at.ts";

/**
 * The native twin of a tokenizer step: the same tensors, error messages and codes as the emitted `model.py`,
 * which is the contract.
 * @throws PipelineError as `loadTwin` does.
 */
export const loadTokenizerTwin = async (
  options: unknown,
  model: ModelVersion,
  notice: (text: string) => void,
  native?: OpenEngine,
): Promise<LoadedModel> => {
  const read = readOptions(tokenizerTwinSchema, options, model);
  const file = join(model.versionFolder, "tokenizer.json");
  const engine = await openEngine(file, engineOptionsOf(read), notice, native);
  const declared = declaredOutputs(model, ["INT64", "INT32"]);
  return {
    execute: (requests) => Promise.all(requests.map((request) => respond(request, read, engine, declared))),
    close: async () => {},
  };
};

const respond = async (
  request: ModelRequest,
  options: TokenizerTwinOptions,
  engine: TokenizerEngine,
  declared: ReadonlyMap<string, DeclaredOutput<"INT64" | "INT32">>,
): Promise<ModelResult> => {
  try {
    const { languages } = options;
    requireWaiting(request.signal);
    const texts = readRows(request, options);
    const sources = languages?.source === true ? readLanguages(request, "source_language", languages) : [];
    const encoded = await engine.encode(texts, request.signal);
    requireWaiting(request.signal);
    const rows =
      languages?.source === true
        ? encoded.map((row, index) => withLanguage(row, sources[index] ?? 0, languages))
        : encoded;
    refuseTooLong(rows, options);
    const targets = languages?.target === true ? readLanguages(request, "target_language", languages) : [];
    const length = paddedLength(rows, options.padding, options.maxLength);
    const tensor = (name: string): FixedTensor => {
      const output = declared.get(name);
      invariant(output !== undefined, `output ${name} was requested but is not declared`);
      if (name === "forced_bos_token_id")
        return tensorOf("INT64", [targets.length, 1], targets.map(BigInt)) as FixedTensor;
      const made = paddedTensor(name, output.dtype, rows, length, options.pad);
      holdAgainst(name, output, made.shape);
      return made;
    };
    return { outputs: new Map(request.outputs.map((name) => [name, tensor(name)])) };
  } catch (error) {
    return { error: failureAt(`${options.step}: `, error) };
  }
};

const holdAgainst = (name: string, { dims }: DeclaredOutput, shape: readonly number[]): void => {
  const sizes = shape.slice(-dims.length);
  if (dims.some((dim, axis) => dim !== -1 && dim !== sizes[axis]))
    throw new Error(`output ${name} has shape ${list(shape)}, but config.pbtxt declares ${list(dims)}`);
};

const list = (sizes: readonly number[]): string => `[${sizes.join(", ")}]`;

/** The options for an engine: `maxLength` leaves room in each row for its language token. */
const engineOptionsOf = (options: TokenizerTwinOptions): EngineOptions => ({
  ...options,
  maxLength: options.maxLength - addedLength(options),
});

/** A row with the token of its source language in place of the file's own, or at the front. */
const withLanguage = (row: EncodedRow, id: number, { at, replaces }: Languages): EncodedRow => {
  const place = at < 0 ? row.length + at : at;
  const put = <T>(values: readonly T[], value: T): readonly T[] =>
    values.toSpliced(place, replaces ? 1 : 0, value);
  return {
    length: row.length + (replaces ? 0 : 1),
    ids: () => put(row.ids(), id),
    typeIds: () => (replaces ? row.typeIds() : put(row.typeIds(), 0)),
    specialTokensMask: () => (replaces ? row.specialTokensMask() : put(row.specialTokensMask(), 1)),
    offsets: () => (replaces ? row.offsets() : put(row.offsets(), [0, 0])),
  };
};
