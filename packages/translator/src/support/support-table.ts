import { arrays } from "./arrays.ts";
import { bigints } from "./bigints.ts";
import { encoding } from "./encoding.ts";
import { jsonText } from "./json-text.ts";
import { numbers } from "./numbers.ts";
import { records } from "./records.ts";
import { sorting } from "./sorting.ts";
import { strings } from "./strings.ts";
import type { SupportPieces } from "./support-piece.ts";
import { unicodeText } from "./unicode-text.ts";
import { values } from "./values.ts";

/** Every piece of support code by name, in the order in which they are printed where no dependency says otherwise. */
export const supportTable: SupportPieces = {
  ...values,
  ...strings,
  ...numbers,
  ...bigints,
  ...arrays,
  ...sorting,
  ...records,
  ...encoding,
  ...jsonText,
  ...unicodeText,
};
