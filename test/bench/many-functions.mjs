import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { timeNode } from "./child.mjs";
import { makeFunctionProject } from "./function-project.mjs";
import { summarize } from "./measure.mjs";
import { pipelineBin } from "./projects.mjs";

const remembered = fileURLToPath(new URL("../node_modules/.cache/tritype", import.meta.url));

/** `pipeline build` of a project with 140 functions, in a process of its own: wall-clock time and processor time. */
export const manyFunctions = (runs = 3) => {
  const project = makeFunctionProject();
  const build = () => timeNode([pipelineBin, "build"], { cwd: project.root });
  const edit = (file, from, to) => {
    const path = join(project.root, file);
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  };
  const samples = {
    cold: [],
    unchanged: [],
    "one file of ten changed": [],
    "a file that all others import changed": [],
  };
  try {
    for (let round = 0; round < runs; round++) {
      rmSync(remembered, { recursive: true, force: true });
      rmSync(join(project.root, "build"), { recursive: true, force: true });
      samples.cold.push(build());
      samples.unchanged.push(build());
      edit("steps/users.ts", '"the text is', '"this text is');
      samples["one file of ten changed"].push(build());
      edit("lib/numbers.ts", "Math.round(", "Math.floor(");
      samples["a file that all others import changed"].push(build());
      edit("steps/users.ts", '"this text is', '"the text is');
      edit("lib/numbers.ts", "Math.floor(", "Math.round(");
    }
  } finally {
    project.remove();
  }
  const limits = { cold: 15_000, unchanged: 3000, "one file of ten changed": 3000 };
  const rowsBy = (time) =>
    Object.entries(samples).map(([name, all]) => ({ name, ...summarize(all.map((sample) => sample[time])) }));
  const onTheClock = rowsBy("clock");
  return [
    {
      title: "pipeline build of 140 functions in ten files (ms)",
      rows: onTheClock,
      checks: onTheClock
        .filter(({ name }) => name in limits)
        .map(({ name, median }) => ({
          what: name,
          value: `${Math.round(median)} ms`,
          limit: `< ${limits[name]} ms`,
          ok: median < limits[name],
        })),
    },
    { title: "the same, processor time of all threads (ms)", rows: rowsBy("processor") },
  ];
};
