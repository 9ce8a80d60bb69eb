export { createProject, type CreateProjectOptions, type NewProject } from "./create-project.ts";
export { nextSteps } from "./next-steps.ts";
export { type PackageManager, packageManagerOf } from "./package-manager.ts";
export { type Template, templates } from "./templates.ts";
export { createErrors } from "./errors.ts";
