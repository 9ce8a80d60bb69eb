import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { NewProject } from "./create-project.ts";
import { type PackageManager, packageManagers } from "./package-manager.ts";

const clone = new URL("../../../pnpm-workspace.yaml", import.meta.url);

/** Whether this package runs from a clone of the repository rather than from npm. */
const isClone = (): boolean => existsSync(clone);

const unpublished = (template: string): readonly string[] => [
  "",
  "Tritype is not on npm yet, so installing fails. To make the project from this clone instead:",
  `  node test/workspace/new-project.mjs <folder> --template ${template}`,
];

/** The created files and the next commands, line by line. */
export const nextSteps = (
  { folder, template, files }: NewProject,
  cwd: string,
  packageManager: PackageManager,
): readonly string[] => {
  const { install, test, exec } = packageManagers[packageManager];
  const [ensemble, text] = template.request;
  const near = relative(cwd, folder);
  const way = near.length < folder.length ? near : folder;
  return [
    `created ${way === "" ? "." : way} from the template ${template.name}: ${files.length} files`,
    "",
    ...(way === "" ? [] : [`  cd ${/\s/.test(way) ? JSON.stringify(way) : way}`]),
    `  ${install}`,
    `  ${test}`,
    `  ${exec} pipeline run ${ensemble} ${JSON.stringify(text)}`,
    `  ${exec} pipeline dev`,
    ...(isClone() ? unpublished(template.name) : []),
  ];
};
