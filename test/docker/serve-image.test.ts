import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { httpClient } from "@tritype/client";
import { containerOf, releases } from "@tritype/triton";
import { tensorOf, valuesOf } from "@tritype/core";
import { cacheFolder, installTriton, serveTriton, type WheelInstallation } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeOnce } from "../environment/make-once.ts";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { installTime } from "../triton/judge.ts";
import { type RanStage, runServerStage } from "./run-server-stage.ts";

const exec = promisify(execFile);
const example = fileURLToPath(new URL("../../examples/sentence-embedding", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tritype-image-"));
const environment = join(folder, "environment");
/** The environment before any step. */
let pristine: string;
const asIs = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
const root = join(folder, "root");
const build = join(folder, "build");

let installation: WheelInstallation;
let image: RanStage;

beforeAll(async () => {
  await exec("curl", ["--version"]);
  const triton = await installTriton({ cache: cacheFolder(), notice: () => {} });
  if (triton.kind !== "wheel") throw new Error("These tests need Triton's wheel");
  installation = triton;
  const { compilation } = await compileProject(findProject(example));
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(build, compilation.build?.tree ?? new Map());
  pristine = await pristineEnvironment();
  cpSync(pristine, environment, asIs);
  image = await runImage();
}, installTime);

afterAll(() => rmSync(folder, { recursive: true, force: true }), installTime);

/** A virtual environment with pip, made once. Its programs in `bin` name another folder, except Python itself. */
const pristineEnvironment = async (): Promise<string> => {
  const made = `${installation.environment}-pristine`;
  await makeOnce(made, async (staging) => void (await exec(installation.python, ["-m", "venv", staging])));
  return made;
};

/** Runs the default stage of the Dockerfile. */
const runImage = (): Promise<RanStage> => {
  mkdirSync(root);
  const dockerfile = readFileSync(join(build, "Dockerfile"), "utf8");
  return runServerStage(dockerfile, { context: build, root, environment });
};

test("the Dockerfile's steps install exactly the packages and versions of requirements.txt", async () => {
  expect(image.ran).toHaveLength(1);
  const { stdout } = await exec(join(environment, "bin", "python"), [
    "-m",
    "pip",
    "list",
    "--disable-pip-version-check",
    "--format=freeze",
  ]);
  const installed = stdout.split("\n").filter((line) => line !== "" && !/^(?:pip|setuptools)==/.test(line));
  const wanted = readFileSync(join(build, "requirements.txt"), "utf8").match(/^[\w.-]+==\S+/gm);
  expect(installed).toEqual(wanted);
  expect({ user: image.user, exposed: image.exposed }).toEqual({
    user: "1000:1000",
    exposed: ["8000", "8001", "8002"],
  });
});

const compiled = (files: Iterable<string>): readonly string[] =>
  [...files].filter((path) => /numpy\/__pycache__\/__init__\..*\.pyc$/.test(path));

test("the steps compile the packages", () => {
  expect(compiled(filesBelow(environment))).toHaveLength(1);
});

// Installs everything again.
test.runIf(process.env["TRITYPE_LOAD"] === "long")(
  "the steps produce the same files every time, with compiled packages",
  async () => {
    const before = filesOf([root, environment]);
    expect(compiled(before.keys())).toHaveLength(1);
    rmSync(root, { recursive: true });
    rmSync(environment, { recursive: true });
    cpSync(pristine, environment, asIs);
    // Modification times are not compared: builders can set them.
    image = await runImage();
    expect(filesOf([root, environment])).toEqual(before);
  },
  installTime,
);

test("pip rejects a package that does not match its hashes", async () => {
  const requirements = join(folder, "other.txt");
  const text = readFileSync(join(build, "requirements.txt"), "utf8");
  writeFileSync(requirements, text.replaceAll(/sha256:[\da-f]{8}/g, "sha256:00000000"));
  const pip = [
    "-m",
    "pip",
    "download",
    "--quiet",
    "--disable-pip-version-check",
    "--no-deps",
    "--require-hashes",
  ];
  const refused = exec(installation.python, [...pip, "-d", join(folder, "other"), "-r", requirements]);
  await expect(refused).rejects.toThrow(/THESE PACKAGES DO NOT MATCH THE HASHES/);
});

test.each([...new Set(releases.map((release) => containerOf(release).python))])(
  "the versions have wheels for the Python %s of Triton's images",
  async (version) => {
    const wheels = ["--only-binary=:all:", "--python-version", version, "--target", join(folder, "nowhere")];
    const pip = ["-m", "pip", "install", "--dry-run", "--quiet", "--disable-pip-version-check", "--no-deps"];
    await exec(installation.python, [...pip, ...wheels, "-r", join(build, "requirements.txt")]);
  },
);

test(
  "in that environment the real server answers with the Dockerfile's command, and its health check reflects its state",
  async () => {
    const [program, modelRepository, ...more] = image.command;
    expect([program, modelRepository]).toEqual(["tritonserver", "--model-repository=/models"]);
    const server = await serveTriton(
      { ...installation, environment, backends: backendsFor(installation) },
      {
        repository: image.path("/models"),
        strict: false,
        exitOnError: true,
        extraArguments: more,
      },
    );
    const healthy = async (): Promise<boolean> => {
      const [check, ...rest] = image.healthCheck.map((part) =>
        part.replace("http://127.0.0.1:8000", server.httpUrl),
      );
      return await exec(check ?? "", rest).then(
        () => true,
        () => false,
      );
    };
    try {
      await server.waitReady();
      expect(await healthy()).toBe(true);
      const client = httpClient(server.httpUrl);
      const texts = ["A man is eating food.", "A man eats something."];
      const outputs = await client.infer({
        model: "embed",
        inputs: new Map([["text", tensorOf("BYTES", [2, 1], texts)]]),
      });
      await client.close();
      const embedding = outputs.get("embedding");
      if (embedding === undefined) throw new Error("there is no embedding");
      expect(embedding.shape).toEqual([2, 128]);
      const values = valuesOf(embedding).map(Number);
      const dot = values.slice(0, 128).reduce((sum, value, at) => sum + value * (values[128 + at] ?? 0), 0);
      expect(dot).toBeGreaterThan(0.7);
    } finally {
      await server.stop();
    }
    expect(await healthy()).toBe(false);
  },
  installTime,
);

/** The files below folders: path → hash of the content. Leaves out what `python -m venv` installs, because its compiled files contain timestamps. */
const filesOf = (folders: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    folders
      .flatMap((from) => filesBelow(from).map((file) => join(from, file)))
      .filter((path) => !/\/site-packages\/(?:pip|setuptools|pkg_resources|_distutils_hack)\//.test(path))
      .map((path) => [path, createHash("sha256").update(readFileSync(path)).digest("hex")]),
  );

/** The server lacks the ONNX Runtime backend, so ours is used. It searches the image's packages before its own. */
const backendsFor = ({ backends, environment: judge, python }: WheelInstallation): string => {
  const target = join(folder, "backends");
  mkdirSync(target);
  symlinkSync(join(backends, "python"), join(target, "python"));
  cpSync(join(backends, "onnxruntime"), join(target, "onnxruntime"), { recursive: true });
  const file = join(target, "onnxruntime", "model.py");
  const find = `import glob, sys\nsys.path.extend(glob.glob(${JSON.stringify(join(judge, "lib", "python3*", "site-packages"))}))\n`;
  expect(python.startsWith(judge)).toBe(true);
  writeFileSync(file, find + readFileSync(file, "utf8"));
  return target;
};
