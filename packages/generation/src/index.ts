export { type Decoder, generate, type Scores } from "./generate.ts";
export { type JoiningDecoder, type Loop, openLoop, startingTogether } from "./loop.ts";
export { openPieces, type Pieces } from "./pieces.ts";
export { openSearch } from "./open-search.ts";
export { type SingleSearch, singleSearch } from "./single-search.ts";
export type { Found, Search, Start, Step } from "./search.ts";
export type { Settings } from "./settings.ts";
