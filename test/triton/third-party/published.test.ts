import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { pythonTool } from "../../environment/python-tool.ts";
import { installJudge, temporaryFolder } from "../judge.ts";
import { startBothServers } from "./both-servers.ts";
import { expectTable } from "./clients-page.ts";
import { publishedRuns } from "./published-runs.ts";
import { runPublished, type Verdicts } from "./run-published.ts";
import { verdictRows } from "./verdict-rows.ts";

/** If it is not set, `vitest.config.ts` excludes this file. */
const qa = join(process.env["TRITYPE_PUBLISHED"] ?? "", "qa");
const chosen = new RegExp(process.env["TRITYPE_PUBLISHED_FILE"] ?? "");

test("Triton's published tests get the same verdicts from both servers", async () => {
  const { python } = await installJudge();
  const packages = await pythonTool("psutil", "6.1.0", [
    "sseclient-py==1.8.0",
    "requests==2.32.3",
    "pytest==8.3.4",
  ]);
  const rows: (readonly string[])[] = [];
  for (const run of publishedRuns.filter(({ file }) => chosen.test(file))) {
    const { path, remove } = await temporaryFolder();
    onTestFinished(remove);
    const servers = await startBothServers(await run.models(qa), run.explicit, run.flags);
    const verdicts = [];
    for (const name of ["triton", "dev"] as const)
      verdicts.push(
        await runPublished(qa, run, { address: servers[name], python, packages, cwd: join(path, name) }),
      );
    const [theirs = new Map(), ours = new Map()] = verdicts as readonly Verdicts[];
    const header = run.env === undefined ? "" : ` (${Object.values(run.env).join(", ")})`;
    rows.push(...verdictRows(`\`${run.file}\`${header}`, theirs, ours, run.differ));
    if (process.env["TRITYPE_PUBLISHED_FILE"] !== undefined)
      process.stderr.write(`${JSON.stringify({ file: run.file, theirs: [...theirs], ours: [...ours] })}\n`);
    await Promise.all([servers.stopDev(), servers.stopTriton()]);
  }
  if (process.env["TRITYPE_PUBLISHED_FILE"] !== undefined) return;
  expectTable("Triton's published tests", ["tests", "Triton", "`pipeline dev`", "results"], rows);
}, 3_600_000);
