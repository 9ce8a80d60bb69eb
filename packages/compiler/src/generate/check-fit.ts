import type { Diagnostic, StepDefinition } from "@tritype/core";
import { definedAt } from "../check/check-declaration.ts";
import type { ExportConfig } from "./export-config.ts";
import { diagnoseGenerate } from "./generate-diagnostics.ts";
import type { DecoderParts, ExportFile } from "./read-export.ts";

/** The files of an export, and the signatures read from them. */
export interface ExportParts {
  readonly decoder: DecoderParts;
  readonly encoder: { readonly file: string; readonly inputs: readonly string[] } | undefined;
  readonly encoderFile: ExportFile | undefined;
  readonly decoderFile: ExportFile;
  readonly pastFile: ExportFile | undefined;
}

/** Checks the files of an export against each other and against its configuration. */
export const checkFit = (
  step: StepDefinition,
  { encoderFile, decoderFile, pastFile }: ExportParts,
  { model, path }: ExportConfig,
  scored: number,
): readonly Diagnostic[] => {
  const misfit = (what: string, other: string, reason: string): Diagnostic =>
    diagnoseGenerate("generate/misfit", {
      with: { step: step.name, what, other, reason },
      labels: definedAt(step, "this step"),
    });
  const sizeOf = (
    file: ExportFile | undefined,
    side: "inputs" | "outputs",
    name: string,
  ): number | undefined => {
    const size = file?.signature[side].find((port) => port.name === name)?.dims?.at(-1);
    return typeof size === "number" && size > 0 ? size : undefined;
  };
  const differ = (a: number | undefined, b: number | undefined): boolean =>
    a !== undefined && b !== undefined && a !== b;
  const made = sizeOf(encoderFile, "outputs", "last_hidden_state");
  const read = sizeOf(decoderFile, "inputs", "encoder_hidden_states");
  const laterScored = sizeOf(pastFile, "outputs", "logits");
  const said = model.decoder_vocab_size ?? model.vocab_size;
  return [
    ...(differ(made, read)
      ? [
          misfit(
            encoderFile?.path ?? "",
            decoderFile.path,
            `its output has ${made} numbers per token, but the decoder reads ${read}`,
          ),
        ]
      : []),
    ...(differ(laterScored, scored)
      ? [
          misfit(
            pastFile?.path ?? "",
            decoderFile.path,
            `it scores ${laterScored} tokens, but the other file ${scored}`,
          ),
        ]
      : []),
    ...(differ(said, scored)
      ? [
          misfit(
            path.replace(/[^/]+$/, "config.json"),
            decoderFile.path,
            `its vocabulary has ${said} tokens, but the decoder scores ${scored}`,
          ),
        ]
      : []),
  ];
};
