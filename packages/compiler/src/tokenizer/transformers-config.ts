import { positionsBefore } from "@tritype/onnx";
import { z } from "zod";
import type { CompilerHost } from "../compiler-host.ts";
import { parseJson } from "../parse-json.ts";

/** The token ids in a `config.json` from transformers. */
export interface TransformersConfig {
  readonly path: string;
  readonly padTokenId: number | undefined;
  /** The number of positions before the first token's. */
  readonly positionsBefore: number;
}

const schema = z.object({
  model_type: z.string(),
  pad_token_id: z.int().nullish().catch(undefined),
});

/** The `config.json` in a folder; undefined if transformers did not write one. */
export const transformersConfig = (host: CompilerHost, folder: string): TransformersConfig | undefined => {
  const path = folder === "" ? "config.json" : `${folder.replace(/\/+$/, "")}/config.json`;
  const { data } = schema.safeParse(parseJson(host.readFile(path)));
  if (data === undefined) return undefined;
  const padTokenId = data.pad_token_id ?? undefined;
  return {
    path,
    padTokenId,
    positionsBefore: positionsBefore(data),
  };
};
