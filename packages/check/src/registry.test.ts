import { releases } from "@tritype/triton";
import { expect, it } from "vitest";
import { entries } from "./registry.ts";

const groups = [
  "config",
  "tensor",
  "batch",
  "sequence",
  "ensemble",
  "warmup",
  "instance",
  "version",
  "backend",
  "onnx-model",
  "accelerator",
  "cache",
  "python",
  "model-file",
  "repository",
];

it("contains every code once", () => {
  const codes = entries.map(({ code }) => code);
  expect(codes.filter((code, i) => codes.indexOf(code) < i)).toEqual([]);
});

it.each(entries.map((entry) => [entry.code, entry] as const))(
  "the entry of %s is complete and well formed",
  (code, entry) => {
    const [group = "", name] = code.split("/");
    expect(groups).toContain(group);
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(entry.reason).toMatch(/[.…]"?$/);
    expect(entry.message).not.toMatch(/\.$/);
    for (const number of entry.triton) expect(number).toMatch(/^([1-9]\d?|1[0-6]\d|17[0-5])[bc]?$/);
    const containers = releases.map(({ container }) => container);
    for (const release of [entry.since, entry.until])
      if (release !== undefined) expect(containers).toContain(release);
  },
);
