import { expect, it } from "vitest";
import { decodeUtf8, tryDecodeUtf8 } from "./utf8.ts";

it.each([2 ** 29, 2 ** 31 + 1])("refuses a text of %i bytes, which exceeds the longest string", (length) => {
  const bytes = new Uint8Array(length);
  for (const decode of [decodeUtf8, tryDecodeUtf8])
    expect(() => decode(bytes)).toThrow(
      expect.objectContaining({
        code: "request/too-large",
        message: `a text of ${length} bytes is too long: JavaScript strings can hold at most 536870888`,
      }),
    );
});
