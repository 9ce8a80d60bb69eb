import { type Diagnostic, decodeUtf8, type Label } from "@tritype/core";
import { type ModelConfig, newerFields, parseModelConfig } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import { describeProblem } from "./describe-problem.ts";
import { textLimit } from "./limits.ts";
import { locateIn } from "./locate-in.ts";
import { diagnoseReading } from "./reading-entries.ts";

export type ReadText =
  | { readonly config: ModelConfig; readonly text: string }
  | { readonly diagnostics: readonly Diagnostic[] };

/** Reads a configuration's bytes as the target release would. */
export const readConfigBytes = (
  bytes: Uint8Array,
  name: string,
  file: string,
  options: CheckOptions,
): ReadText => {
  const refuse = (diagnostic: Diagnostic): ReadText => ({ diagnostics: [diagnostic] });
  const start: Label = { span: { file, line: 1, column: 1 }, text: "this file" };
  if (bytes.length > textLimit)
    return refuse(diagnoseReading("config/too-large", { with: { name, limit: textLimit }, labels: [start] }));
  const text = decodeUtf8(bytes);
  const read = readConfigText(text, file, options);
  const odd = "diagnostics" in read ? oddCharacter(text) : undefined;
  if (odd === undefined) return read;
  const { what, at } = odd;
  const label = { span: { file, ...positionOf(text, at) }, text: "here" };
  return refuse(diagnoseReading("config/not-text", { with: { name, what }, labels: [label] }));
};

/** Reads a configuration's text as the target release would. */
export const readConfigText = (text: string, file: string, options: CheckOptions): ReadText => {
  const read = parseModelConfig(text);
  if ("problem" in read) return { diagnostics: [describeProblem(read.problem, text, file)] };
  const release = options.release.container;
  const newer = newerFields(read.config, release);
  if (newer.length === 0) return { config: read.config, text };
  const at = locateIn(text, file);
  return {
    diagnostics: newer.map(({ path, field, message, since }) =>
      diagnoseReading("config/field-too-new", {
        with: { field, message, since, release },
        labels: [at(path, `new in ${since}`)],
      }),
    ),
  };
};

/** What keeps a text that does not parse from being text at all. */
const oddCharacter = (text: string): { readonly what: string; readonly at: number } | undefined => {
  if (text.startsWith("\uFEFF")) return { what: "it begins with a byte order mark", at: 0 };
  const nul = text.indexOf("\0");
  if (nul !== -1) return { what: "it has zero bytes", at: nul };
  const broken = text.indexOf("\uFFFD");
  return broken === -1 ? undefined : { what: "it is not UTF-8", at: broken };
};

const positionOf = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
};
