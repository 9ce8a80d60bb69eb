import type { StepDefinition } from "@tritype/core";
import { decodeModel, embeddingSizes } from "@tritype/onnx";
import { transformersConfig } from "../tokenizer/transformers-config.ts";
import type { StepContext, TakenTokens } from "../step-kind.ts";
import { onnxBytes } from "./onnx-bytes.ts";

/** What the tables of the ONNX file that a step names as `file` hold; undefined where it has none that is known. */
export const takenTokens = (step: StepDefinition, { host }: StepContext): TakenTokens | undefined => {
  const file = String(step.options["file"]);
  const bytes = onnxBytes(host, file);
  if (bytes === undefined) return undefined;
  const { tokens, positions } = embeddingSizes(decodeModel(bytes).graph ?? {});
  const folder = file.split("/").slice(0, -1).join("/");
  const before = transformersConfig(host, folder)?.positionsBefore ?? 0;
  return { file, tokens, positions: positions === undefined ? undefined : positions - before };
};
