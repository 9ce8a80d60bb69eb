import type { CompilerHost } from "../compiler-host.ts";
import { openFile } from "../open-file.ts";
import type { GenerateStepOptions } from "./generate-options.ts";

/** The files of an export, as paths from the project's root; a file that the author named may not exist. */
export interface ExportFiles {
  readonly encoder: string | undefined;
  readonly decoder: string | undefined;
  readonly decoderWithPast: string | undefined;
}

/** The files that the user named, or otherwise optimum's file names in the folder. */
export const findExport = (options: GenerateStepOptions, host: CompilerHost): ExportFiles => {
  const inFolder = (names: readonly string[]): string | undefined => {
    if (options.from === undefined) return undefined;
    const folder = options.from.replace(/\/+$/, "");
    return names.map((name) => `${folder}/${name}`).find((path) => openFile(host, path) !== undefined);
  };
  return {
    encoder: options.encoder ?? inFolder(["encoder_model.onnx"]),
    decoder: options.decoder ?? inFolder(["decoder_model_merged.onnx", "decoder_model.onnx", "model.onnx"]),
    decoderWithPast: options.decoderWithPast ?? inFolder(["decoder_with_past_model.onnx"]),
  };
};
