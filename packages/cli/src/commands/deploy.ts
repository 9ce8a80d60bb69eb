import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, hasErrors, parseObject, shellWord } from "@tritype/core";
import type { SmokeMeasurement } from "@tritype/deploy";
import { deploySettings, modelStorageForm, readModelStorage } from "@tritype/deploy/diagnostics";
import { deployFindings, type ProjectSettings, projectSettings, readConfig } from "@tritype/project";
import { renderDiagnostic, sourceReader } from "@tritype/project/diagnostics";
import { pathInside } from "@tritype/project/find";
import { type ExitCode, type Given, usage } from "../command.ts";
import { buildHash, readDeployedBuild } from "../deploy/read-deployed-build.ts";
import { recordedSamples } from "../deploy/recorded-samples.ts";
import {
  compareDeployment,
  deployedModels,
  type DeploymentChanges,
  writeDeployment,
} from "../deploy/write-deployment.ts";
import { projectOf } from "../project/project-of.ts";
import { shownPath } from "../shown-path.ts";
import { cliError } from "../errors.ts";
import { checkedWithoutSamples } from "../smoke/check-server.ts";
import { noticeOf, type Terminal } from "../terminal.ts";

/** `pipeline deploy [--models <url>] [--check]`: writes the files for a cluster without applying them. */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const wanted = given.text("models");
  if (wanted !== undefined && readModelStorage(wanted) === undefined)
    throw usage(`--models is ${wanted}`, `it ${modelStorageForm(wanted)}`);
  const project = projectOf(given, terminal);
  const configured = projectSettings(project, await readConfig(project.root, project.configFile));
  refuseSharedFolder(project.root, configured, terminal);
  const check = given.flag("check");
  const remembered =
    configured.deploy.models === undefined ? deployedModels(configured.deployOutput) : undefined;
  const models = wanted ?? remembered;
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
  const deployment = deploySettings(settings.deploy, settings.cores, packageName(project.root));
  const inImage = deployment.models.kind === "image";
  if (!inImage && Object.keys(build.manifest.files).some((path) => path.startsWith("npm/")))
    throw cliError("deploy/npm-packages", { models: settings.deploy.models ?? "" });
  const { emitDeployment, fittingSamples, smokePath } = await import("@tritype/deploy");
  const measure = async (): Promise<SmokeMeasurement> => {
    const { measureSamples } = await import("../deploy/measure-samples.ts");
    return fittingSamples(await measureSamples(project, build, settings.output, terminal));
  };
  const recorded = recordedSamples(settings.deployOutput, smokePath, build.hash);
  // Files without a measurement of this build are out of date in any case.
  const measured = recorded ?? (check ? {} : await measure());
  if (attempt(() => buildHash(settings.output)) !== build.hash)
    throw cliError("deploy/changed-meanwhile", { folder: shownPath(terminal.cwd, settings.output) });
  const files = emitDeployment(build, deployment, measured);
  const folder = shownPath(terminal.cwd, settings.deployOutput);
  const { colors } = terminal;
  const changes = check
    ? compareDeployment(settings.deployOutput, files)
    : writeDeployment(settings.deployOutput, files, {
        build: build.hash,
        models: inImage ? undefined : models,
      });
  const lines = changedLines(changes, check);
  if (check) {
    const option = models === undefined ? "" : ` --models ${shellWord(models)}`;
    terminal.note(
      lines.length === 0
        ? `${colors.green("up to date")}: ${folder}${option === "" ? "" : `, with${option}`}`
        : [`${colors.red("out of date")}: ${folder}`, ...lines, ...adviceFor(changes, option)].join("\n"),
    );
    return lines.length === 0 ? 0 : 1;
  }
  const { written, unchanged } = changes;
  terminal.note(
    [
      `${colors.green("wrote")} ${folder} for the build ${build.hash.slice(0, 12)}: ${written.length} written, ${unchanged} unchanged`,
      ...lines,
    ].join("\n"),
  );
  for (const [name, one] of Object.entries(measured))
    if ("unchecked" in one)
      noticeOf(terminal)(
        `\`${name}\` ${one.unchecked}: \`helm test\` only checks its ${checkedWithoutSamples(build.manifest, name)}`,
      );
  if (wanted === undefined && remembered !== undefined)
    noticeOf(terminal)(
      `the models are in ${remembered}, as in the last run; to put them into the image again: pipeline deploy --models image`,
    );
  return 0;
};

/** @throws PipelineError `project/invalid` if the folder of the deployment overlaps with that of the build */
const refuseSharedFolder = (
  root: string,
  { output, deployOutput }: Pick<ProjectSettings, "output" | "deployOutput">,
  { cwd }: Terminal,
): void => {
  const around = [
    ["the project's folder", pathInside(deployOutput, root)],
    ["the build folder", pathInside(deployOutput, output)],
  ].flatMap(([what, inner]) => (inner === undefined ? [] : `${inner === "" ? "is" : "contains"} ${what}`));
  const inside = pathInside(output, deployOutput) === undefined ? [] : ["is inside the build folder"];
  const [why] = [...around, ...inside];
  if (why !== undefined)
    throw cliError("deploy/shared-folder", { folder: shownPath(cwd, deployOutput), why });
};

/** The name in the project's package.json. */
const packageName = (root: string): string | undefined => {
  const name = attempt(() => parseObject(readFileSync(join(root, "package.json"))))?.["name"];
  return typeof name === "string" ? name : undefined;
};

const changedLines = (
  { written, deleted, kept, edited, foreign, others }: DeploymentChanges,
  check: boolean,
): readonly string[] =>
  [
    ...written.map((path) => `${check ? "changed" : "written"}  ${path}`),
    ...deleted.map((path) => `${check ? "stale  " : "deleted"}  ${path}`),
    ...kept.map((path) => `kept     ${path}: no longer needed, but you changed it`),
    ...edited.map((path) => `edited   ${path}: you changed it after \`pipeline deploy\` wrote it`),
    ...foreign.map((path) => `foreign  ${path}: \`pipeline deploy\` did not write it`),
    ...others.map((path) => `foreign  ${path}: helm reads it, but \`pipeline deploy\` did not write it`),
  ].map((line) => `  ${line}`);

/** How to bring the files up to date. @param option `--models` for `pipeline deploy` */
const adviceFor = (
  { written, deleted, kept, edited, foreign, others }: DeploymentChanges,
  option: string,
): readonly string[] =>
  (
    [
      [
        edited,
        "put your values into a file of your own, which helm reads with --values, and delete the edited files",
      ],
      [
        [...kept, ...foreign, ...others],
        "move your own files away; your own templates belong in a chart of your own",
      ],
      [[...written, ...deleted, ...edited, ...foreign], `run \`pipeline deploy${option}\``],
    ] as const
  ).flatMap(([paths, help]) => (paths.length === 0 ? [] : [`  = help: ${help}`]));
