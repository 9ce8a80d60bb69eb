import { decodeUtf8, type Span } from "@tritype/core";
import { defaultRelease } from "@tritype/triton";
import { describe, expect, it } from "vitest";
import { checkRepository } from "../read/check-repository.ts";
import { type Content, memoryRepository } from "../read/memory-repository.fixture.ts";
import { backendCases } from "./cases/backend-cases.fixture.ts";
import { batchCases } from "./cases/batch-cases.fixture.ts";
import { executionCases } from "./cases/execution-cases.fixture.ts";
import { nameCases } from "./cases/name-cases.fixture.ts";
import type { Broken } from "./cases/rule-case.fixture.ts";
import { tensorCases } from "./cases/tensor-cases.fixture.ts";
import { versionCases } from "./cases/version-cases.fixture.ts";
import { configRules } from "./config-rules.ts";

const cases = [
  ...nameCases,
  ...backendCases,
  ...versionCases,
  ...tensorCases,
  ...batchCases,
  ...executionCases,
];

const hostOf = ({ config, files = { "m/1/model.py": "" } }: Broken) => {
  const all: Record<string, Content> = { ...files };
  if (config !== "") all["m/config.pbtxt"] = config;
  return memoryRepository(all);
};

const judge = (broken: Broken, code: string) =>
  checkRepository(hostOf(broken), { release: defaultRelease, ...broken.options }).diagnostics.filter(
    (diagnostic) => diagnostic.code === code,
  );

/** The rest of the line at a place of the configuration. */
const textAt = (broken: Broken, span: Span | undefined): string => {
  const text = decodeUtf8(hostOf(broken).read(span?.file ?? "") ?? new Uint8Array());
  const line = text.split("\n")[(span?.line ?? 0) - 1] ?? "";
  return line.slice((span?.column ?? 0) - 1);
};

describe.each(cases.map((row) => [row.code, row.says, row] as const))("%s: %s", (code, _, row) => {
  it("is found, at its place", () => {
    const found = judge(row.breaks, code);
    expect(found.map(({ message }) => message)).toEqual([row.says]);
    if (row.help !== undefined) expect(found.map(({ help }) => help)).toEqual([row.help]);
    const span = found[0]?.labels[0]?.span;
    expect(textAt(row.breaks, span).slice(0, row.at.length)).toBe(row.at);
  });

  it.each(row.passes.map((near) => [near.config, near] as const))("passes %s", (_config, near) => {
    const { models } = checkRepository(hostOf(near), { release: defaultRelease, ...near.options });
    expect(models.size).toBeGreaterThan(0);
    expect(judge(near, code)).toEqual([]);
  });
});

it("has a case for every rule", () => {
  const tested = new Set(cases.map(({ code }) => code));
  expect(configRules.map(({ entry }) => entry.code).filter((code) => !tested.has(code))).toEqual([]);
});
