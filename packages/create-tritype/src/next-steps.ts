import { relative } from "node:path";
import { clone } from "./clone.ts";
import type { NewProject } from "./create-project.ts";
import { type PackageManager, packageManagers } from "./package-manager.ts";

const unpublished = (template: string): readonly string[] => [
  "Tritype is not on npm yet, so its packages cannot be installed in this folder. In the clone, this creates",
  "a project with the clone's packages:",
  "",
  `  node test/workspace/new-project.mjs <new folder> --template ${template}`,
];

/**
 * The created files and the next commands, line by line.
 *
 * @param installable Whether the project's packages can be installed: false in a clone, as Tritype is not on npm yet
 */
export const nextSteps = (
  { folder, template, files }: NewProject,
  cwd: string,
  packageManager: PackageManager,
  installable: boolean = clone === undefined,
): readonly string[] => {
  const { install, test, exec } = packageManagers[packageManager];
  const [ensemble, text] = template.request;
  const near = relative(cwd, folder);
  const way = near.length < folder.length ? near : folder;
  const created = `created ${way === "" ? "." : way} from the template ${template.name}: ${files.length} files`;
  if (!installable) return [created, "", ...unpublished(template.name)];
  return [
    created,
    "",
    ...(way === "" ? [] : [`  cd ${/\s/.test(way) ? JSON.stringify(way) : way}`]),
    `  ${install}`,
    `  ${test}`,
    `  ${exec} pipeline run ${ensemble} ${JSON.stringify(text)}`,
    `  ${exec} pipeline dev`,
  ];
};
