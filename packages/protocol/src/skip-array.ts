import { readNumber } from "./json-number.ts";
import { skipString } from "./json-string.ts";
import { char, jsonFailure, skipSpace, skipWord, tooDeep, wordAt } from "./json-text.ts";
import { type Steps, stepSize } from "./steps.ts";

/**
 * Validates the JSON of an array without storing any of it; returns its end.
 * @param start The position of its bracket. @param depth The depth of the array. @param maxDepth The maximum depth of its content.
 * @throws PipelineError as `exactJsonSteps` does.
 */
export function* skipArray(bytes: Uint8Array, start: number, depth: number, maxDepth: number): Steps<number> {
  /** The pending closing bytes. */
  const due: number[] = [];
  let paused = start;
  let at = start;
  for (;;) {
    if (at - paused > stepSize) {
      paused = at;
      yield;
    }
    if (depth + due.length > maxDepth) throw tooDeep();
    const byte = bytes[at];
    if (byte === char.openArray) {
      at = skipSpace(bytes, at + 1);
      due.push(char.closeArray);
      if (bytes[at] !== char.closeArray) continue;
    } else if (byte === char.openObject) {
      at = skipSpace(bytes, at + 1);
      due.push(char.closeObject);
      if (bytes[at] !== char.closeObject) {
        at = yield* skipName(bytes, at);
        continue;
      }
    } else if (byte === char.quote) at = yield* skipString(bytes, at);
    else {
      const word = wordAt(bytes, at);
      at = word === undefined ? readNumber(bytes, at).end : skipWord(bytes, at, word[0]);
    }
    for (;;) {
      if (at - paused > stepSize) {
        paused = at;
        yield;
      }
      at = skipSpace(bytes, at);
      const closing = due.at(-1) as number;
      if (bytes[at] === closing) {
        at++;
        due.pop();
        if (due.length === 0) return at;
        continue;
      }
      if (bytes[at] !== char.comma)
        throw jsonFailure(
          closing === char.closeArray
            ? "Missing a comma or ']' after an array element."
            : "Missing a comma or '}' after an object member.",
          at,
        );
      at = skipSpace(bytes, at + 1);
      if (closing === char.closeObject) at = yield* skipName(bytes, at);
      break;
    }
  }
}

function* skipName(bytes: Uint8Array, at: number): Steps<number> {
  if (bytes[at] !== char.quote) throw jsonFailure("Missing a name for object member.", at);
  const colon = skipSpace(bytes, yield* skipString(bytes, at));
  if (bytes[colon] !== char.colon) throw jsonFailure("Missing a colon after a name of object member.", colon);
  return skipSpace(bytes, colon + 1);
}
