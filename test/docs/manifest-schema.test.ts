import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { manifestJsonSchema } from "@tritype/manifest";
import { expect, test } from "vitest";

const file = fileURLToPath(new URL("../../docs/manifest.schema.json", import.meta.url));

test("docs/manifest.schema.json matches the compiler's output; UPDATE=1 rewrites it", () => {
  const text = `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`;
  if (process.env["UPDATE"] === "1") writeFileSync(file, text);
  expect(readFileSync(file, "utf8")).toBe(text);
});
