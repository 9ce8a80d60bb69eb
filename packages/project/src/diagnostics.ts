/** What is wrong with a project, as text. An entry of its own: most commands render diagnostics and compile nothing. */
export { mapBeside, mapStack } from "./load/map-stack.ts";
export { ProjectError, sourceReader } from "./project-error.ts";
export { endColumnOf } from "./render/marked-text.ts";
export { escapeControls, printable, printableLine } from "./render/printable.ts";
export { type ReadSource, renderDiagnostic, renderLabels } from "./render/render-diagnostic.ts";
