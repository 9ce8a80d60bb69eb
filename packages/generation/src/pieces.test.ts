import { expect, test } from "vitest";
import { openPieces } from "./pieces.ts";

/** Tokens are UTF-8 bytes. */
const decode = async (tokens: readonly number[]): Promise<string> =>
  new TextDecoder().decode(Uint8Array.from(tokens));

const piecesOf = async (
  text: string,
  more: { readonly stop?: readonly string[]; readonly cleanUp?: readonly (readonly [string, string])[] } = {},
): Promise<readonly string[]> => {
  const pieces = openPieces({
    decode,
    padId: 0,
    checkToken: (token) => {
      if (token > 255) throw new Error("no byte");
    },
    stop: [],
    cleanUp: [],
    ...more,
  });
  const found: string[] = [];
  for (const byte of [...new TextEncoder().encode(text), 0]) {
    if (await pieces.add(byte)) break;
    found.push(pieces.take(false));
  }
  await pieces.end();
  found.push(pieces.take(true));
  await expect(pieces.add(256)).rejects.toThrow("no byte");
  return found.filter((piece) => piece !== "");
};

test("pieces are whole characters", async () => {
  expect(await piecesOf("aé𝄞z")).toEqual(["a", "é", "𝄞", "z"]);
});

test("no part of a stop string is emitted", async () => {
  expect(await piecesOf("one two", { stop: ["e t", "x"] })).toEqual(["o", "n"]);
  expect(await piecesOf("one", { stop: ["e t"] })).toEqual(["o", "n", "e"]);
});

test("text that clean-up may still change is held back, and characters are never split", async () => {
  const cleanUp = [[" .", "."]] as const;
  const found = await piecesOf("𝄞𝄞𝄞𝄞𝄞𝄞 . a", { cleanUp });
  expect(found.join("")).toBe("𝄞𝄞𝄞𝄞𝄞𝄞. a");
  expect(found.every((piece) => !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(piece))).toBe(true);
});
