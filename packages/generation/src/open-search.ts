import { beamSearch } from "./beam-search.ts";
import type { Search, Start } from "./search.ts";
import { singleSearch } from "./single-search.ts";

/** The search that a row's settings require. */
export const openSearch = (start: Start): Search =>
  start.settings.kind === "beam" ? beamSearch(start) : singleSearch(start);
