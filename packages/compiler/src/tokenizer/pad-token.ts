import type { PadToken } from "@tritype/manifest";
import type { TokenizerFile } from "./tokenizer-file.ts";

/** How the well-known tokenizers call it. */
const usualNames = ["[PAD]", "<pad>", "<|pad|>", "<PAD>", "<|finetune_right_pad_id|>"];

/**
 * The pad token: what the file's own `padding` names, else `pad_token` of `tokenizer_config.json`, else a token with a usual name.
 * Undefined when there is none.
 */
export const findPadToken = (file: TokenizerFile): PadToken | undefined => {
  if (file.padding !== undefined) return file.padding;
  const names = file.config.padToken === undefined ? usualNames : [file.config.padToken];
  for (const token of names) {
    const id = file.tokenId(token);
    if (id !== undefined) return { token, id, typeId: 0, side: file.config.paddingSide ?? "right" };
  }
  return undefined;
};
