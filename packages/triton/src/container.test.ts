import { expect, test } from "vitest";
import { containerOf } from "./container.ts";
import { releaseOf, releases } from "./releases.ts";

const of = (container: string) => {
  const release = releaseOf(container);
  if (release === undefined) throw new Error(`no release ${container}`);
  return containerOf(release);
};

test("the images match the release", () => {
  expect(of("24.10")).toMatchObject({
    image: "nvcr.io/nvidia/tritonserver:24.10-py3",
    minImage: "nvcr.io/nvidia/tritonserver:24.10-py3-min",
  });
});

test("the Python version matches the release notes, if they name one", () => {
  for (const release of releases) {
    const { python } = containerOf(release);
    expect((release.python ?? `${python}.0`).startsWith(`${python}.`), release.container).toBe(true);
  }
});

test.each([
  ["24.01", "22.04", "datacenter-gpu-manager=1:3.2.6", true],
  ["24.10", "22.04", "datacenter-gpu-manager=1:3.2.6", true],
  ["24.11", "24.04", "datacenter-gpu-manager=1:3.3.6", false],
  ["25.07", "24.04", "datacenter-gpu-manager=1:3.3.6", false],
  ["25.08", "24.04", "datacenter-gpu-manager-4-core=1:4.4.0-1", false],
  ["26.03", "24.04", "datacenter-gpu-manager-4-core=1:4.5.2-1", false],
  ["26.08", "24.04", "datacenter-gpu-manager-4-core=1:4.6.1-1", false],
] as const)("%s contains Ubuntu %s and %s", (container, ubuntu, dcgm, re2) => {
  const { packages, nvidiaPackages, ubuntu: found } = of(container);
  expect(found).toBe(ubuntu);
  expect(nvidiaPackages[0]).toBe(dcgm);
  expect(packages.includes("libre2-9")).toBe(re2);
});

test("TensorFlow's backend is in the image until 25.02", () => {
  expect(of("25.02").backends).toContain("tensorflow");
  expect(of("25.03").backends).not.toContain("tensorflow");
});
