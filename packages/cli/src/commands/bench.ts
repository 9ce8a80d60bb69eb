import type { BenchedModel } from "../bench/bench-model.ts";
import { benchPlan } from "../bench/bench-plan.ts";
import type { BenchResult } from "../bench/bench-result.ts";
import { devServer, namedServer, tritonServer } from "../bench/open-server.ts";
import { writeReport } from "../write-file.ts";
import { failed } from "../bench/show-case.ts";
import { type ExitCode, type Given, usage } from "../command.ts";
import { givenHeaders, refuseUnencrypted } from "../given-headers.ts";
import { refuseProfileOf } from "../project/need-profile.ts";
import { deviceOf } from "../project/device.ts";
import { profiledRepositoryOf } from "../project/repository-of.ts";
import { ensembleOf } from "../project/ensemble-of.ts";
import { grpcAddress } from "../server-url.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline bench [ensemble]`, `pipeline bench --compare a.json b.json` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  if (given.flag("compare")) {
    const { compareRuns } = await import("../bench/compare-runs.ts");
    return await compareRuns(given, terminal);
  }
  if (given.positionals.length > 1)
    throw usage(
      `\`pipeline bench\` does not accept \`${given.positionals[1]}\``,
      "name one ensemble; two results are compared with --compare",
    );
  const plan = benchPlan(given);
  const what = await open(given, terminal);
  if (what === undefined) return 1;
  try {
    const { benchModel } = await import("../bench/bench-model.ts");
    return await tell(given, await benchModel(given, plan, what, terminal), terminal);
  } finally {
    terminal.progress("");
    await what.server.close();
  }
};

const open = async (given: Given, terminal: Terminal): Promise<BenchedModel | undefined> => {
  const [url, grpcUrl] = [given.text("url"), grpcAddress(given, "grpc-url")];
  const [named] = given.positionals;
  if (url !== undefined || grpcUrl !== undefined) {
    if (given.flag("triton"))
      throw usage("--triton starts a server, --url uses a running one", "remove one of them");
    refuseProfileOf(given, url === undefined ? "grpc-url" : "url");
    if (named === undefined)
      throw usage("which model should be tested?", "put its name first: pipeline bench embed --url …");
    const headers = givenHeaders(given, terminal);
    refuseUnencrypted(headers, url, grpcUrl, "leave out --grpc-url, or use an http:// address");
    return { server: namedServer(url, grpcUrl, headers), model: named, samples: [] };
  }
  const device = deviceOf(given, "cpu");
  const built = await profiledRepositoryOf(undefined, given, terminal);
  if (built === undefined) return undefined;
  const { repository, configName } = built;
  const model = ensembleOf(named, built.ensembles, "tested");
  const known = { model, samples: built.samples, repository, profile: configName };
  if (given.flag("triton")) return { ...known, server: await tritonServer(built, terminal) };
  const python = given.flag("python") ? "always" : "twin";
  const server = await devServer({ repository, device, python, configName }, terminal);
  return { ...known, server, device };
};

/** Prints and writes the measurements. Returns 1 if a request failed or the server ended, and 143 after SIGTERM. */
const tell = async (given: Given, result: BenchResult, terminal: Terminal): Promise<ExitCode> => {
  if (result.stopped !== undefined)
    terminal.note(
      `${terminal.colors.yellow("stopped")} ${result.stopped}; ${result.cases.length === 0 ? "nothing was measured" : "the results so far follow"}`,
    );
  if (given.flag("json")) terminal.out(JSON.stringify(result, null, 2));
  else if (result.cases.length > 0) {
    const { printResult } = await import("../bench/print-result.ts");
    terminal.out(printResult(result, terminal.outColors));
    if (given.flag("by-step")) {
      const { printSteps } = await import("../bench/print-steps.ts");
      terminal.out(`\n${printSteps(result, terminal.outColors)}`);
    }
  }
  await writeReport(given, terminal, async () =>
    (await import("../bench/bench-report.ts")).benchReport(result),
  );
  if (result.stopped === "SIGTERM") return 143;
  const serverEnded = result.stopped !== undefined && result.stopped !== "Ctrl-C";
  return serverEnded || result.cases.some((one) => failed(one) > 0) ? 1 : 0;
};
