import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseRequest, readGivenFile } from "./request-file.ts";

test("a file of requests may start with a byte order mark", () => {
  const folder = mkdtempSync(join(tmpdir(), "request-file-"));
  try {
    const path = join(folder, "samples.json");
    writeFileSync(path, '\uFEFF[{ "n": 1 }]');
    expect(parseRequest(path, readGivenFile(path, "--samples: the file"))).toEqual([{ n: 1 }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
