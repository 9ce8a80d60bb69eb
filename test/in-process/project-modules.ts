import { pathToFileURL } from "node:url";
import type { Ensemble } from "@tritype/dsl";
import { onTestFinished } from "vitest";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";

/** The test's own project, whose pipeline is imported the way users' tests import theirs. */
export const importProject = async (
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<{ readonly project: ProjectFixture; readonly exported: Readonly<Record<string, Ensemble>> }> => {
  const project = makeProject(files);
  onTestFinished(project.remove);
  const exported = (await import(pathToFileURL(project.path("pipeline.ts")).href)) as Record<
    string,
    Ensemble
  >;
  return { project, exported };
};
