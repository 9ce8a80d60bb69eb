import type { Dim } from "@tritype/core";
import type { EmptyCache, ExportedPart } from "@tritype/manifest";
import type { OnnxPort, OnnxSignature } from "@tritype/onnx";
import type { OpenedOnnx } from "../onnx/onnx-file.ts";

/** An exported file: its path, its name in the version folder, and its signature. */
export interface ExportFile {
  readonly path: string;
  readonly name: string;
  readonly signature: OnnxSignature;
  readonly onnx: OpenedOnnx;
}

/** The reason why a file cannot be run, as the end of a sentence about the file. */
export interface ExportProblem {
  readonly kind: "no-past" | "unknown-signature";
  readonly path: string;
  readonly reason: string;
}

/** A decoder's two steps, derived from the names and dims of its tensors. */
export interface DecoderParts {
  readonly first: ExportedPart;
  readonly next: ExportedPart;
  readonly caches: readonly EmptyCache[];
  /** The number of ids that have scores; undefined if the file leaves it open. */
  readonly scored: number | undefined;
  readonly positionIds: boolean;
}

const plain: Readonly<Record<string, string>> = {
  input_ids: "INT64",
  attention_mask: "INT64",
  position_ids: "INT64",
  encoder_attention_mask: "INT64",
  encoder_hidden_states: "",
  use_cache_branch: "BOOL",
};
const isPast = (name: string): boolean => /^past_key_values?\./.test(name);
/** The keys and values of the encoder's output, which the first step computes for all later steps. */
const isCross = (name: string): boolean => name.includes(".encoder.");

/** Whether a decoder reads an encoder's output. */
export const readsEncoder = ({ signature }: ExportFile): boolean =>
  signature.inputs.some(({ name }) => name.startsWith("encoder_"));

/** The export's encoder, or the reason why it cannot be run. */
export const readEncoder = (
  file: ExportFile,
): { readonly file: string; readonly inputs: readonly string[] } | ExportProblem => {
  const { inputs, outputs } = file.signature;
  const problem = unknownInput(file, ["input_ids", "attention_mask"]);
  if (problem !== undefined) return problem;
  if (!outputs.some(({ name }) => name === "last_hidden_state"))
    return unknown(file, "has no output `last_hidden_state`");
  return { file: file.name, inputs: inputs.map(({ name }) => name) };
};

/**
 * The two steps of a decoder: one file that does both (merged, or with a past that may be empty), or one file for each.
 * @param withPast The separate file for later tokens, if there is one.
 */
export const readDecoder = (
  decoder: ExportFile,
  withPast: ExportFile | undefined,
): DecoderParts | ExportProblem => {
  const both = pastOf(decoder).length > 0;
  const later = both ? decoder : withPast;
  if (later === undefined || pastOf(later).length === 0)
    return { kind: "no-past", path: (later ?? decoder).path, reason: "" };
  const problem =
    unknownInput(decoder, Object.keys(plain)) ??
    unknownInput(later, Object.keys(plain)) ??
    unknownOutputs(decoder);
  if (problem !== undefined) return problem;
  const merged = decoder.signature.inputs.some(({ name }) => name === "use_cache_branch");
  if (both && !merged && readsEncoder(decoder))
    return unknown(
      decoder,
      "needs the encoder's keys and values as inputs even for the first token, but no file computes them",
    );
  const links = pastOf(later).map(({ name: past }) => ({ past, present: presentOf(later, decoder, past) }));
  const lost = links.find(({ present }) => present === undefined);
  if (lost !== undefined) return unknown(decoder, `takes \`${lost.past}\`, but no output continues it`);
  const kept = links.map(({ past, present = "" }) => ({ past, present }));
  const firstOutputs = new Set(decoder.signature.outputs.map(({ name }) => name));
  const laterOutputs = new Set(later.signature.outputs.map(({ name }) => name));
  const unlinked = kept.find(({ present }) => !firstOutputs.has(present));
  if (unlinked !== undefined)
    return unknown(decoder, `has no output \`${unlinked.present}\`, which later tokens need`);
  const read = pastOf(later).map((port) => emptyCache(later, port));
  const caches = read.filter((cache): cache is EmptyCache => !("kind" in cache));
  const open = read.find((cache) => "kind" in cache);
  // If the first step has no past, only streams need to know the layout.
  if (both && open !== undefined && "kind" in open) return open;
  const logits = decoder.signature.outputs.find(({ name }) => name === "logits")?.dims?.at(-1);
  return {
    first: { file: decoder.name, inputs: namesOf(decoder), keeps: kept },
    next: {
      file: later.name,
      inputs: namesOf(later),
      // A merged decoder returns empty tensors if it did not recompute the encoder's keys.
      keeps: kept.filter(({ past, present }) => !isCross(past) && laterOutputs.has(present)),
    },
    caches,
    scored: typeof logits === "number" && logits > 0 ? logits : undefined,
    positionIds: namesOf(decoder).includes("position_ids"),
  };
};

const namesOf = ({ signature }: ExportFile): readonly string[] => signature.inputs.map(({ name }) => name);
const pastOf = ({ signature }: ExportFile): readonly OnnxPort[] =>
  signature.inputs.filter(({ name }) => isPast(name));

/** `past_key_values.0.decoder.key` comes from `present.0.decoder.key`; older exports write `present_key_values`. */
const presentOf = (later: ExportFile, first: ExportFile, past: string): string | undefined => {
  const rest = past.slice(past.indexOf("."));
  const outputs = [...later.signature.outputs, ...first.signature.outputs];
  return ["present", "present_key_values"]
    .map((start) => start + rest)
    .find((name) => outputs.some((output) => output.name === name));
};

const unknown = ({ path }: ExportFile, reason: string): ExportProblem => ({
  kind: "unknown-signature",
  path,
  reason,
});

const unknownInput = (file: ExportFile, known: readonly string[]): ExportProblem | undefined => {
  if (!namesOf(file).includes("input_ids")) return unknown(file, "has no input `input_ids`");
  for (const { name, dtype } of file.signature.inputs) {
    if (isPast(name)) continue;
    if (!known.includes(name)) return unknown(file, `has an input \`${name}\`, which is unknown`);
    const wanted = plain[name] ?? "";
    if (wanted !== "" && dtype !== wanted)
      return unknown(file, `has the input \`${name}\` as ${dtype ?? "no tensor"}, not ${wanted}`);
  }
  return undefined;
};

const unknownOutputs = (file: ExportFile): ExportProblem | undefined => {
  const logits = file.signature.outputs.find(({ name }) => name === "logits");
  if (logits === undefined) return unknown(file, "has no output `logits`");
  if (logits.dtype !== "FP32" && logits.dtype !== "FP16")
    return unknown(file, `has \`logits\` as ${logits.dtype ?? "no tensor"}, not FP32 or FP16`);
  return undefined;
};

/** [batch, heads, tokens, size of a head], with the axes after the batch in any order: the axis that the file leaves open counts tokens. */
const emptyCache = (file: ExportFile, { name, dtype, dims }: OnnxPort): EmptyCache | ExportProblem => {
  const isOpen = (dim: Dim): boolean => typeof dim !== "number" || dim < 0;
  const inner = dims?.slice(1) ?? [];
  if ((dtype !== "FP32" && dtype !== "FP16") || dims?.length !== 4 || inner.filter(isOpen).length !== 1)
    return unknown(file, `has the cache \`${name}\` in an unknown form`);
  return {
    past: name,
    dtype,
    shape: inner.map((dim) => (isOpen(dim) ? 0 : Number(dim))),
    axis: 1 + inner.findIndex(isOpen),
  };
};
