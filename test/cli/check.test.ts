import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeProject } from "../fixtures/project.ts";
import { folderWith, pythonModel, runIn } from "./check-fixture.ts";
import { pipeline } from "./run-pipeline.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Written by hand: an ensemble whose step returns FP32 where the next step takes INT64, and a misspelled field. */
const broken = {
  ...pythonModel("score"),
  ...pythonModel("slip", "max_batch_sise: 4\n"),
  "double/config.pbtxt": `backend: "onnxruntime"
input { name: "X" data_type: TYPE_INT64 dims: [ 2, 0 ] }
output { name: "Y" data_type: TYPE_INT64 dims: [ 2 ] }
`,
  "double/1/": "",
  "pipe/config.pbtxt": `platform: "ensemble"
input { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "OUT" data_type: TYPE_INT64 dims: [ 1 ] }
ensemble_scheduling {
  step {
    model_name: "scores"
    model_version: -1
    input_map { key: "TEXT" value: "TEXT" }
    output_map { key: "SCORE" value: "OUT" }
  }
}
`,
  "pipe/1/": "",
};

test("a clean repository gives exit 0, nothing on stdout, and one line on stderr", async () => {
  const folder = folderWith({ ...pythonModel("models/a"), ...pythonModel("models/b") });
  const { code, out, err } = await runIn(folder, "check", "models");
  expect([code, out]).toEqual([0, ""]);
  expect(err).toMatch(/^checked 2 models for Triton 24\.10: nothing found \(\d+ ms\)\n$/);
});

test("a path that is given twice, in any spelling, is checked once", async () => {
  const folder = folderWith(pythonModel("models/a"));
  const { code, out, err } = await runIn(folder, "check", "models", "./models/", join(folder, "models"));
  expect([code, out]).toEqual([0, ""]);
  expect(err).toContain("checked 1 model for Triton 24.10: nothing found");
});

test("a broken repository gives exit 1, and frames with suggestions on stdout", async () => {
  const { code, out, err } = await runIn(folderWith(broken), "check", ".");
  expect(code).toBe(1);
  expect(out).toContain(`error[config/unknown-field]: ModelConfig has no field \`max_batch_sise\`
 ┌─ slip/config.pbtxt:4:1
4│ max_batch_sise: 4
 │ ^^^^^^^^^^^^^^ unknown
  = help: did you mean \`max_batch_size\`?
`);
  expect(out).toContain(`error[tensor/bad-dim]: input \`X\` of \`double\` has dimension 0
 ┌─ double/config.pbtxt:2:52
2│ input { name: "X" data_type: TYPE_INT64 dims: [ 2, 0 ] }
 │                                                    ^ not a size
  = help: write 1 or more, or -1 for a variable size
`);
  expect(out).toMatch(/┌─ pipe\/config\.pbtxt:6:5\n6│ {5}model_name: "scores"\n/);
  expect(out).toContain("did you mean `score`?");
  expect(err).toMatch(/^checked 4 models for Triton 24\.10: \d+ errors.* \(\d+ ms\)\n$/);
});

test("warnings only: exit 0", async () => {
  const folder = folderWith(
    pythonModel("a", 'model_warmup { name: "w" batch_size: 0 }\nmax_batch_size: 4\n'),
  );
  const { code, out, err } = await runIn(folder, "check", ".");
  expect([code, out.startsWith("warning["), /: \d+ warnings? \(/.test(err)]).toEqual([0, true, true]);
});

test("--server and --gpus report what the server lacks", async () => {
  const instance = (kind: string): string => `instance_group { kind: ${kind} gpus: [ 1 ] }\n`;
  const library = (path: string): string =>
    `parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "${path}" } }\n`;
  const folder = folderWith({
    "models/torch/config.pbtxt": `backend: "pytorch"
input { name: "X" data_type: TYPE_FP32 dims: [ 2 ] }
output { name: "Y" data_type: TYPE_FP32 dims: [ 2 ] }
`,
    "models/torch/1/model.pt": "",
    ...pythonModel("models/second", instance("KIND_GPU")),
    ...pythonModel(
      "models/agent",
      'model_repository_agents { agents { name: "checksum" } agents { name: "other" } }\n',
    ),
    ...pythonModel("models/strategy", library("/no/such/library.so")),
    ...pythonModel("models/searched", library("library.so")),
    "triton/backends/python/libtriton_python.so": "",
    "triton/repoagents/checksum/libtritonrepoagent_checksum.so": "",
  });
  const codes = async (...options: readonly string[]): Promise<readonly string[]> => {
    const { out } = await runIn(folder, "check", "models", "--json", ...options);
    const { diagnostics } = JSON.parse(out) as {
      readonly diagnostics: readonly { code: string; severity: string }[];
    };
    return diagnostics.flatMap(({ code, severity }) => (severity === "error" ? [code] : [])).toSorted();
  };
  expect(await codes()).toEqual([]);
  expect(await codes("--server", "triton")).toEqual([
    "backend/not-installed",
    "batch/strategy-not-found",
    "repository/agent-not-installed",
  ]);
  expect(await codes("--gpus", "0")).toEqual(["instance/unknown-gpu"]);
  expect(await codes("--gpus", "2")).toEqual([]);
  const { code, err } = await runIn(folder, "check", "models", "--server", "models");
  expect([code, err]).toEqual([2, expect.stringContaining("--server: models has no backends")]);
});

test("the installed command runs", async () => {
  const folder = folderWith(broken);
  const { code, out, err } = await pipeline({ root: folder }, ["check", folder]);
  expect(code).toBe(1);
  expect(out).toContain("max_batch_sise");
  expect(err).toMatch(/^checked 4 models/);
});

test("a model in two repositories is served from neither", async () => {
  const folder = folderWith({ ...pythonModel("one/a"), ...pythonModel("two/a"), ...pythonModel("two/b") });
  const { code, out, err } = await runIn(folder, "check", "one", "two");
  expect(code).toBe(1);
  expect(out).toContain("error[repository/duplicate-model]: model `a` is in more than one repository");
  expect(out).toContain("one/a:1:1");
  expect(out).toContain("two/a:1:1");
  expect(err).toContain("checked 2 models");
});

test("an ensemble's steps may be in another repository", async () => {
  const pipe = Object.fromEntries(Object.entries(broken).filter(([path]) => path.startsWith("pipe/")));
  const folder = folderWith({
    ...pythonModel("members/score"),
    "pipes/pipe/config.pbtxt": (pipe["pipe/config.pbtxt"] ?? "")
      .replace("scores", "score")
      .replace('"OUT" data_type: TYPE_INT64', '"OUT" data_type: TYPE_FP32'),
    "pipes/pipe/1/": "",
  });
  expect(await runIn(folder, "check", "pipes", "members")).toMatchObject({ code: 0, out: "" });
  expect((await runIn(folder, "check", "pipes")).code).toBe(1);
});

test("for a single configuration, the folder's name counts if version folders are next to it", async () => {
  const folder = folderWith({
    "draft.pbtxt": 'name: "any" backend: "python" max_batch_size: -1\n',
    ...pythonModel("models/a", 'name: "b"\n'),
    "config.pbtxt": 'name: "any" backend: "python"\n',
  });
  const draft = await runIn(folder, "check", "draft.pbtxt");
  expect(draft.code).toBe(1);
  expect(draft.out).toContain("draft.pbtxt:1:31");
  const named = await runIn(folder, "check", "models/a/config.pbtxt");
  expect(named.code).toBe(1);
  expect(named.out).toContain("config/folder-name");
  expect(await runIn(folder, "check", "config.pbtxt")).toMatchObject({ code: 0, out: "" });
  expect((await runIn(folder, "check", "config.pbtxt", "draft.pbtxt", "models")).err).toContain(
    "checked 3 models",
  );
});

test("--configs-only needs no versions and no files", async () => {
  const folder = folderWith({
    "a/config.pbtxt":
      'backend: "onnxruntime" input { name: "X" data_type: TYPE_FP32 dims: 4 } output { name: "Y" data_type: TYPE_FP32 dims: 4 }',
  });
  expect((await runIn(folder, "check", ".")).out).toContain("version/none-available");
  expect(await runIn(folder, "check", ".", "--configs-only")).toMatchObject({ code: 0, out: "" });
});

test("--strict behaves like Triton without auto-complete", async () => {
  const { [`a/1/model.py`]: code = "" } = pythonModel("a");
  const folder = folderWith({ "a/1/model.py": code });
  expect((await runIn(folder, "check", ".")).code).toBe(0);
  const strict = await runIn(folder, "check", ".", "--strict");
  expect(strict.code).toBe(1);
  expect(strict.out).toContain("config/missing");
});

test("--model-config-name reads the alternative configuration", async () => {
  const folder = folderWith({ ...pythonModel("a"), "a/configs/gpu.pbtxt": "max_batch_sise: 1\n" });
  expect((await runIn(folder, "check", ".")).code).toBe(0);
  const gpu = await runIn(folder, "check", ".", "--model-config-name", "gpu");
  expect(gpu.code).toBe(1);
  expect(gpu.out).toContain("a/configs/gpu.pbtxt:1:1");
});

test("--profile selects a configuration by name, and its error lists the existing names", async () => {
  const folder = folderWith({
    ...pythonModel("models/a"),
    ...pythonModel("models/b"),
    "models/a/configs/gpu.pbtxt": pythonModel("a")["a/config.pbtxt"] ?? "",
  });
  const near = await runIn(folder, "check", "models", "--profile", "gup");
  expect([near.code, near.out]).toEqual([2, ""]);
  expect(near.err).toContain("did you mean `gpu`? without the file, Triton silently uses config.pbtxt");
  const far = await runIn(folder, "check", "models", "--profile", "staging");
  expect(far.err).toContain("the models have gpu;");
  const both = await runIn(folder, "check", "models", "--profile", "a", "--model-config-name", "b");
  expect([both.code, both.err]).toEqual([2, expect.stringContaining("two spellings of the same option")]);
  const old = await runIn(folder, "check", "models", "--profile", "gpu", "--target", "24.04");
  expect([old.code, old.err]).toEqual([
    2,
    expect.stringContaining("Triton 24.04 has no --model-config-name"),
  ]);
});

test("--target selects the release whose rules apply", async () => {
  const folder = folderWith(pythonModel("a", "model_metrics { }\n"));
  expect((await runIn(folder, "check", ".")).out).toContain("config/field-too-new");
  const later = await runIn(folder, "check", ".", "--target", "25.03");
  expect(later).toMatchObject({ code: 0, out: "" });
  expect(later.err).toContain("for Triton 25.03");
});

test.each([
  ["no argument", [], "`pipeline check` needs a model repository or a config.pbtxt"],
  ["a folder that does not exist", ["none"], "none does not exist"],
  ["a model's folder", ["models/a"], "models/a is the folder of one model, not a model repository"],
  ["a build", ["build"], "did you mean build/model_repository?"],
  ["an empty path", [""], "a path is empty"],
  ["a folder above a repository", ["."], ". is the parent folder of a model repository"],
  ["the repository below it", ["."], "did you mean models?"],
  ["an empty folder", ["build/model_repository"], "build/model_repository contains no models"],
  ["an empty folder beside a repository", ["models", "build/model_repository"], "contains no models"],
  [
    "a configuration that no model has",
    ["models", "--model-config-name", "nosuch"],
    "no model has the configuration `nosuch`",
  ],
  ["an unknown release", ["models", "--target", "24.1"], "did you mean `24.01`?"],
  ["two formats", ["models", "--github", "--sarif"], "--sarif and --github are mutually exclusive"],
  ["an unknown option", ["models", "--jsn"], "did you mean --json?"],
])("exit 2 for %s", async (_, args, says) => {
  const folder = folderWith({
    ...pythonModel("models/a"),
    "build/manifest.json": "{}",
    "build/model_repository/": "",
  });
  const { code, out, err } = await runIn(folder, "check", ...args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(says);
});

test("a folder of repositories is distinguished from any other folder", async () => {
  const folder = folderWith({
    "src/index.ts": "",
    "empty/": "",
    "flat/m/model.onnx": "",
    "named/m/v1/model.onnx": "",
    "wrong/m/Config.pbtxt": "",
  });
  for (const name of ["src", "empty", "."]) {
    const { code, err } = await runIn(folder, "check", name, "--configs-only");
    expect([code, err]).toEqual([2, expect.stringContaining(`${name} contains no models`)]);
  }
  for (const name of ["flat", "named", "wrong"]) expect((await runIn(folder, "check", name)).code).toBe(1);
});

test("a repository is recognized even with other folders next to its models, hidden ones included", async () => {
  const folder = folderWith({ ...pythonModel("a"), ".git/hooks/x": "", "more/inner/config.pbtxt": "" });
  const { code, out } = await runIn(folder, "check", ".");
  expect(code).toBe(1);
  expect(out).toContain("`more` has no version folder");
});

const golden = join(root, "test/golden");
const goldens = readdirSync(golden, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);

test("golden repositories exist", () => {
  expect(goldens.length).toBeGreaterThan(2);
});

test.each(goldens)("the golden repository %s has no findings", async (name) => {
  const { code, out, err } = await runIn(golden, "check", `${name}/expected/model_repository`);
  expect([code, out]).toEqual([0, ""]);
  expect(err).not.toContain("checked 0 models");
});

test("the example's build has no findings", async () => {
  const example = join(root, "examples/sentence-embedding");
  const sources = ["pipeline.ts", "retrieval.ts", "tensorrt.ts", "pipeline.config.ts"];
  const files = [...sources, "models/static.ts", "models/minilm.ts", "drift/queries.txt"];
  const project = makeProject(
    Object.fromEntries(files.map((file) => [file, readFileSync(join(example, file), "utf8")])),
  );
  try {
    mkdirSync(project.path("assets/static"), { recursive: true });
    project.write("assets/static/model.onnx", readFileSync(join(example, "assets/static/model.onnx")));
    expect((await runIn(project.root, "build")).code).toBe(0);
    const { code, out, err } = await runIn(project.root, "check", "build/model_repository");
    expect([code, out]).toEqual([0, ""]);
    expect(err).toContain("checked 10 models");
  } finally {
    project.remove();
  }
});
