export { type Decoder, generate, type OwnedSearch, type Scores } from "./generate.ts";
export { openSearch } from "./open-search.ts";
export type { Found, Search, Start, Step } from "./search.ts";
export type { Settings } from "./settings.ts";
