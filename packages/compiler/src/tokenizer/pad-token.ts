import type { PadToken } from "@tritype/manifest";
import type { TokenizerFile } from "./tokenizer-file.ts";

/** The pad token's names in well-known tokenizers. */
const usualNames = ["[PAD]", "<pad>", "<|pad|>", "<PAD>", "<|finetune_right_pad_id|>"];

/**
 * The pad token: the one in the file's own `padding`, or otherwise `pad_token` in `tokenizer_config.json`, or otherwise a token with a
 * common name. Undefined if there is none.
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
