export { type Environment, hubSettings } from "./hub-settings.ts";
export { type HubSource, isHubSource, parseHubSource, printHubSource } from "./hub-source.ts";
export { type Hub, type HubOptions, openHub } from "./open-hub.ts";
export { staysBelow } from "./read-repository.ts";
export type { HubFile, HubRepository } from "./repository.ts";
export { showBytes } from "./show-bytes.ts";
export { hubErrors } from "./errors.ts";
