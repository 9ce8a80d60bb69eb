import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNode } from "./child.mjs";
import { inTurn, rowsOf, summarize } from "./measure.mjs";
import { copyExample, pipelineBin } from "./projects.mjs";

const child = fileURLToPath(new URL("build-child.mjs", import.meta.url));
const limit = 1000;

/** Builds of the example: whole processes, and the phases within a fresh process. */
export const build = async (runs = 12) => {
  const project = copyExample();
  try {
    return [await wholeProcess(project.root, runs), phases(project.root, runs)];
  } finally {
    project.remove();
  }
};

const wholeProcess = async (root, runs) => {
  const command = (...args) => runNode([pipelineBin, ...args], { cwd: root }).took;
  const summaries = await inTurn(
    {
      "build, cold": () => {
        rmSync(join(root, "build"), { recursive: true, force: true });
        return command("build");
      },
      "build, warm": () => command("build"),
      "build --check": () => command("build", "--check"),
    },
    { runs },
  );
  const { median } = summaries.get("build, warm");
  return {
    title: "the example, whole process",
    rows: rowsOf(summaries, "build, warm"),
    notes: ["cold: no build folder; warm: the build folder is up to date (the disk cache is warm in both)"],
    checks: [
      {
        what: "warm build of the example",
        value: `${Math.round(median)} ms`,
        limit: `< ${limit} ms`,
        ok: median < limit,
      },
    ],
  };
};

const phases = (root, runs) => {
  const samples = new Map();
  for (let round = -1; round < runs; round++) {
    const { phases: took } = JSON.parse(runNode([child, root, "build"]).stdout);
    if (round < 0) continue;
    for (const [name, ms] of Object.entries(took)) samples.set(name, [...(samples.get(name) ?? []), ms]);
  }
  return {
    title: "the example, phases of a warm build",
    rows: [...samples].map(([name, all]) => ({ name, ...summarize(all) })),
    notes: [
      "node: until the first line of code; config, load: esbuild bundles and Node imports pipeline.config.ts, pipeline.ts",
    ],
  };
};
