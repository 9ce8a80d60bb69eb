import { decodeModel, embeddingSizes } from "@tritype/onnx";
import type { CompilerHost } from "../compiler-host.ts";
import type { TakenTokens } from "../step-kind.ts";
import { transformersConfig } from "../tokenizer/transformers-config.ts";
import { onnxBytes } from "./onnx-bytes.ts";
import type { OpenedOnnx } from "./onnx-file.ts";

/** Number of tokens in the tables of an ONNX file; undefined if none are known. */
export const takenTokens = ({ file }: OpenedOnnx, host: CompilerHost): TakenTokens | undefined => {
  const bytes = onnxBytes(host, file);
  if (bytes === undefined) return undefined;
  const { tokens, positions } = embeddingSizes(decodeModel(bytes).graph ?? {});
  const folder = file.split("/").slice(0, -1).join("/");
  const before = transformersConfig(host, folder)?.positionsBefore ?? 0;
  return { file, tokens, positions: positions === undefined ? undefined : positions - before };
};
