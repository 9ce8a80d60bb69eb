import { beamSearch } from "./beam-search.ts";
import type { Search } from "./search.ts";
import { singleSearch } from "./single-search.ts";
import type { Start } from "./start.ts";

/** The search that a row's settings ask for. */
export const openSearch = (start: Start): Search =>
  start.settings.kind === "beam" ? beamSearch(start) : singleSearch(start);
