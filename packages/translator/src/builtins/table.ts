import { arrayProperties, arrays } from "./array.ts";
import { encodings } from "./encoding.ts";
import { globalProperties, globals } from "./globals.ts";
import { json } from "./json.ts";
import { mapProperties, maps } from "./map.ts";
import { math, mathProperties } from "./math.ts";
import { numbers } from "./number.ts";
import { objects } from "./object.ts";
import type { PropertyRows, Rows, TranslatedRow } from "./row.ts";
import { typedArrays } from "./typed.ts";
import { stringProperties, strings } from "./string.ts";

/** Every JavaScript built-in that the translator knows, by receiver and name. */
export const builtins: Rows = {
  ...strings,
  ...numbers,
  ...math,
  ...arrays,
  ...typedArrays,
  ...maps,
  ...objects,
  ...json,
  ...globals,
  ...encodings,
};

/** The row of a built-in that is translated. */
export const translatedRow = (name: string): TranslatedRow | undefined => {
  const row = builtins[name];
  return row === undefined || "refuse" in row ? undefined : row;
};

/** Built-in properties and constants of JavaScript. */
export const properties: PropertyRows = {
  ...stringProperties,
  ...arrayProperties,
  ...mapProperties,
  ...mathProperties,
  ...globalProperties,
};
