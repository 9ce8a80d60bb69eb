import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PipelineError } from "@tritype/core";
import { describe, expect, test } from "vitest";
import { type Files, temporaryRepository } from "../fixtures/temporary-repository.ts";
import { readRepository } from "./read-repository.ts";
import { versionsToServe } from "@tritype/triton";

const io =
  'input { name: "X" data_type: TYPE_FP32 dims: 1 } output { name: "Y" data_type: TYPE_FP32 dims: 1 }';
const model: Files = { "m/config.pbtxt": io, "m/1/model.onnx": "" };

/** The versions of every model, or the reason why it is broken. */
const read = async (files: Files, configName?: string): Promise<Readonly<Record<string, unknown>>> => {
  const { models } = await readRepository(await temporaryRepository(files), { configName });
  return Object.fromEntries(
    models.map((one) => [one.name, one.kind === "model" ? one.versions : one.problem.message]),
  );
};

const failure = async (promise: Promise<unknown>): Promise<PipelineError> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof PipelineError) return error;
    throw error;
  }
  throw new Error("no failure");
};

describe("versions", () => {
  test.each([
    ["the latest by default", undefined, ["10"]],
    ["all", { all: {} }, ["0", "2", "10"]],
    ["all, for an empty policy", {}, ["0", "2", "10"]],
    ["the latest two", { latest: { num_versions: 2 } }, ["2", "10"]],
    ["none, for `latest` without a number", { latest: {} }, []],
    ["those of the specific ones that exist", { specific: { versions: [2, 3] } }, ["2"]],
  ])("%s", (_, policy, versions) => {
    const folders = ["10", "2", "0", "01", "abc", "1abc", "3.5", "-1", "configs", "9223372036854775808"];
    expect(versionsToServe(folders, policy)).toEqual(versions);
  });

  test("up to the largest 63-bit number are ordered numerically", () => {
    const folders = ["9223372036854775807", "1000000000000000002", "999", "1000000000000000001"];
    expect(versionsToServe(folders, { all: {} })).toEqual([
      "999",
      "1000000000000000001",
      "1000000000000000002",
      "9223372036854775807",
    ]);
  });
});

describe("one folder", () => {
  test.each<[string, Files, string, unknown]>([
    ["name and backend from folder and file", model, "m", ["1"]],
    [
      "another name",
      { "n/config.pbtxt": `name: "m" ${io}`, "n/1/model.onnx": "" },
      "n",
      "unexpected directory name 'n' for model 'm', directory name must equal model name",
    ],
    [
      "an unknown platform",
      { "m/config.pbtxt": `platform: "foo" ${io}`, "m/1/": "" },
      "m",
      "unexpected platform type 'foo' for m",
    ],
    [
      "an ensemble with a backend",
      { "m/config.pbtxt": `platform: "ensemble" backend: "python" ${io}`, "m/1/": "" },
      "m",
      "Ensemble model 'm' must have platform type 'ensemble' and empty backend type",
    ],
    [
      "steps without the platform",
      { "m/config.pbtxt": `backend: "python" ensemble_scheduling { } ${io}`, "m/1/": "" },
      "m",
      "ensemble scheduling cannot be set for model 'm' whose platform is not ensemble",
    ],
    [
      "a negative batch",
      { "m/config.pbtxt": `max_batch_size: -1 ${io}`, "m/1/model.onnx": "" },
      "m",
      "'max_batch_size' must be non-negative value for m",
    ],
  ])("%s", async (_, files, name, expected) => {
    expect((await read(files))[name]).toEqual(expected);
  });
  test.each([
    ["no version", {}],
    ["a file in place of a version", { "m/1": "" }],
  ])("%s", async (_, files) => {
    expect(await read({ "m/config.pbtxt": `backend: "python" ${io}`, ...files })).toEqual({ m: [] });
  });
  test("neither hidden folders nor files are models", async () => {
    expect(await read({ ...model, ".git/HEAD": "", "README.md": "" })).toEqual({ m: ["1"] });
  });
});

describe("profiles", () => {
  const files: Files = {
    ...model,
    "m/configs/cpu.pbtxt": `version_policy { all { } } ${io}`,
    "m/2/model.onnx": "",
    "n/config.pbtxt": io,
    "n/1/model.onnx": "",
  };
  test("a profile is used by the models that have it", async () => {
    expect(await read(files)).toEqual({ m: ["2"], n: ["1"] });
    expect(await read(files, "cpu")).toEqual({ m: ["1", "2"], n: ["1"] });
  });
  test("a profile that no model has is refused", async () => {
    const error = await failure(read(files, "gpu"));
    expect([error.code, error.message]).toEqual([
      "repository/invalid",
      expect.stringMatching(/^no model of .* has the configuration 'gpu'$/),
    ]);
  });
});

describe("a folder that is not a model repository", () => {
  test("a missing folder is reported", async () => {
    const error = await failure(readRepository(join(await temporaryRepository(model), "nowhere")));
    expect([error.code, error.message, error.help]).toEqual([
      "file/not-found",
      expect.stringMatching(/^the model repository .*nowhere does not exist$/),
      expect.stringContaining("pipeline build"),
    ]);
  });
  test.each<[string, string, RegExp, RegExp]>([
    ["a file", "m/config.pbtxt", /is a file/, /one folder for each model/],
    ["an empty folder", "m/1/empty", /contains no models/, /one folder for each model/],
    ["one model", "m", /is a single model/, /^Use .*model_repository\.$/],
    ["the build folder", "..", /contains a repository/, /^Use .*model_repository\.$/],
  ])("%s", async (_, path, message, help) => {
    const folder = await temporaryRepository({ ...model, "m/1/empty/": "" });
    const error = await failure(readRepository(join(folder, path)));
    expect(error.code).toBe("repository/invalid");
    expect(error.message).toMatch(message);
    expect(error.help).toMatch(help);
  });
});

describe("a manifest next to the repository", () => {
  const withManifest = async (content: unknown) => {
    const folder = await temporaryRepository(model);
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "..", "manifest.json"),
      typeof content === "string" ? content : JSON.stringify(content),
    );
    return readRepository(folder);
  };
  const manifest = {
    formatVersion: 1,
    target: "24.10",
    files: {},
    models: [{ name: "m", kind: "onnx" }],
    ensembles: [],
    loadOrder: ["m"],
    requirements: [],
  };
  test("is read", async () => {
    expect((await withManifest(manifest)).manifest).toEqual(manifest);
  });
  test.each([
    ["of a web page", { name: "app", icons: [] }],
    ["that is not JSON", "{"],
  ])("%s is ignored", async (_, content) => {
    expect((await withManifest(content)).manifest).toBeUndefined();
  });
  test("a newer manifest is refused", async () => {
    const error = await failure(withManifest({ ...manifest, formatVersion: 2 }));
    expect(error.message).toMatch(/manifest.json has format version 2, but this tritype reads up to 1$/);
    expect(error.help).toMatch(/^update tritype/);
  });
  test("a broken manifest is refused", async () => {
    const error = await failure(withManifest({ ...manifest, loadOrder: "m" }));
    expect(error.message).toMatch(/manifest.json is broken: loadOrder: /);
  });
});
