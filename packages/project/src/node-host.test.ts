import { expect, test } from "vitest";
import { projectFile } from "./node-host.ts";

test.each([
  ["/p/src/a.ts", "src/a.ts"],
  ["file:///p/src/a%20b.ts", "src/a b.ts"],
  ["/p/..shared/a.ts", "..shared/a.ts"],
  ["/p", ""],
  ["/other/a.ts", undefined],
  ["/", undefined],
  ["/p/node_modules/a/index.ts", undefined],
])("%s is the user's file %s", (path, file) => {
  expect(projectFile("/p")(path)).toBe(file);
});
