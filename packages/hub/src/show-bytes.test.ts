import { expect, test } from "vitest";
import { showBytes } from "./show-bytes.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1 kB"],
  [17_082_730, "17.1 MB"],
  [999_999, "1000 kB"],
  [2_235_363_328, "2.24 GB"],
])("%i is %s", (bytes, text) => {
  expect(showBytes(bytes)).toBe(text);
});
