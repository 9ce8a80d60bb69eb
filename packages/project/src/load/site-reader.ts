import { parseSite, type ProjectFile } from "@tritype/compiler";
import type { Site } from "@tritype/core";
import type { CallSite } from "@tritype/dsl";

/**
 * The user's frames of recorded stacks. Each frame is parsed only once, because stacks of one project share most of them.
 * @param mapStack Maps the text of a stack so that its frames point to the user's sources; it may leave out outer frames.
 */
export const createSiteReader = (
  projectFile: ProjectFile,
  mapStack: (stack: string) => string,
): ((site: CallSite) => Site) => {
  const sites = new Map<string, Site>();
  const siteOfFrame = (frame: string): Site => {
    const site = sites.get(frame) ?? parseSite(frame, projectFile);
    sites.set(frame, site);
    return site;
  };
  return ({ stack = "" }) =>
    mapStack(stack.split(moduleLoader, 1)[0] ?? "")
      .split("\n")
      .flatMap((frame) => siteOfFrame(frame));
};

/** The frames after those of a module loader belong to the files that import the definition, such as a test. */
const moduleLoader =
  /\n.*(?:node:internal\/modules\/|[\\/]node_modules[\\/](?:jest-runtime|jiti|vite|vite-node|vitest)[\\/])/;
