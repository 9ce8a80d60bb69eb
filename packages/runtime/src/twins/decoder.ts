/** A bigint if a number would not be exact: no token has such an id. */
export type Id = number | bigint;

/** Turns token ids into text according to one `tokenizer.json`. */
export interface Decoder {
  readonly size: number;
  isToken(id: Id): boolean;
  decode(rows: readonly (readonly number[])[], skipSpecialTokens: boolean): Promise<readonly string[]>;
}
