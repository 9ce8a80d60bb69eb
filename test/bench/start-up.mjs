import { inTurn, rowsOf } from "./measure.mjs";
import { pipelineBin } from "./projects.mjs";
import { runNode } from "./child.mjs";

const bare = "node -e 0";
const limit = 150;

/** Whole processes, from spawn to exit. */
export const startUp = async (runs = 30) => {
  const start = (args) => () => runNode(args).took;
  const summaries = await inTurn(
    {
      [bare]: start(["-e", "0"]),
      "pipeline --version": start([pipelineBin, "--version"]),
      "pipeline --help": start([pipelineBin, "--help"]),
      "pipeline build --help": start([pipelineBin, "build", "--help"]),
    },
    { runs },
  );
  const checks = ["pipeline --version", "pipeline --help"].map((name) => {
    const { median } = summaries.get(name);
    return { what: name, value: `${Math.round(median)} ms`, limit: `< ${limit} ms`, ok: median < limit };
  });
  return [{ title: "start-up, whole process", rows: rowsOf(summaries, bare), checks }];
};
