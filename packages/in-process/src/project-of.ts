import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  lookForProject,
  type Project,
  projectSettings,
  type ProjectSettings,
  readConfig,
} from "@tritype/project";
import { parseSite } from "@tritype/compiler";
import type { StepRecord } from "@tritype/dsl";

/**
 * The project that a definition belongs to: found by searching upwards from its file, or else from the working folder.
 * Without a project, the working folder is the root.
 */
export const projectOf = ({ site }: StepRecord): Project => {
  const [defined] = parseSite(site.stack, (path) => {
    const file = path.startsWith("file:") ? fileURLToPath(path) : path;
    return /[\\/]node_modules[\\/]/.test(file) ? undefined : file;
  });
  const here = process.cwd();
  return (
    (defined === undefined ? undefined : lookForProject(dirname(defined.file))) ??
    lookForProject(here) ?? { root: here, configFile: undefined }
  );
};

const read = new Map<string, Promise<ProjectSettings>>();

/** A project's settings; the configuration is loaded only once. */
export const settingsOf = (project: Project): Promise<ProjectSettings> => {
  const known = read.get(project.root);
  if (known !== undefined) return known;
  const reading = readConfig(project.root, project.configFile).then((config) =>
    projectSettings(project, config),
  );
  read.set(project.root, reading);
  reading.catch(() => read.delete(project.root));
  return reading;
};
