// `node build-child.mjs <project> <output>`: runs one build in a fresh process, and prints the milliseconds of each phase and the peak memory as JSON.
import { join } from "node:path";

const phases = { node: performance.now() };
let last = performance.now();
const phase = (name) => {
  const now = performance.now();
  phases[name] = now - last;
  last = now;
};

const [root, output] = process.argv.slice(2);
const { bundleEntries, findProject, projectSettings, writeBuild } = await import("@tritype/project");
const { compileRecords } = await import("../../packages/project/dist/compile-records.js");
const { recordOf } = await import("@tritype/dsl");
phase("imports");

const project = findProject(root);
const config = (await bundleEntries(root, [project.configFile])).modules[0].default;
const settings = projectSettings(project, config);
phase("config");

const loaded = await bundleEntries(root, settings.entries);
phase("load");

const records = loaded.modules
  .flatMap((module) => Object.values(module))
  .flatMap((value) => recordOf(value) ?? [])
  .filter(({ trace }) => trace !== undefined);
const { build, diagnostics } = compileRecords(records, { root, settings, mapStack: loaded.mapStack });
if (build === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
phase("compile");

writeBuild(join(root, output), build.tree);
phase("write");

const { maxRSS } = process.resourceUsage();
console.log(
  JSON.stringify({
    phases,
    peakMb: maxRSS / 1024,
    models: build.manifest.models.length,
    files: build.tree.size,
  }),
);
