import { expect, it } from "vitest";
import { newFields } from "./new-fields.ts";
import { defaultRelease, releaseOf, releases } from "./releases.ts";

it("lists each release once, oldest first", () => {
  const containers = releases.map(({ container }) => container);
  expect(containers).toEqual([...new Set(containers)].toSorted());
  expect(releases.every(({ container }) => /^\d\d\.\d\d$/.test(container))).toBe(true);
});

it("finds a release by its container's tag", () => {
  expect(releaseOf("24.10")).toEqual({
    container: "24.10",
    server: "2.51.0",
    python: "3.10.12",
    onnxruntime: "1.19.2",
    maxOpset: 21,
    maxIrVersion: 10,
    maxMlOpset: 5,
  });
  expect(releaseOf("99.01")).toBeUndefined();
  expect(defaultRelease).toBe(releaseOf("24.10"));
});

it("new fields name only known releases", () => {
  for (const container of newFields.values()) expect(releaseOf(container)).toBeDefined();
});
