import type { CheckOptions } from "@tritype/check";
import { guessHelp } from "@tritype/core";
import { type ReadSource, renderDiagnostic } from "@tritype/project/diagnostics";
import { defaultRelease, releaseOf, releases, type TritonRelease } from "@tritype/triton";
import { ownVersion } from "../own-version.ts";
import { cutFindings } from "../check/cut-findings.ts";
import { checkTargets, needConfigName } from "../check/check-targets.ts";
import { findingSource } from "../check/finding-source.ts";
import { printFindingsJson } from "../check/findings-json.ts";
import { printGithubAnnotations } from "../check/github-annotations.ts";
import { reportedPath } from "../check/reported-path.ts";
import { type CheckFindings, runCheck } from "../check/run-check.ts";
import { printSarif } from "../check/sarif.ts";
import { serverInstallation } from "../check/server-installation.ts";
import { countSeverities, printSummary } from "../check/summary.ts";
import { type ExitCode, type Given, usage } from "../command.ts";
import { configNameOf } from "../project/config-name.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline check <folder or config.pbtxt…>` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const start = performance.now();
  const print = formatOf(given);
  const options = optionsOf(given, terminal.cwd);
  if (given.positionals.length === 0)
    throw usage(
      "`pipeline check` needs a model repository or a config.pbtxt",
      "name the folder of the models",
    );
  const targets = checkTargets(given.positionals, terminal.cwd);
  if (options.configName !== undefined) needConfigName(targets, options.configName, options.release);
  const findings = runCheck(targets, terminal.cwd, options);
  print(findings, terminal, findingSource(terminal.cwd, targets));
  terminal.note(printSummary(findings, performance.now() - start, terminal.colors));
  return countSeverities(findings).errors > 0 ? 1 : 0;
};

type Print = (findings: CheckFindings, terminal: Terminal, readSource: ReadSource) => void;

const printFrames: Print = ({ diagnostics }, terminal, readSource) => {
  for (const diagnostic of cutFindings(diagnostics))
    terminal.out(`${renderDiagnostic(diagnostic, readSource, terminal.outColors)}\n`);
};

const formats: Readonly<Record<string, Print>> = {
  json: (findings, { out }, readSource) => out(printFindingsJson(findings, readSource)),
  sarif: (findings, terminal, readSource) =>
    terminal.out(printSarif(findings, ownVersion(), readSource, reportedPath(terminal))),
  github: (findings, terminal) => {
    if (findings.diagnostics.length > 0)
      terminal.out(printGithubAnnotations(findings, reportedPath(terminal)));
  },
};

const formatOf = (given: Given): Print => {
  const [first, second] = Object.keys(formats).filter((name) => given.flag(name));
  if (second !== undefined)
    throw usage(`--${first} and --${second} are mutually exclusive`, "use one of them");
  return (first === undefined ? undefined : formats[first]) ?? printFrames;
};

const optionsOf = (given: Given, cwd: string): CheckOptions => {
  const configName = configNameOf(given);
  const server = given.text("server");
  const gpus = given.integer("gpus", [0, 64]);
  return {
    release: releaseNamed(given.text("target")),
    strict: given.flag("strict"),
    configsOnly: given.flag("configs-only"),
    ...(configName === undefined ? {} : { configName }),
    ...(server === undefined ? {} : { installed: serverInstallation(server, cwd) }),
    ...(gpus === undefined ? {} : { gpus: Array.from({ length: gpus }, (_, id) => id) }),
  };
};

const releaseNamed = (target: string | undefined): TritonRelease => {
  if (target === undefined) return defaultRelease;
  const release = releaseOf(target);
  if (release !== undefined) return release;
  const known = releases.map(({ container }) => container);
  throw usage(
    `--target is ${target}, which is not a release of Triton`,
    guessHelp(target, known, `use one from ${known[0]} to ${known.at(-1)}`),
  );
};
