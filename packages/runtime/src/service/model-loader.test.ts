import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Manifest } from "@tritype/manifest";
import { expect, test } from "vitest";
import type { Backend } from "../backend.ts";
import { type Files, temporaryRepository } from "../fixtures/temporary-repository.ts";
import { createModelLoader } from "./model-loader.ts";
import { twinMismatch } from "./model-loader.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const files: Files = { "t/config.pbtxt": "config", "t/1/model.py": "code" };
const hashes = { "config.pbtxt": sha256("config"), "1/model.py": sha256("code") };

test.each([
  ["all unchanged", hashes, undefined],
  ["changed", { ...hashes, "1/model.py": sha256("other") }, "1/model.py has changed since the build"],
  ["missing", { ...hashes, "1/asset.json": sha256("") }, "1/asset.json is missing"],
  [
    "outside",
    { "../t/config.pbtxt": sha256("config"), "../../x": sha256("") },
    "../../x is outside the model's folder",
  ],
])("a twin's files: %s", async (_, expected, mismatch) => {
  expect(await twinMismatch(join(await temporaryRepository(files), "t"), expected)).toBe(mismatch);
});

const idle = {
  instances: 1,
  execute: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};

/** The implementation that runs, and the notices. */
const load = async (python: "twin" | "always", kind: string, expected: Readonly<Record<string, string>>) => {
  const folder = await temporaryRepository(files);
  const said: string[] = [];
  const backend: Backend = {
    name: "python",
    load: () =>
      Promise.resolve({ instances: 7, execute: () => Promise.resolve([]), close: () => Promise.resolve() }),
  };
  const manifest: Manifest = {
    formatVersion: 1,
    target: "24.10",
    files: {},
    models: [{ name: "t", kind: "tokenizer", twin: { kind, options: {}, files: expected } }],
    ensembles: [],
    loadOrder: ["t"],
    requirements: [],
  };
  const loader = createModelLoader({
    backends: new Map([["python", () => Promise.resolve(backend)]]),
    manifest,
    python,
    notice: (text) => said.push(text),
  });
  const config = { name: "t", backend: "python" };
  const { loaded } = await loader(
    {
      kind: "model",
      name: "t",
      folder: join(folder, "t"),
      config,
      writtenInstances: [],
      surroundings: {},
      versions: ["1"],
      labels: new Map(),
    },
    "1",
  );
  return { runsPython: loaded.instances === 7, said };
};

test.each([
  ["one version", [{ version: 1 }], "1", true],
  ["the version's own twin, among several versions", [{ version: 1, own: true }, { version: 2 }], "1", true],
  [
    "a version without a twin, among several versions",
    [{ version: 1 }, { version: 2, own: true }],
    "1",
    false,
  ],
  ["a version that was not built", [{ version: 1 }], "2", false],
  ["a manifest that lists no versions", undefined, "1", true],
  ["another version of a manifest that lists none", undefined, "2", false],
] as const)("the twin of a version: %s", async (_, listed, version, twinRuns) => {
  const folder = await temporaryRepository({ ...files, "t/2/model.py": "other code" });
  const twin = { kind: "unheard of", options: {}, files: {} };
  const several = (listed?.length ?? 0) > 1;
  const versions = listed?.map((one) => ({
    version: one.version,
    hash: sha256(""),
    ...("own" in one ? { twin } : {}),
  }));
  const said: string[] = [];
  const loader = createModelLoader({
    backends: new Map([
      ["python", () => Promise.resolve({ name: "python", load: () => Promise.resolve(idle) })],
    ]),
    manifest: {
      formatVersion: 1,
      target: "24.10",
      files: {},
      models: [
        { name: "t", kind: "tokenizer", ...(several ? {} : { twin }), ...(versions ? { versions } : {}) },
      ],
      ensembles: [],
      loadOrder: ["t"],
      requirements: [],
    },
    python: "twin",
    notice: (text) => said.push(text),
  });
  await loader(
    {
      kind: "model",
      name: "t",
      folder: join(folder, "t"),
      config: { name: "t", backend: "python" },
      writtenInstances: [],
      surroundings: {},
      versions: [version],
      labels: new Map(),
    },
    version,
  );
  // A twin of an unknown kind fails when it is run.
  expect(said.length === 1).toBe(twinRuns);
});

test("a twin whose files have changed is replaced by the Python, with a notice", async () => {
  expect(await load("twin", "tokenizer", { ...hashes, "1/model.py": sha256("other") })).toEqual({
    runsPython: true,
    said: ["model 't' runs its Python: 1/model.py has changed since the build"],
  });
});
test("a twin that is not implemented here is replaced too", async () => {
  expect(await load("twin", "no-such-kind", hashes)).toEqual({
    runsPython: true,
    said: ["model 't' runs its Python: no native implementation 'no-such-kind' here"],
  });
});
test("--python runs the Python code without a notice", async () => {
  expect(await load("always", "tokenizer", hashes)).toEqual({ runsPython: true, said: [] });
});
