import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { installJudge, installTime, temporaryFolder } from "../judge.ts";
import { installPerfAnalyzer } from "../perf-analyzer.ts";
import { type Address, startBothServers } from "./both-servers.ts";
import { expectTable } from "./clients-page.ts";
import {
  perfAnalyzerFiles,
  perfAnalyzerGroups,
  perfAnalyzerRuns,
  perfAnalyzerTimed,
} from "./perf-analyzer-runs.ts";
import { type ProgramOptions, runPrograms } from "./run-programs.ts";
import { standIns } from "./stand-ins.ts";

/** Keeps measurements short even on an unsteady machine. Fixed rates do not allow a fixed number of requests. */
const measured = (argv: readonly string[]): readonly string[] =>
  argv.includes("--request-rate-range")
    ? ["--measurement-mode", "count_windows", "--measurement-request-count", "40", "-s", "999", "-r", "3"]
    : ["--request-count", "40", "-s", "999"];
const program = fileURLToPath(new URL("programs/clients.py", import.meta.url));

test(
  "Triton's Python client and perf_analyzer get the same answers from both servers",
  async () => {
    const { python } = await installJudge();
    const perfAnalyzer = await installPerfAnalyzer();
    const servers = await startBothServers(standIns());
    const ask = async ({ http, grpc }: Address): Promise<Readonly<Record<string, unknown>>> => {
      const { stdout } = await promisify(execFile)(python, [program, http, grpc], {
        maxBuffer: 2 ** 24,
        timeout: 120_000,
      });
      return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    };
    const [theirs, ours] = await Promise.all([ask(servers.triton), ask(servers.dev)]);
    expect(ours).toEqual(theirs);
    for (const got of Object.values(theirs)) expect(JSON.stringify(got)).not.toContain("Traceback");
    expect(Object.keys(theirs).length).toBeGreaterThan(35);
    expectTable("Calls to Triton's client", ["calls", "over", "results"], callRows(Object.keys(theirs)));

    const folder = await temporaryFolder();
    onTestFinished(folder.remove);
    writeFiles(folder.path, perfAnalyzerFiles);
    const options: ProgramOptions = {
      words: (argv) => [perfAnalyzer.path, ...argv, ...measured(argv)],
      env: perfAnalyzer.env,
      cwd: folder.path,
      comparable: (output) => String(Number(/Request count: (\d+)/.exec(output)?.[1] ?? 0) >= 40 || output),
    };
    const ran = [
      ...(await Promise.all(perfAnalyzerGroups.map((runs) => runPrograms(runs, servers, options)))).flat(),
      ...(await runPrograms(perfAnalyzerTimed, servers, options)),
    ];
    const rows = perfAnalyzerRuns.flatMap(({ command }) => ran.filter(([what]) => what === `\`${command}\``));
    expect(rows).toHaveLength(perfAnalyzerRuns.length);
    for (const [what, ...codes] of rows) expect([what, ...codes]).toEqual([what, "0", "0", "alike"]);
    expectTable("perf_analyzer", ["arguments", "Triton", "`pipeline dev`", "results"], rows);
    expect(await servers.stopDev()).toBe(0);
  },
  installTime,
);

/** One row for the cases `texts, http` and `texts, grpc`; cases without a protocol use gRPC. */
const callRows = (cases: readonly string[]): readonly (readonly string[])[] => {
  const rows = new Map<string, string[]>();
  for (const name of cases) {
    const [, what = name, protocol] = /^(.*), (http|grpc)$/.exec(name) ?? [];
    const named = protocol === "http" ? "HTTP" : "gRPC";
    rows.set(what, [...(rows.get(what) ?? []), named].toSorted());
  }
  return [...rows].map(([what, protocols]) => [what.replaceAll("_", " "), protocols.join(", "), "alike"]);
};
