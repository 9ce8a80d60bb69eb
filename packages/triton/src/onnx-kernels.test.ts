import { expect, it } from "vitest";
import { firstWithKernel, lacksKernel } from "./onnx-kernels.ts";
import { releaseOf } from "./releases.ts";

it.each([
  ["Add", 17, 0, "INT8", "24.10", true],
  ["Add", 17, 1, "INT8", "24.10", true],
  ["Add", 17, 0, "INT8", "25.05", false],
  ["Add", 17, 0, "FP32", "24.10", false],
  ["Add", 13, 0, "INT8", "24.10", false],
  ["Conv", 17, 0, "FP64", "24.01", true],
  ["Conv", 22, 2, "FP64", "26.08", true],
  ["Max", 17, 7, "INT16", "24.10", true],
  ["Trilu", 17, 0, "BOOL", "24.05", true],
  ["Trilu", 17, 1, "INT64", "24.05", false],
  ["Trilu", 17, 0, "BOOL", "24.10", false],
  ["Where", 17, 0, "BOOL", "24.10", false],
  ["Where", 17, 2, "INT16", "24.10", true],
] as const)(
  "%s of opset %i, input %i, with %s in Triton %s: no kernel is %s",
  (name, version, input, dtype, container, lacks) => {
    const release = releaseOf(container);
    expect(release && lacksKernel({ name, version, input, dtype }, release)).toBe(lacks);
  },
);

it("finds the first release with a kernel", () => {
  const release = releaseOf("24.10");
  const first = (name: string, dtype: "FP64" | "INT8") =>
    release && firstWithKernel({ name, version: 17, input: 0, dtype }, release);
  expect([first("Add", "INT8"), first("Conv", "FP64")]).toEqual(["25.03", undefined]);
});
