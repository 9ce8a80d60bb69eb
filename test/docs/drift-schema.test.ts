import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { driftReportJsonSchema } from "@tritype/drift";
import { expect, test } from "vitest";

const file = fileURLToPath(new URL("../../docs/drift-report.schema.json", import.meta.url));

test("docs/drift-report.schema.json matches the package's output; UPDATE=1 rewrites it", () => {
  const text = `${JSON.stringify(driftReportJsonSchema(), null, 2)}\n`;
  if (process.env["UPDATE"] === "1") writeFileSync(file, text);
  expect(readFileSync(file, "utf8")).toBe(text);
});
