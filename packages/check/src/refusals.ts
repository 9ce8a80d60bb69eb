export { type ConfigRefusal, firstRefusal, type PolledConfig } from "./read/first-refusal.ts";
