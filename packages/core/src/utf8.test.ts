import { expect, it } from "vitest";
import { decodeUtf8, tryDecodeUtf8 } from "./utf8.ts";

it.each([2 ** 29, 2 ** 31 + 1])(
  "refuses a string of %i bytes, which is longer than JavaScript allows",
  (length) => {
    const bytes = new Uint8Array(length);
    for (const decode of [decodeUtf8, tryDecodeUtf8])
      expect(() => decode(bytes)).toThrow(
        expect.objectContaining({
          code: "request/too-large",
          message: `a string of ${length} bytes is too long: JavaScript's limit is 536870888`,
        }),
      );
  },
);
