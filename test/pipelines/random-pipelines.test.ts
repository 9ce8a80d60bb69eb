import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkBuild, compileProject, findProject } from "@tritype/project";
import { ProjectError } from "@tritype/project/diagnostics";
import type { Diagnostic } from "@tritype/core";
import fc from "fast-check";
import { defineEnsemble, fp32 } from "tritype";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { arbitraryModules, fileOf } from "./arbitrary-modules.ts";
import { arbitraryMath } from "./arbitrary-math.ts";
import { arbitraryPipeline } from "./arbitrary-steps.ts";

/** `TRITYPE_PIPELINES=long` runs many more of them. */
const long = process.env["TRITYPE_PIPELINES"] === "long";

let project: ProjectFixture;
/** The same modules in the form that Node reads. */
let natives: string;
beforeAll(() => {
  project = makeProject({});
  natives = mkdtempSync(join(tmpdir(), "modules-"));
});
afterAll(() => {
  project.remove();
  rmSync(natives, { recursive: true, force: true });
});

/** Replaces `tritype` when Node loads the modules: records names and sizes. */
const recorder = `export const defined = [];
export const fp32 = (...dims) => dims;
const tensor = { mul: () => tensor };
export const defineEnsemble = ({ name, inputs, run }) => {
  run({ x: tensor });
  defined.push([name, inputs.x]);
  return () => ({ y: tensor });
};
`;

type Files = Readonly<Record<string, string>>;

interface Loaded {
  /** Names and dims of the ensembles, sorted; omitted if a name is read before it is set. */
  readonly ensembles?: readonly string[];
}

/** Node's own result for the modules of several projects, in a process without our loader. */
const loadedByNode = async (projects: readonly Files[]): Promise<readonly Loaded[]> => {
  const native = (text: string): string =>
    text.replace('"tritype"', '"./recorder.mjs"').replaceAll(/"\.\/(m\d)\.ts"/g, '"./$1.mjs"');
  for (const [run, files] of projects.entries()) {
    const folder = join(natives, String(run));
    const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
    mkdirSync(folder);
    write("recorder.mjs", recorder);
    for (const [file, text] of Object.entries(files)) write(file.replace(/ts$/, "mjs"), native(text));
    const imports = Object.keys(files).map((_, at) => `import "./${fileOf(at).replace(/ts$/, "mjs")}";\n`);
    write("all.mjs", `${imports.join("")}export { defined } from "./recorder.mjs";\n`);
  }
  const all = `const found = [];
for (let run = 0; run < ${projects.length}; run++)
  found.push(await import("./" + run + "/all.mjs").then(
    ({ defined }) => ({ ensembles: defined.map(([name, dims]) => name + "[" + dims.join(", ") + "]").sort() }),
    (error) => (error instanceof ReferenceError ? {} : Promise.reject(error)),
  ));
console.log(JSON.stringify(found));
`;
  writeFileSync(join(natives, "all.mjs"), all);
  const { stdout } = await promisify(execFile)(process.execPath, [join(natives, "all.mjs")], {
    env: {},
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(stdout) as readonly Loaded[];
};

/** A build's result for them. */
const loadedByBuild = async (files: Files): Promise<Loaded> => {
  for (const old of readdirSync(project.root)) if (/^m\d\.ts$/.test(old)) rmSync(project.path(old));
  for (const [file, text] of Object.entries(files)) project.write(file, text);
  project.write("pipeline.config.ts", `export default { entries: ${JSON.stringify(Object.keys(files))} };\n`);
  try {
    const { compilation } = await compileProject(findProject(project.root));
    // A size that does not match is a different mistake from one that is not set.
    if (compilation.build === undefined)
      return { ensembles: compilation.diagnostics.map(({ code }) => code) };
    const { ensembles } = compilation.build.manifest;
    return {
      ensembles: ensembles.map(({ name, inputs }) => `${name}[${inputs["x"]?.dims.join(", ")}]`).toSorted(),
    };
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    expect(error.diagnostics.map(({ message }) => message).join("\n")).toMatch(
      /is read before it is set: m\d\.ts imports m\d\.ts/,
    );
    return {};
  }
};

test("modules that import each other behave as in Node, or are refused with the import cycle", async () => {
  const samples = fc.sample(arbitraryModules, { numRuns: long ? 2000 : 30, seed: long ? Date.now() : 3 });
  const byNode = await loadedByNode(samples.map(({ files }) => files));
  for (const [index, { files }] of samples.entries()) {
    const build = await loadedByBuild(files);
    const node = byNode[index];
    if (build.ensembles?.some((found) => found.includes("/")) === true)
      expect(node?.ensembles, JSON.stringify(files)).toBeDefined();
    else expect(build, JSON.stringify(files)).toEqual(node);
  }
  const refused = byNode.filter(({ ensembles }) => ensembles === undefined).length;
  expect(refused).toBeGreaterThan(5);
  expect(refused).toBeLessThan(samples.length - 5);
}, 600_000);

test("invalid functions are refused, and findings are reported once for all profiles", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryPipeline, async ({ source, config, isRight, refused }) => {
      project.write("pipeline.ts", source);
      project.write("pipeline.config.ts", config);
      const { compilation, settings } = await compileProject(findProject(project.root));
      const found: Diagnostic[] = [...compilation.diagnostics];
      const { authors, ours } = checkBuild(compilation.emitted, { ...settings, docker: false });
      expect(ours).toEqual([]);
      found.push(...authors);
      const said = found.map(({ code, message }) => `${code}: ${message}`);
      expect(said).toEqual([...new Set(said)]);
      const codes = found.map(({ code }) => code);
      expect(codes.includes("function/type-error")).toBe(!isRight);
      if (isRight) expect(codes.length > 0).toBe(refused !== undefined);
    }),
    { numRuns: long ? 500 : 4, seed: long ? Date.now() : 7 },
  );
}, 600_000);

/** The nesting depth of a value's lists. */
const depth = (value: unknown): number => (Array.isArray(value) ? 1 + depth(value[0]) : 0);

test("results of run() are nested as their type says", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMath, fc.integer({ min: 1, max: 3 }), async ({ dims, made }, rows) => {
      const math = defineEnsemble({
        name: "math",
        maxBatchSize: 8,
        inputs: { x: fp32("batch", ...dims) },
        run: ({ x }) => made(x),
      });
      const values = (sizes: readonly number[]): unknown =>
        sizes.length === 0 ? 1 : Array.from({ length: sizes[0] ?? 0 }, () => values(sizes.slice(1)));
      const answer = await math.run({ x: values([rows, ...dims]) } as never);
      for (const [name, type] of Object.entries(math.outputs)) {
        const { [name]: tensor } = answer as Readonly<Record<string, { toArray(): unknown }>>;
        expect(depth(tensor?.toArray()), name).toBe(
          type.dims.filter((dim, axis) => axis === 0 || dim !== 1).length,
        );
      }
    }),
    { numRuns: long ? 200 : 4, seed: long ? Date.now() : 5 },
  );
}, 600_000);
