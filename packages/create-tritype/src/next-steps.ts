import { relative } from "node:path";
import type { NewProject } from "./create-project.ts";
import { type PackageManager, packageManagers } from "./package-manager.ts";

/** What was made, and what to type next, line by line. */
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
  ];
};
