import { expect, test } from "vitest";
import { parseManifest } from "./parse-manifest.ts";

test.each([
  ["a web project's manifest", '{"name": "app"}', "foreign"],
  ["text that is not JSON", "{", "foreign"],
  ["a newer format", '{"formatVersion": 99, "loadOrder": []}', "newer"],
  ["a manifest without models", '{"formatVersion": 1, "loadOrder": []}', "broken"],
])("%s", (_, text, kind) => {
  expect(parseManifest(text).kind).toBe(kind);
});
