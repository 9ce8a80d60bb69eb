import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { project } from "../cli/small-project.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { expectTree, filesBelow } from "../fixtures/expect-tree.ts";
import { builtProject, deployedProject } from "./deployed-project.ts";

const golden = fileURLToPath(new URL("expected", import.meta.url));

test("the files of a deployment are as expected, byte for byte", async () => {
  const made = await deployedProject(
    '{ image: "registry.example/total", replicas: 3, platforms: ["kserve", "gateway"] }',
  );
  // Every change of the compiler changes the build's hash, and so the files' hashes, which deployment.json lists.
  const { build } = JSON.parse(readFileSync(made.path("deploy/deployment.json"), "utf8")) as {
    build: string;
  };
  rmSync(made.path("deploy/deployment.json"));
  for (const file of filesBelow(made.path("deploy"))) {
    const text = readFileSync(made.path(`deploy/${file}`), "utf8");
    const known = text
      .replaceAll(build, "0".repeat(64))
      .replaceAll(build.slice(0, 12), "0".repeat(12))
      .replaceAll(/("medianMilliseconds": )[\d.]+/g, "$10");
    writeFileSync(made.path(`deploy/${file}`), known);
  }
  expectTree(made.path("deploy"), golden);
});

test("a second run writes nothing, and --check agrees", async () => {
  const made = await builtProject();
  const first = await pipeline(made, ["deploy"]);
  expect(first).toMatchObject({ code: 0, out: "" });
  expect(first.err).toMatch(
    /^wrote deploy for the build [\da-f]{12}: \d+ written, 0 unchanged\n {2}written {2}chart\//,
  );
  expect((await pipeline(made, ["deploy"])).err).toMatch(/: 0 written, \d+ unchanged\nnote /);
  expect(await pipeline(made, ["deploy", "--check"])).toMatchObject({
    code: 0,
    err: "up to date: deploy\n",
  });
});

/** The measured part of `smoke.json`. */
interface Measured {
  readonly ensembles: {
    readonly total: { readonly medianMilliseconds: number; readonly samples: readonly object[] };
  };
}

test("a build is measured once; another build is measured again, if its samples are known", async () => {
  const made = await deployedProject();
  const path = made.path("deploy/chart/files/smoke.json");
  const text = readFileSync(path, "utf8");
  expect((JSON.parse(text) as Measured).ensembles).toMatchObject({
    total: { warmup: { double: 1 }, samples: [{}] },
    twice: { unchecked: "has no samples" },
  });
  // As if another machine had written it.
  const other = text.replace(/("medianMilliseconds": )[\d.]+/, "$1123456");
  const record = made.path("deploy/deployment.json");
  const sha256 = (of: string): string => createHash("sha256").update(of).digest("hex");
  writeFileSync(record, readFileSync(record, "utf8").replace(sha256(text), sha256(other)));
  writeFileSync(path, other);
  const source = readFileSync(made.path("pipeline.ts"), "utf8");
  const changed = source.replace("[[1, 1, 1, 1]]", "[[1, 1, 1, 1], [2, 2, 2, 2]]");
  made.write("pipeline.ts", changed);
  expect((await pipeline(made, ["deploy", "--check"])).err).toBe("up to date: deploy\n");
  expect((await pipeline(made, ["deploy"])).err).toMatch(/: 0 written, \d+ unchanged\n/);
  expect(readFileSync(path, "utf8")).toBe(other);

  rmSync(path);
  expect(await pipeline(made, ["deploy"])).toMatchObject({
    code: 1,
    err: "error[deploy/other-samples]: the pipeline has changed since the build in the folder build, so the samples of this build are not known; nothing was written\n  = help: run `pipeline build` first\n",
  });
  expect((await pipeline(made, ["deploy", "--check"])).err).toContain("  changed  chart/files/smoke.json\n");
  expect((await pipeline(made, ["build"])).code).toBe(0);
  expect((await pipeline(made, ["deploy"])).code).toBe(0);
  const { total } = (JSON.parse(readFileSync(path, "utf8")) as Measured).ensembles;
  expect(total.medianMilliseconds).toBeLessThan(60_000);
  expect(total.samples).toMatchObject([
    { inputs: { x: { datatype: "FP32", shape: [2, 4] } }, outputs: { sum: { shape: [2, 1] } } },
  ]);
});

test("edited samples are not overwritten, and not used", async () => {
  const made = await deployedProject();
  const path = made.path("deploy/chart/files/smoke.json");
  writeFileSync(path, readFileSync(path, "utf8").replace(/("medianMilliseconds": )[\d.]+/, "$1123456"));
  expect((await pipeline(made, ["deploy", "--check"])).err).toContain("  edited   chart/files/smoke.json: ");
  expect(await pipeline(made, ["deploy"])).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${path} changed after \`pipeline deploy\` wrote it; nothing was written`),
  });
});

test("samples that are too large for the chart are left out, and a note names their ensemble", async () => {
  const wide = `export const wide = defineEnsemble({
  name: "wide",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 60_000) },
  run: ({ x }) => ({ sum: x.sum(-1, { keepDims: true }) }),
  warmup: [{ inputs: { x: [Array.from({ length: 60_000 }, () => 1)] } }],
});
`;
  const made = await builtProject("{}", wide);
  const { code, err } = await pipeline(made, ["deploy"]);
  expect(code).toBe(0);
  const why = "has 320 kB of samples, too many for the chart";
  expect(err).toContain(`note \`wide\` ${why}: \`helm test\` only checks its contract and warmup\n`);
  expect(err).toContain("note `twice` has no samples: `helm test` only checks its contract\n");
  expect(err).not.toContain("note `total`");
  const text = readFileSync(made.path("deploy/chart/files/smoke.json"), "utf8");
  expect((JSON.parse(text) as Measured).ensembles).toMatchObject({
    total: { samples: [{}] },
    wide: { unchecked: why, warmup: { wide_sum: 1 } },
  });
  expect((await pipeline(made, ["deploy"])).err).toContain(`note \`wide\` ${why}`);
});

test("a build that does not run on this machine is not deployed", async () => {
  const made = project({
    "same.py": `import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", request.inputs()[0].as_numpy())]) for request in requests]
`,
    "pipeline.ts": `import { defineEnsemble, fp32, python } from "tritype";
const x = fp32("batch", 2);
const same = python({ name: "same", file: "same.py", inputs: { x }, outputs: { y: x } });
export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x },
  run: ({ x }) => ({ y: same({ x }).y }),
  warmup: [{ inputs: { x: [[1, 2]] } }],
});
`,
  });
  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  expect(await pipeline(made, ["build"], { env })).toMatchObject({ code: 0 });
  const { code, err } = await pipeline(made, ["deploy"], { env: { TRITYPE_PYTHON: "/no/python" } });
  expect(code).toBe(1);
  expect(err).toContain(
    "error[deploy/sample-failed]: `total` does not answer a sample, which `helm test` would send: ",
  );
  expect(err).toContain(
    "; nothing was written\n  = help: run `pipeline deploy` on a machine that can run the build",
  );
  expect(existsSync(made.path("deploy"))).toBe(false);
  expect(await pipeline(made, ["deploy"], { env })).toMatchObject({ code: 0 });
});

test("a change to the configuration changes only the affected files; --check lists them and writes nothing", async () => {
  const made = await deployedProject('{ platforms: ["gateway"] }');
  made.configure("{ replicas: 4 }");
  const checked = await pipeline(made, ["deploy", "--check"]);
  expect(checked.code).toBe(1);
  expect(checked.err).toContain("out of date: deploy");
  const stored = await pipeline(made, ["deploy", "--check", "--models", "s3://models/a"]);
  expect(stored.err).toMatch(/= help: run `pipeline deploy --models s3:\/\/models\/a`\n$/);
  expect(checked.err).toContain("stale    chart/templates/gateway.yaml");
  expect(existsSync(made.path("deploy/chart/templates/gateway.yaml"))).toBe(true);
  const { code, err } = await pipeline(made, ["deploy"]);
  expect(code).toBe(0);
  expect(err.split("\n").slice(1)).toEqual([
    "  written  chart/values.schema.json",
    "  written  chart/values.yaml",
    "  written  compose/compose-cpu.yaml",
    "  written  compose/compose-gpu.yaml",
    "  written  compose/compose.yaml",
    "  written  compose/haproxy.cfg",
    "  written  compose/prometheus.yaml",
    "  deleted  chart/templates/gateway.yaml",
    "note `ids` has no samples: `helm test` only checks its contract",
    "note `twice` has no samples: `helm test` only checks its contract",
    "",
  ]);
  expect(readFileSync(made.path("deploy/chart/values.yaml"), "utf8")).toContain("\nreplicas: 4\n");
});

test("a run without --models keeps those of the last run and says so; --models image puts the models into the image", async () => {
  const made = await builtProject();
  const kept = "note the models are in s3://models/a, as in the last run; to put them into the image again: ";
  expect((await pipeline(made, ["deploy", "--models", "s3://models/a"])).err).not.toContain(
    "as in the last run",
  );
  const again = await pipeline(made, ["deploy"]);
  expect(again.err).toMatch(/: 0 written, \d+ unchanged\n/);
  expect(again.err).toContain(`${kept}pipeline deploy --models image\n`);
  const inImage = await pipeline(made, ["deploy", "--models", "image"]);
  expect(inImage.err).toContain("  deleted  models/upload.sh\n");
  expect((await pipeline(made, ["deploy"])).err).toMatch(/: 0 written, \d+ unchanged\nnote /);
  expect((await pipeline(made, ["deploy", "--check"])).err).toBe("up to date: deploy\n");
});

test("--check without --models checks the files for the --models with which they were written", async () => {
  const made = await builtProject();
  await pipeline(made, ["deploy", "--models", "s3://models/a"]);
  const current = await pipeline(made, ["deploy", "--check"]);
  expect(current).toMatchObject({ code: 0, err: "up to date: deploy, with --models s3://models/a\n" });
  made.configure("{ replicas: 4 }");
  const changed = await pipeline(made, ["deploy", "--check"]);
  expect(changed.code).toBe(1);
  expect(changed.err).not.toContain("upload.sh");
  expect(changed.err).toMatch(/= help: run `pipeline deploy --models s3:\/\/models\/a`\n$/);
  made.configure('{ models: "s3://models/b" }');
  const configured = await pipeline(made, ["deploy", "--check"]);
  expect(configured.err).toMatch(/changed {2}models\/upload.sh\n[^]*= help: run `pipeline deploy`\n$/);
});

test("models with native npm packages stay in the image", async () => {
  const made = await builtProject();
  made.write("build/npm/package.json", "{}");
  const manifest = JSON.parse(readFileSync(made.path("build/manifest.json"), "utf8")) as { files: object };
  const sha256 = createHash("sha256").update("{}").digest("hex");
  const files = { ...manifest.files, "npm/package.json": sha256 };
  made.write("build/manifest.json", JSON.stringify({ ...manifest, files }));
  expect(await pipeline(made, ["deploy", "--models", "s3://models/a"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("leave the models in the image"),
  });
  expect((await pipeline(made, ["deploy"])).code).toBe(0);
});

test("the user's files are neither overwritten nor deleted", async () => {
  const made = await builtProject();
  made.write("deploy/mine.yaml", "replicas: 5\n");
  made.write("deploy/chart/Chart.yaml", "name: mine\n");
  const refused = await pipeline(made, ["deploy"]);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain(
    `error[deploy/foreign]: ${made.path("deploy/chart/Chart.yaml")} would be overwritten, but \`pipeline deploy\` did not write it; nothing was written`,
  );
  expect(filesBelow(made.path("deploy"))).toEqual(["chart/Chart.yaml", "mine.yaml"]);
});

test("a file of the user in the place of a folder is an error that names it", async () => {
  const made = await builtProject();
  made.write("deploy/chart/templates", "mine\n");
  const { code, err } = await pipeline(made, ["deploy"]);
  expect([code, err]).toEqual([2, expect.stringMatching(/^error\[file\/not-writable\]: .*deploy/)]);
  expect(readFileSync(made.path("deploy/chart/templates"), "utf8")).toBe("mine\n");
});

test("an edited file is not overwritten, and is kept if it is no longer needed", async () => {
  const made = await deployedProject('{ platforms: ["gateway"] }');
  const values = made.path("deploy/chart/values.yaml");
  const before = readFileSync(values, "utf8");
  writeFileSync(values, before.replace("replicas: 2", "replicas: 7"));
  made.configure('{ platforms: ["gateway"], replicas: 3 }');
  const refused = await pipeline(made, ["deploy"]);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain(`${values} changed after \`pipeline deploy\` wrote it; nothing was written`);
  expect(readFileSync(values, "utf8")).toContain("replicas: 7");
  expect(await pipeline(made, ["deploy", "--check"])).toMatchObject({
    code: 1,
    err: `out of date: deploy
  changed  compose/compose-cpu.yaml
  changed  compose/compose-gpu.yaml
  changed  compose/compose.yaml
  changed  compose/haproxy.cfg
  changed  compose/prometheus.yaml
  edited   chart/values.yaml: you changed it after \`pipeline deploy\` wrote it
  = help: put your values into a file of your own, which helm reads with --values, and delete the edited files
  = help: run \`pipeline deploy\`
`,
  });
  writeFileSync(values, before);
  const route = join(made.root, "deploy/chart/templates/gateway.yaml");
  writeFileSync(route, "# mine\n");
  made.configure("{}");
  expect((await pipeline(made, ["deploy"])).err).toContain(
    "kept     chart/templates/gateway.yaml: no longer needed, but you changed it",
  );
  expect(readFileSync(route, "utf8")).toBe("# mine\n");
});

test("files of the user that helm reads are reported, and the check fails", async () => {
  const made = await deployedProject();
  made.write("deploy/chart/mine.yaml", "replicas: 5\n");
  made.write("deploy/chart/templates/.DS_Store", "");
  made.write("deploy/chart/templates/service.yaml.orig", "");
  expect((await pipeline(made, ["deploy", "--check"])).code).toBe(0);
  made.write("deploy/chart/templates/mine.yaml", "kind: ConfigMap\n");
  made.write("deploy/chart/charts/redis/Chart.yaml", "name: redis\n");
  const lines = ["charts/redis/Chart.yaml", "templates/mine.yaml"].map(
    (path) => `  foreign  chart/${path}: helm reads it, but \`pipeline deploy\` did not write it\n`,
  );
  expect(await pipeline(made, ["deploy", "--check"])).toMatchObject({
    code: 1,
    err: `out of date: deploy\n${lines.join("")}  = help: move your own files away; your own templates belong in a chart of your own\n`,
  });
  expect(await pipeline(made, ["deploy"])).toMatchObject({
    code: 0,
    err: expect.stringContaining(lines.join("")),
  });
});

test.each([
  ["build", "is the build folder"],
  ["build/deploy", "is inside the build folder"],
  [".", "is the project's folder"],
  ["..", "contains the project's folder"],
])("a deployment in the folder %s is refused", async (output, why) => {
  const made = await builtProject(`{ output: "${output}" }`);
  const before = filesBelow(made.root);
  for (const args of [["deploy"], ["deploy", "--check"]])
    expect(await pipeline(made, args)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        new RegExp(
          `^error\\[deploy/shared-folder\\]: \`deploy\\.output\` is \\S+, which ${why}; nothing was written\n {2}= help: set \`deploy\\.output\``,
        ),
      ),
    });
  expect(filesBelow(made.root)).toEqual(before);
});

test("a deployment that contains the build folder is refused; folders with a common beginning do not overlap", async () => {
  const made = await builtProject();
  made.write("pipeline.config.ts", 'export default { output: "out/build", deploy: { output: "out" } };\n');
  expect((await pipeline(made, ["deploy"])).err).toContain(
    "is out, which contains the build folder; nothing was written\n",
  );
  made.configure('{ output: "build-deploy" }');
  expect((await pipeline(made, ["deploy"])).code).toBe(0);
});

test.each(["registry.example/Embed", "embed:1", "registry.example/embed:latest", "registry.example:5000"])(
  "deploy.image: %s is refused before helm refuses it",
  async (image) => {
    const made = await builtProject(`{ image: "${image}" }`);
    const { code, err } = await pipeline(made, ["deploy"]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("`deploy.image` must be an image without tag, in lower case, such as"),
    ]);
  },
);

test("line ends of a checkout on Windows are not edits", async () => {
  const made = await deployedProject();
  const { err } = await pipeline(made, ["deploy"]);
  expect(err).toContain("wrote deploy");
  for (const file of filesBelow(made.path("deploy"))) {
    const path = made.path(`deploy/${file}`);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("\n", "\r\n"));
  }
  expect(await pipeline(made, ["deploy", "--check"])).toMatchObject({ code: 0, err: "up to date: deploy\n" });
  expect((await pipeline(made, ["deploy"])).err).toContain(": 0 written");
});

test("a build that is replaced while it is measured is not deployed", async () => {
  const building = `
import { appendFileSync, existsSync } from "node:fs";
const at = (path: string): URL => new URL(path, import.meta.url);
if (existsSync(at("again"))) appendFileSync(at("build/manifest.json"), " ");
`;
  const made = await builtProject("{}", building);
  made.write("again", "");
  expect(await pipeline(made, ["deploy"])).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      "error[deploy/changed-meanwhile]: another build wrote to build at the same time",
    ),
  });
  expect(existsSync(made.path("deploy"))).toBe(false);
});

test.each([
  [
    "of a newer tritype",
    '{ "formatVersion": 2 }',
    "newer-record]: deploy/deployment.json has format version 2",
  ],
  ["that is empty", "", "not-a-record]: deploy/deployment.json does not list the files"],
  ["of something else", "[1]", "not-a-record]: deploy/deployment.json does not list the files"],
])("a record %s is reported, and nothing is written", async (_, text, message) => {
  const made = await builtProject();
  made.write("deploy/deployment.json", text);
  const { code, err } = await pipeline(made, ["deploy"]);
  expect([code, err.replaceAll(`${made.root}/`, "")]).toEqual([2, expect.stringContaining(message)]);
  expect(filesBelow(made.path("deploy"))).toEqual(["deployment.json"]);
});

test("without a build there is nothing to deploy", async () => {
  const made = await builtProject();
  made.write("pipeline.config.ts", 'export default { output: "elsewhere" };\n');
  expect(await pipeline(made, ["deploy"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("error[deploy/no-build]: there is no build in the folder elsewhere"),
  });
});

test.each([
  ["edited", (path: string) => writeFileSync(path, `${readFileSync(path, "utf8")}# mine\n`)],
  ["deleted", (path: string) => rmSync(path)],
])("a build with a file that was %s is not deployed; another build makes it complete", async (_, change) => {
  const made = await builtProject();
  change(made.path("build/model_repository/double/config.pbtxt"));
  for (const args of [["deploy"], ["deploy", "--check"]])
    expect(await pipeline(made, args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "error[deploy/broken-build]: build/model_repository/double/config.pbtxt is missing or has changed since `pipeline build` wrote it; nothing was written",
      ),
    });
  expect(existsSync(made.path("deploy"))).toBe(false);
  expect((await pipeline(made, ["build"])).code).toBe(0);
  expect((await pipeline(made, ["deploy"])).code).toBe(0);
});

test("a build with files that it did not write is not deployed; caches do not matter", async () => {
  const made = await builtProject();
  for (const file of ["double/1/__pycache__/model.cpython-311.pyc", ".DS_Store"])
    made.write(`build/model_repository/${file}`, "");
  expect((await pipeline(made, ["deploy"])).code).toBe(0);
  for (const file of ["double/1/model.onnx.old", "mine/config.pbtxt"])
    made.write(`build/model_repository/${file}`, "");
  for (const args of [["deploy"], ["deploy", "--check"]])
    expect(await pipeline(made, args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "error[deploy/not-built]: `pipeline build` did not write build/model_repository/double/1/model.onnx.old, build/model_repository/mine/config.pbtxt, ",
      ),
    });
});

test("values with which a rollout would lose requests are errors, and nothing is written", async () => {
  const made = await builtProject();
  made.configure('{ rollout: { grace: "40s" } }');
  const { code, err } = await pipeline(made, ["deploy"]);
  expect(code).toBe(1);
  expect(err).toContain("error[deploy/short-grace]: `grace` is 40s, but stopping takes up to 70s");
  expect(err).toContain("pipeline.config.ts:5:");
  expect(err).toMatch(/nothing was written\n$/);
  expect(existsSync(made.path("deploy"))).toBe(false);
});
