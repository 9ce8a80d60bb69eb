import { execFile } from "node:child_process";
import { cpSync, readFileSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { httpClient } from "@tritype/client";
import { type NamedTensors, tensorOf, valuesOf } from "@tritype/core";
import { writeBuild } from "@tritype/project";
import { serveTriton } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { serve } from "../cli/served-dev.ts";
import { readDockerfile } from "../docker/read-dockerfile.ts";
import { fencesOf } from "../docs/markdown-fences.ts";
import { type SharpProject, sharpProject } from "../environment/sharp.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { installTime, killTriton, temporaryFolder } from "../triton/judge.ts";
import { installNodeWheel, type NodeWheel } from "./node-wheel.ts";

const guide = readFileSync(fileURLToPath(new URL("../../docs/steps.md", import.meta.url)), "utf8");
const example = fencesOf(guide).find(({ info }) => info === "thumbnails.ts")?.text ?? "";

/** Calls `sharp` and the ensemble in Node, and prints pictures with their answers as JSON. */
const script = `
import sharp from "sharp";
import { thumbnails } from "./thumbnails.ts";

const create = { width: 48, height: 20, channels: 4, background: { r: 200, g: 30, b: 90, alpha: 0.5 } };
const lines = Buffer.from('<svg width="48" height="20"><path d="M0 0 48 20M9 0 9 20" stroke="green"/></svg>');
const picture = () => sharp({ create }).composite([{ input: lines }]);
const files = [
  await picture().png().toBuffer(),
  await picture().jpeg().toBuffer(),
  await picture().webp().toBuffer(),
  await picture().greyscale().png().toBuffer(),
];
const rows = [];
for (const file of files) {
  const { data } = await sharp(file).resize(32, 32, { fit: "fill" }).removeAlpha().toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
  const { pixels, size } = await thumbnails.run({ file: { data: file, shape: [1, file.length] } });
  rows.push({ file: [...file], direct: [...data], run: [...pixels.data, ...size.data] });
}
const broken = await thumbnails.run({ file: { data: files[0].fill(0, 0, 3), shape: [1, files[0].length] } }).catch((error) => error.message);
console.log(JSON.stringify({ rows, broken }));
`;

interface Reference {
  readonly rows: readonly {
    readonly file: readonly number[];
    readonly direct: readonly number[];
    readonly run: readonly number[];
  }[];
  readonly broken: string;
}

let project: ProjectFixture;
let sharp: SharpProject;
let wheel: NodeWheel;
let reference: Reference;

beforeAll(async () => {
  [wheel, sharp] = await Promise.all([installNodeWheel(), sharpProject()]);
  project = makeProject({
    "pipeline.config.ts": 'export default { entries: ["thumbnails.ts"] };\n',
    "thumbnails.ts": example,
    "ask.mjs": script,
    "tsconfig.json": JSON.stringify({
      extends: "../../tsconfig.json",
      compilerOptions: { customConditions: [] },
    }),
  });
  for (const name of ["package.json", "package-lock.json", "node_modules"])
    cpSync(join(sharp.folder, name), project.path(name), { recursive: true });
  const { compilation } = await compileFixture(project);
  if (compilation.build === undefined) throw new Error(JSON.stringify(compilation.diagnostics, null, 1));
  writeBuild(project.path("build"), compilation.build.tree);
  const { stdout } = await promisify(execFile)(wheel.node, ["ask.mjs"], {
    cwd: project.root,
    maxBuffer: 1e8,
  });
  reference = JSON.parse(stdout) as Reference;
}, installTime);
afterAll(() => project?.remove());

test("an ensemble's `run` gives the pixels that sharp gives, and a broken file fails at the author's line", () => {
  expect(reference.rows.length).toBe(4);
  for (const { direct, run } of reference.rows) expect(run).toEqual([...direct, 48, 20]);
  expect(new Set(reference.rows.map(({ direct }) => direct.join())).size).toBeGreaterThan(2);
  expect(reference.broken).toBe(`in ensemble 'thumbnails', ${broken("0")}`);
  expect(guide).toContain(broken("0"));
});

const broken = (row: string): string =>
  `thumbnail: row ${row}: Error: Input buffer contains unsupported image format (thumbnails.ts:12:45)`;

/** Sends all pictures at once, with a broken one among them. */
const same = async (url: string): Promise<void> => {
  const client = httpClient(url);
  onTestFinished(() => client.close());
  const ask = async (...files: readonly (readonly number[])[]): Promise<unknown> => {
    const inputs = new Map([
      ["file", tensorOf("UINT8", [files.length, files[0]?.length ?? 0], files.flat())],
    ]);
    return client.infer({ model: "thumbnails", inputs }).then(flat, (error: Error) => error.message);
  };
  const [{ file: whole, direct } = { file: [], direct: [] }] = reference.rows;
  const bad = whole.map((byte, at) => (at < 3 ? 0 : byte));
  const answers = reference.rows.map(({ file }) => ask(file));
  expect(await Promise.all([ask(bad), ask(whole, bad), ask(whole, whole), ...answers])).toEqual([
    reference.broken,
    `in ensemble 'thumbnails', ${broken("1")}`,
    [...direct, ...direct, 48, 20, 48, 20],
    ...reference.rows.map(({ run }) => run),
  ]);
};

const flat = (outputs: NamedTensors): readonly unknown[] =>
  ["pixels", "size"].flatMap((name) => {
    const tensor = outputs.get(name);
    return tensor === undefined ? [] : [...valuesOf(tensor)];
  });

test.each(["", "--python"])(
  "`pipeline dev %s` uses the project's packages, without a warning",
  async (flag) => {
    const served = await serve(project, ["build/model_repository", ...(flag === "" ? [] : [flag])], {
      env: { TRITYPE_PYTHON: wheel.installation.python },
    });
    await same(served.url);
    expect(served.err()).not.toContain("Warning");
  },
);

/** Does what the Dockerfile does for packages with native code, in a folder instead of an image. Returns the repository. */
const imageRepository = async (image: string): Promise<string> => {
  const stages = readDockerfile(readFileSync(project.path("build/Dockerfile"), "utf8"));
  const ofStage = (name: string, keyword: string): readonly string[] =>
    (stages.find((stage) => stage.name === name)?.instructions ?? [])
      .filter((instruction) => instruction.keyword === keyword)
      .map(({ text }) => text);
  expect(ofStage("npm", "COPY").at(-1)).toBe("npm ./");
  const npm = join(image, "npm");
  cpSync(project.path("build/npm"), npm, { recursive: true });
  await promisify(execFile)("/bin/sh", ["-c", ofStage("npm", "RUN").at(-1) ?? ""], {
    cwd: npm,
    env: {
      PATH: [dirname(wheel.installation.python), process.env["PATH"] ?? ""].join(delimiter),
      HOME: npm,
      npm_config_cache: sharp.cache,
      npm_config_offline: "true",
    },
  });
  const models = join(image, "models");
  cpSync(project.path("build/model_repository"), models, { recursive: true });
  expect(ofStage("cpu", "COPY").at(-1)).toBe("/npm/node_modules /models/thumbnail/1/node_modules");
  renameSync(join(npm, "node_modules"), join(models, "thumbnail/1/node_modules"));
  return models;
};

test("the real Triton uses the packages that the Dockerfile installs, without a warning", async () => {
  const image = await temporaryFolder();
  onTestFinished(image.remove);
  const triton = await serveTriton(wheel.installation, { repository: await imageRepository(image.path) });
  onTestFinished(() => killTriton(triton));
  await triton.waitReady();
  await same(triton.httpUrl);
  expect(triton.problems()).toEqual([]);
  expect(triton.log()).not.toContain("Warning");
});

test("without `allow`, the build names the package", async () => {
  project.write("thumbnails.ts", example.replace(/ *allow: .*\n/, ""));
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics.map(({ code, message }) => [code, message])).toEqual([
    [
      "node/addons-not-allowed",
      "step `thumbnail` imports sharp with native code, which its function may not load",
    ],
  ]);
});

test("with the lock file of pnpm only, the build says how to make one for npm", async () => {
  project.write("thumbnails.ts", example);
  project.write("pnpm-lock.yaml", "");
  rmSync(project.path("package-lock.json"));
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics.map(({ code, help }) => [code, help])).toEqual([
    [
      "node/not-locked",
      "npm does not read pnpm-lock.yaml: run `npm install --prefix . --package-lock-only sharp@0.35.5` in an empty folder, and move its package-lock.json to the project's root",
    ],
  ]);
});
