import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith } from "./check-fixture.ts";
import { serveHere } from "./served-dev.ts";

const ensemble = (output: string): string => `platform: "ensemble"
input { name: "IN" data_type: TYPE_FP32 dims: 2 }
output { name: "${output}" data_type: TYPE_FP32 dims: 2 }
ensemble_scheduling { step { model_name: "none" model_version: -1 input_map { key: "X" value: "IN" } output_map { key: "Y" value: "OUT" } } }
`;

test("dev prints the findings of check for a given repository, and new findings after a change", async () => {
  const root = folderWith({ "repository/e/config.pbtxt": ensemble("OTHER"), "repository/e/1/.keep": "" });
  const server = await serveHere({ root }, ["repository"]);
  expect(server.err()).toContain("  e  unavailable: ensemble output 'OTHER' for ensemble e' is not used\n");
  expect(server.err()).toContain(
    "error[ensemble/unwritten-output]: output `OTHER` of ensemble `e` is never written\n ┌─ repository/e/config.pbtxt:3:10",
  );
  const missing = /error\[ensemble\/missing-model\]/g;
  expect(server.err().match(missing)).toHaveLength(1);
  writeFileSync(join(root, "repository/e/config.pbtxt"), ensemble("OUT").replaceAll("dims: 2", "dims: 0"));
  const printed = await server.prints(/error\[tensor\/bad-dim\].*\n/);
  expect(printed).toContain(
    "cannot load e: ensemble e contains models that are not available or ambiguous: none",
  );
  // It has already been reported.
  expect(server.err().match(missing)).toHaveLength(1);
});
