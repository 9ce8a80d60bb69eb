/** The diagnostics of a project as text. A separate entry point, because most commands do not compile. */
export { mapBeside, mapStack } from "./load/map-stack.ts";
export { ProjectError, sourceReader } from "./project-error.ts";
export { endColumnOf } from "./render/marked-text.ts";
export { escapeControls, printable, printableLine } from "./render/printable.ts";
export { type ReadSource, renderDiagnostic, renderLabels } from "./render/render-diagnostic.ts";
