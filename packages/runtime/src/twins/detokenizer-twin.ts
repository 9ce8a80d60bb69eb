import { join } from "node:path";
import { type DetokenizerTwinOptions, cleanUpReplacements, detokenizerTwinSchema } from "@tritype/manifest";
import { encodeUtf8, type FixedTensor, invariant, typedArrayOf, foreignError } from "@tritype/core";
import type { Decoder, Id } from "./decoder.ts";
import { openDecoder, type OpenDecoder } from "./open-decoder.ts";
import { requireWaiting } from "./take-turns.ts";
import type { LoadedModel, ModelRequest, ModelResult, ModelVersion } from "../backend.ts";
import { readOptions } from "./read-options.ts";
import { failureAt } from "../failure-at.ts";

/**
 * The native twin of a detokenizer step: the same texts and error codes as the emitted `model.py`, which is the
 * contract. Undefined if the Rust library cannot be loaded; then the Python runs, because transformers.js gives
 * different texts for some ids.
 * @throws PipelineError as `loadTwin` does.
 */
export const loadDetokenizerTwin = async (
  given: unknown,
  model: ModelVersion,
  open?: OpenDecoder,
): Promise<LoadedModel | undefined> => {
  const options = readOptions(detokenizerTwinSchema, given, model);
  const decoder = await openDecoder(join(model.versionFolder, "tokenizer.json"), open);
  if (decoder === undefined) return undefined;
  return {
    execute: (requests) => Promise.all(requests.map((request) => respond(request, options, decoder))),
    close: async () => {},
  };
};

const respond = async (
  request: ModelRequest,
  options: DetokenizerTwinOptions,
  decoder: Decoder,
): Promise<ModelResult> => {
  try {
    requireWaiting(request.signal);
    const tensor = request.inputs.get("ids") as FixedTensor | undefined;
    invariant(tensor !== undefined, "a detokenizer was called without ids");
    const rows = rowsOf(tensor).map((row) => row.filter((id) => id !== options.padId));
    refuseUnknown(rows, decoder);
    const texts = await decoder.decode(
      rows.map((row) => row.map(Number)),
      options.skipSpecialTokens,
    );
    const data = texts.map((text) => encodeUtf8(options.cleanUp ? cleanUp(text) : text));
    return { outputs: new Map([["text", { dtype: "BYTES", shape: [data.length, 1], data }]]) };
  } catch (error) {
    return { error: failureAt(`${options.step}: `, error) };
  }
};

const rowsOf = (tensor: FixedTensor): readonly (readonly Id[])[] => {
  const [count = 0, length = 0] = tensor.shape;
  const ids = Array.from(typedArrayOf(tensor), exact);
  return Array.from({ length: count }, (_, row) => ids.slice(row * length, (row + 1) * length));
};

const exact = (id: Id): Id => (Number.isSafeInteger(Number(id)) ? Number(id) : id);

/**
 * @throws PipelineError `request/invalid` for the first id that is not in the vocabulary: the library would silently
 * omit it.
 */
const refuseUnknown = (rows: readonly (readonly Id[])[], decoder: Decoder): void => {
  const known = new Set<Id>();
  rows.forEach((row, index) => {
    for (const id of row) {
      if (known.has(id)) continue;
      if (!decoder.isToken(id))
        throw foreignError(
          "request/invalid",
          `row ${index} has id ${id}, which is not one of the ${decoder.size} tokens of tokenizer.json`,
        );
      known.add(id);
    }
  });
};

const cleanUp = (text: string): string =>
  cleanUpReplacements.reduce((cleaned, [from, to]) => cleaned.replaceAll(from, to), text);
