import { skipString } from "./json-string.ts";
import { char } from "./json-text.ts";
import { type Steps, stepSize } from "./steps.ts";

/** The number of elements of a validated array; nested arrays count once. */
export function* countElements(bytes: Uint8Array): Steps<number> {
  let depth = 0;
  let commas = 0;
  let empty = true;
  let paused = 0;
  for (let at = 0; at < bytes.length; ) {
    if (at - paused > stepSize) {
      paused = at;
      yield;
    }
    const byte = bytes[at] as number;
    if (depth > 0 && byte > 0x20 && byte !== char.closeArray) empty = false;
    if (byte === char.quote) {
      at = yield* skipString(bytes, at);
      continue;
    }
    if (byte === char.openArray || byte === char.openObject) depth++;
    else if (byte === char.closeArray || byte === char.closeObject) depth--;
    else if (byte === char.comma && depth === 1) commas++;
    at++;
  }
  return empty ? 0 : commas + 1;
}
