import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { pipeline } from "./run-pipeline.ts";
import { pipelineSource, project } from "./small-project.ts";

const files = [
  ".dockerignore",
  "Dockerfile",
  "client/core/grpc.d.ts",
  "client/core/grpc.js",
  "client/core/kserve.d.ts",
  "client/core/kserve.js",
  "client/openapi.json",
  "client/package.json",
  "client/total.d.ts",
  "client/total.js",
  "compose.yaml",
  "manifest.json",
  "model_repository/double/1/model.onnx",
  "model_repository/double/config.pbtxt",
  "model_repository/total/1/.keep",
  "model_repository/total/config.pbtxt",
  "model_repository/total_sum/1/model.onnx",
  "model_repository/total_sum/config.pbtxt",
];

/** Inode and modification time of each file, which a rewrite would change. */
const identities = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesBelow(folder).map((file) => {
      const { ino, mtimeMs } = statSync(join(folder, file));
      return [file, `${ino} ${mtimeMs}`];
    }),
  );
const rewritten = (
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly string[] => Object.keys(after).filter((file) => after[file] !== before[file]);

test("build writes the repository, reports it on stderr, and a second build rewrites nothing", async () => {
  const small = project();
  const first = await pipeline(small, ["build"]);
  expect(first).toMatchObject({ code: 0, out: "" });
  expect(first.err).toMatch(
    /^built build\/model_repository for Triton 24\.10: 3 models, 18 files written, 0 unchanged \(\d+ ms\)\n$/,
  );
  expect(filesBelow(small.path("build"))).toEqual(files);
  const before = identities(small.path("build"));
  const second = await pipeline(small, ["build"]);
  expect(second.code).toBe(0);
  expect(second.err).toContain("3 models, nothing changed");
  expect(rewritten(before, identities(small.path("build")))).toEqual([]);
});

test.each([
  ["with samples", {}, "built build/model_repository"],
  [
    "that appends, into another folder",
    { "pipeline.config.ts": 'export default { output: "out/triton", versions: "append" };\n' },
    "built out/triton/model_repository",
  ],
] as const)(
  "a build %s whose folder was deleted is written again, and the output says so",
  async (_, files, built) => {
    const warm = pipelineSource.replace(
      /\}\);\n$/,
      '  warmup: [{ name: "ones", inputs: { x: [[1, 1, 1, 1]] } }],\n});\n',
    );
    const small = project({ "pipeline.ts": warm, ...files });
    const env = { TRITYPE_CACHE: small.path("cache") };
    const first = await pipeline(small, ["build"], { env });
    const written = /\d+ files written, 0 unchanged/.exec(first.err)?.[0];
    expect(first.err).toContain(built);
    expect(written).toBeDefined();
    rmSync(small.path(built.split(" ")[1]?.split("/")[0] ?? ""), { recursive: true });
    expect((await pipeline(small, ["build"], { env })).err).toContain(written);
  },
);

test("a changed source rewrites only the affected files, and files of removed models are deleted", async () => {
  const small = project();
  await pipeline(small, ["build"]);
  const before = identities(small.path("build"));
  small.write("pipeline.ts", pipelineSource.replace("maxBatchSize: 8", "maxBatchSize: 16"));
  expect((await pipeline(small, ["build"])).err).toContain("4 files written, 14 unchanged");
  expect(rewritten(before, identities(small.path("build")))).toEqual(
    files.filter((file) => file === "manifest.json" || file.endsWith("config.pbtxt")),
  );
  small.write(
    "pipeline.ts",
    pipelineSource.replaceAll("double({ x })", "{ y: x }").replace(/const double[^;]*;/, ""),
  );
  expect((await pipeline(small, ["build"])).err).toContain("2 deleted");
  expect(existsSync(small.path("build/model_repository/double"))).toBe(false);
});

test("the project chooses its container, or builds without one", async () => {
  const small = project();
  await pipeline(small, ["build"]);
  small.write(
    "pipeline.config.ts",
    'export default { docker: { baseImage: "registry.example/triton:1" } };\n',
  );
  expect((await pipeline(small, ["build"])).code).toBe(0);
  expect(readFileSync(small.path("build/Dockerfile"), "utf8")).toContain(
    "\nARG TRITON_IMAGE=registry.example/triton:1\n",
  );
  small.write("pipeline.config.ts", "export default { docker: false };\n");
  expect((await pipeline(small, ["build"])).err).toContain("3 deleted");
  expect(filesBelow(small.path("build"))).toEqual(
    files.filter((file) => /^(?:manifest\.json$|client\/|model_repository\/)/.test(file)),
  );
});

test("--check compares without writing", async () => {
  const small = project();
  const missing = await pipeline(small, ["build", "--check"]);
  expect(missing).toMatchObject({ code: 1, out: "" });
  expect(missing.err).toContain("  missing  model_repository/total/config.pbtxt\n");
  expect(missing.err).toContain("= help: run `pipeline build`");
  expect(existsSync(small.path("build"))).toBe(false);

  await pipeline(small, ["build"]);
  expect(await pipeline(small, ["build", "--check"])).toMatchObject({
    code: 0,
    out: "",
    err: "up to date: build\n",
  });

  small.write("build/model_repository/total/config.pbtxt", "name: 'edited'\n");
  rmSync(small.path("build/model_repository/total/1/.keep"));
  small.write("pipeline.ts", pipelineSource.replaceAll('"double"', '"twice"'));
  const before = identities(small.path("build"));
  const { code, err } = await pipeline(small, ["build", "--check"]);
  expect(code).toBe(1);
  expect(err.match(/^ {2}(missing|changed|stale) .*$/gm)?.map((line) => line.trim())).toEqual([
    "missing  model_repository/total/1/.keep",
    "missing  model_repository/twice/1/model.onnx",
    "missing  model_repository/twice/config.pbtxt",
    "changed  model_repository/total/config.pbtxt",
    "changed  manifest.json",
    "stale    model_repository/double/1/model.onnx",
    "stale    model_repository/double/config.pbtxt",
  ]);
  expect(identities(small.path("build"))).toEqual(before);
});

test("without its manifest, a build is refused by build and by --check with the same advice, which works", async () => {
  const small = project();
  await pipeline(small, ["build"]);
  const manifest = readFileSync(small.path("build/manifest.json"));
  rmSync(small.path("build/manifest.json"));
  for (const args of [["build", "--check"], ["build"]]) {
    const { code, err } = await pipeline(small, args);
    expect([code, err.replaceAll(small.root, "<root>")]).toEqual([
      2,
      `error[file/foreign]: <root>/build/model_repository/double already exists and was not written by a tritype build
  = help: if a build wrote it, restore <root>/build/manifest.json or delete <root>/build; otherwise build into another folder (\`output\` in pipeline.config.ts)
`,
    ]);
  }
  small.write("build/manifest.json", manifest);
  expect((await pipeline(small, ["build", "--check"])).code).toBe(0);
  rmSync(small.path("build"), { recursive: true });
  expect((await pipeline(small, ["build"])).code).toBe(0);
});

test("a step whose name changes only in case is refused with advice for systems that ignore case", async () => {
  const small = project();
  await pipeline(small, ["build"]);
  // Linux distinguishes case: this is the folder that macOS and Windows find under the new name.
  mkdirSync(small.path("build/model_repository/Double"));
  small.write("pipeline.ts", pipelineSource.replaceAll('"double"', '"Double"'));
  const { code, err } = await pipeline(small, ["build"]);
  expect([code, err.replaceAll(small.root, "<root>")]).toEqual([
    2,
    `error[file/foreign]: <root>/build/model_repository/Double already exists and was not written by a tritype build
  = help: if it is model_repository/double of the last build, because the file system ignores case, delete <root>/build and build again
`,
  ]);
});

test("other files next to the build's own are never touched", async () => {
  const small = project();
  const foreign = {
    "build/notes.txt": "mine",
    "build/model_repository/other/config.pbtxt": "name: 'other'",
    "build/model_repository/double/2/model.onnx": "a later version",
  };
  await pipeline(small, ["build"]);
  for (const [file, text] of Object.entries(foreign)) small.write(file, text);
  small.write("pipeline.ts", pipelineSource.replaceAll('"double"', '"twice"'));
  expect((await pipeline(small, ["build"])).code).toBe(0);
  for (const [file, text] of Object.entries(foreign))
    expect(readFileSync(small.path(file), "utf8")).toBe(text);
  expect(filesBelow(small.path("build/model_repository/double"))).toEqual(["2/model.onnx"]);
});

test("a removed model's folder that keeps a file of the user is reported, because Triton would not start", async () => {
  const small = project();
  await pipeline(small, ["build"]);
  small.write("build/model_repository/double/1/notes.txt", "mine");
  mkdirSync(small.path("build/model_repository/empty"));
  small.write("build/model_repository/other/config.pbtxt", "name: 'other'");
  small.write("pipeline.ts", pipelineSource.replaceAll('"double"', '"twice"'));
  const warning =
    "warning: model_repository/double has no config.pbtxt, but contains model_repository/double/1/notes.txt, which no build wrote: Triton does not start with it\n" +
    "  = help: move it out of model_repository, or delete it\n" +
    "warning: model_repository/empty is empty: Triton does not start with it\n";
  expect((await pipeline(small, ["build", "--check"])).err).toContain(warning);
  for (const _ of ["first", "unchanged"]) {
    const { code, err } = await pipeline(small, ["build"]);
    expect(code).toBe(0);
    expect(err).toContain(warning);
    expect(err).not.toContain("other");
  }
  rmSync(small.path("build/model_repository/double"), { recursive: true });
  rmSync(small.path("build/model_repository/empty"), { recursive: true });
  expect((await pipeline(small, ["build", "--check"])).err).toBe("up to date: build\n");
});

test.each([
  [
    "a model of the same name",
    "model_repository/double/config.pbtxt",
    "name: 'double'",
    "model_repository/double",
  ],
  ["a manifest of something else", "manifest.json", '{ "name": "a web app" }', "manifest.json"],
  ["a manifest that is not JSON", "manifest.json", "hello", "manifest.json"],
  ["an empty manifest", "manifest.json", "", "manifest.json"],
])("%s that is not from a build is refused", async (_, file, text, named) => {
  const small = project({ [`build/${file}`]: text });
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(2);
  expect(err).toContain(file === "manifest.json" ? "error[build/not-a-manifest]: " : "error[file/foreign]: ");
  expect(err).toContain(small.path(`build/${named}`));
  expect(err).toContain("`output` in pipeline.config.ts");
  expect(filesBelow(small.path("build"))).toEqual([file]);
  expect(readFileSync(small.path(`build/${file}`), "utf8")).toBe(text);
});

test("a build made by a newer tritype is refused", async () => {
  const small = project();
  await pipeline(small, ["build"]);
  const manifest = JSON.parse(readFileSync(small.path("build/manifest.json"), "utf8")) as object;
  small.write("build/manifest.json", JSON.stringify({ ...manifest, formatVersion: 2 }));
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(2);
  expect(err).toContain("has format version 2, but this tritype reads up to 1");
  expect(err).toContain("help: update tritype, delete the build's folder, or ");
});

test.each([
  ["a file", "taken", "taken", "it is a file, not a folder (EEXIST)"],
  ["a path below a file", "taken", "taken/build", "there is a file where a folder must be (ENOTDIR)"],
])("an output folder that is %s is refused", async (_, file, output, why) => {
  const small = project({
    [file]: "a file",
    "pipeline.config.ts": `import { defineConfig } from "tritype";\nexport default defineConfig({ output: "${output}" });\n`,
  });
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(2);
  expect(err).toBe(
    `error[file/not-writable]: cannot write to ${small.path(output)}: ${why}\n` +
      "  = help: check its permissions, its folder's permissions and the free space, or set a different `output` in pipeline.config.ts\n",
  );
  expect((await pipeline(small, ["build", "--check"])).code).toBe(1);
});

test("a folder at the path of a file is refused, and nothing else changes", async () => {
  const small = project();
  await pipeline(small, ["build"]);
  rmSync(small.path("build/model_repository/total/config.pbtxt"));
  mkdirSync(small.path("build/model_repository/total/config.pbtxt"));
  writeFileSync(small.path("build/model_repository/total/config.pbtxt/mine"), "");
  const before = identities(small.path("build"));
  small.write("pipeline.ts", pipelineSource.replace("maxBatchSize: 8", "maxBatchSize: 16"));
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(2);
  expect(err).toContain("error[file/not-writable]: ");
  expect(identities(small.path("build"))).toEqual(before);
});

test("a pipeline with errors writes nothing", async () => {
  const small = project({
    "pipeline.ts": pipelineSource.replace("models/double.onnx", "models/duoble.onnx"),
  });
  const { code, out, err } = await pipeline(small, ["build"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("error[onnx/file-not-found]");
  expect(err).toContain("pipeline.ts:5:3");
  expect(err).toContain("1 error; nothing was written");
  expect(existsSync(small.path("build"))).toBe(false);
});
