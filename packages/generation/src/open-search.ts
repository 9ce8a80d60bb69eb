import { beamSearch } from "./beam-search.ts";
import type { Search, Start } from "./search.ts";
import { singleSearch } from "./single-search.ts";

/** The search that the settings of a row call for. */
export const openSearch = (start: Start): Search =>
  start.settings.kind === "beam" ? beamSearch(start) : singleSearch(start);
