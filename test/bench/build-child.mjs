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
const { createNodeHost, projectFile } = await import("../../packages/project/dist/node-host.js");
const { compile, parseSite } = await import("@tritype/compiler");
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
const isProjectFile = projectFile(root);
const { build, diagnostics } = compile(records, {
  host: createNodeHost(root),
  siteOf: (site) =>
    parseSite(site.stack === undefined ? undefined : loaded.mapStack(site.stack), isProjectFile),
  release: settings.release,
  stepKinds: settings.stepKinds,
});
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
