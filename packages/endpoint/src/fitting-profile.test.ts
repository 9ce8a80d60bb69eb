import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fittingProfile } from "./fitting-profile.ts";

const repository = (files: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), "fitting-profile-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
};
const backend = (name: string): string => `backend: "${name}"\n`;
const installed = ["onnxruntime", "python"];
const chosen = (root: string, asked?: string): { profile: string | undefined; notes: readonly string[] } => {
  const notes: string[] = [];
  return { profile: fittingProfile(root, asked, installed, (text) => void notes.push(text)), notes };
};

const standIn = {
  "e/config.pbtxt": 'platform: "ensemble"\n',
  "e/configs/cpu.pbtxt": 'platform: "ensemble"\n',
  "e/configs/gpu.pbtxt": 'platform: "ensemble"\n',
  "m/config.pbtxt": backend("tensorrt"),
  "m/configs/gpu.pbtxt": backend("tensorrt"),
  "m/configs/cpu.pbtxt": backend("onnxruntime"),
};

test("if the server can load only one profile, that profile is used, with a notice", () => {
  expect(chosen(repository(standIn))).toEqual({
    profile: "cpu",
    notes: ["this Triton has no backend `tensorrt` (m): using --profile cpu"],
  });
  expect(chosen(repository(standIn), "cpu")).toEqual({ profile: "cpu", notes: [] });
});

test("a requested profile is not replaced", () => {
  expect(() => chosen(repository(standIn), "gpu")).toThrow(
    expect.objectContaining({
      code: "model/unavailable",
      message: "this Triton has no backend `tensorrt` (m)",
      help: "--profile cpu needs none of them",
    }),
  );
});

test("with several profiles, or none, the user must choose", () => {
  const two = { ...standIn, "m/configs/slow.pbtxt": backend("onnxruntime") };
  expect(() => chosen(repository(two))).toThrow(
    expect.objectContaining({ help: "--profile cpu or --profile slow needs none of them" }),
  );
  expect(() => chosen(repository({ "m/config.pbtxt": backend("pytorch") }))).toThrow(
    expect.objectContaining({ help: expect.stringContaining("`useStandIn: true`") }),
  );
});

test("a repository that the server can load is used unchanged, even with a backend that a model provides", () => {
  const own = {
    "m/config.pbtxt": backend("mine"),
    "m/libtriton_mine.so": "",
    "k/config.pbtxt": backend("python"),
  };
  expect(chosen(repository(own))).toEqual({ profile: undefined, notes: [] });
});

test.each<[what: string, files: Readonly<Record<string, string>>, missing: string | undefined]>([
  ["a library in version 2", { "config.pbtxt": backend("mine"), "2/libtriton_mine.so": "" }, undefined],
  [
    "a library in a version that is not served",
    { "config.pbtxt": backend("mine"), "1/libtriton_mine.so": "", "2/weights": "" },
    "mine",
  ],
  [
    "a runtime in its folder",
    { "config.pbtxt": `${backend("mine")}runtime: "other.so"`, "other.so": "", "1/weights": "" },
    undefined,
  ],
  ["a backend that its file shows", { "config.pbtxt": "", "1/model.plan": "" }, "tensorrt"],
])("a model with %s", (_, files, missing) => {
  const root = repository(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`m/${path}`, text])),
  );
  if (missing === undefined) expect(chosen(root).profile).toBeUndefined();
  else expect(() => chosen(root)).toThrow(`no backend \`${missing}\` (m)`);
});
