import type { Diagnostic } from "@tritype/core";
import { checkDeployment } from "@tritype/deploy/diagnostics";
import { placeIn } from "./config-places.ts";
import type { ProjectSettings } from "./project-settings.ts";

/** The findings about `deploy` in a configuration. */
export const deployFindings = ({ deploy, deployPlace }: ProjectSettings): readonly Diagnostic[] =>
  checkDeployment(deploy, (path) => (deployPlace === undefined ? undefined : placeIn(deployPlace, path)));
