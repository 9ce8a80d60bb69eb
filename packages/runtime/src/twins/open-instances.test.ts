import { expect, test } from "vitest";
import { openInstances } from "./open-instances.ts";

const failing = (closed: string[]) => [
  Promise.resolve({ close: async () => void closed.push("first") }),
  Promise.reject(new Error("no such module")),
];

test("if one instance cannot be opened, the others are closed", async () => {
  const closed: string[] = [];
  await expect(openInstances("step 'clean'", failing(closed))).rejects.toMatchObject({
    reason: "model/twin-not-loaded",
    message: "step 'clean' cannot be loaded: no such module",
  });
  expect(closed).toEqual(["first"]);
});

test("a function on Node has no emitted Python that could run in its place", async () => {
  const opened = openInstances("step 'clean'", failing([]), "model/function-not-loaded");
  await expect(opened).rejects.toMatchObject({
    help: "fix the function or the module that fails, and build again",
  });
});
