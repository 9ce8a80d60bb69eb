import { hasErrors, shellWord } from "@tritype/core";
import { deploySettings, modelStorageForm, readModelStorage } from "@tritype/deploy/diagnostics";
import { deployFindings, projectSettings, readConfig } from "@tritype/project";
import { renderDiagnostic, sourceReader } from "@tritype/project/diagnostics";
import { type ExitCode, type Given, usage } from "../command.ts";
import { readDeployedBuild } from "../deploy/read-deployed-build.ts";
import { compareDeployment, deployedModels, writeDeployment } from "../deploy/write-deployment.ts";
import { projectOf } from "../project/project-of.ts";
import { shownPath } from "../shown-path.ts";
import { cliError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline deploy [--models <url>] [--check]`: writes the files for a cluster without applying them. */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const project = projectOf(given, terminal);
  const wanted = given.text("models");
  if (wanted !== undefined && readModelStorage(wanted) === undefined)
    throw usage(`--models is ${wanted}`, `it ${modelStorageForm}`);
  const configured = projectSettings(project, await readConfig(project.root, project.configFile));
  const check = given.flag("check");
  const models =
    wanted ??
    (check && configured.deploy?.models === undefined ? deployedModels(configured.deployOutput) : undefined);
  const settings =
    models === undefined ? configured : { ...configured, deploy: { ...configured.deploy, models } };
  const findings = deployFindings(settings);
  for (const finding of findings)
    terminal.note(`${renderDiagnostic(finding, sourceReader(project.root), terminal.colors)}\n`);
  if (hasErrors(findings)) {
    terminal.note("nothing was written");
    return 1;
  }
  const build = readDeployedBuild(settings.output, terminal.cwd);
  const deployment = deploySettings(settings.deploy, settings.cores);
  if (
    deployment.models.kind !== "image" &&
    Object.keys(build.manifest.files).some((path) => path.startsWith("npm/"))
  )
    throw cliError("deploy/npm-packages", { models: settings.deploy.models ?? "" });
  const { emitDeployment } = await import("@tritype/deploy");
  const files = emitDeployment(build, deployment);
  const folder = shownPath(terminal.cwd, settings.deployOutput);
  const { colors } = terminal;
  const { written, deleted, kept, unchanged } = check
    ? compareDeployment(settings.deployOutput, files)
    : writeDeployment(settings.deployOutput, files, { build: build.hash, models });
  const lines = [
    ...written.map((path) => `${check ? "changed" : "written"}  ${path}`),
    ...deleted.map((path) => `${check ? "stale  " : "deleted"}  ${path}`),
    ...kept.map((path) => `kept     ${path}: no longer needed, but you changed it`),
  ].map((line) => `\n  ${line}`);
  if (check) {
    const current = written.length + deleted.length === 0;
    const option = models === undefined ? "" : ` --models ${shellWord(models)}`;
    terminal.note(
      current
        ? `${colors.green("up to date")}: ${folder}${option === "" ? "" : `, with${option}`}`
        : `${colors.red("out of date")}: ${folder}${lines.join("")}\n  = help: run \`pipeline deploy${option}\``,
    );
    return current ? 0 : 1;
  }
  terminal.note(
    `${colors.green("wrote")} ${folder} for the build ${build.hash.slice(0, 12)}: ${written.length} written, ${unchanged} unchanged${lines.join("")}`,
  );
  return 0;
};
