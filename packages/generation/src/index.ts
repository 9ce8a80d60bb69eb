export type { Decoder, Scores } from "./decoder.ts";
export { generate, type OwnedSearch } from "./generate.ts";
export { openSearch } from "./open-search.ts";
export type { Found, Search, Step } from "./search.ts";
export type { Settings } from "./settings.ts";
export type { Start } from "./start.ts";
