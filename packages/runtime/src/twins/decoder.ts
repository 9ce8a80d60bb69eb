/** Bigint where a number would not be exact: no such id is a token. */
export type Id = number | bigint;

/** Makes text of token ids, as one `tokenizer.json` says. */
export interface Decoder {
  readonly size: number;
  isToken(id: Id): boolean;
  decode(rows: readonly (readonly number[])[], skipSpecialTokens: boolean): Promise<readonly string[]>;
}
