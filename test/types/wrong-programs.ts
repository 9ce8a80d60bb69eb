import { readdirSync } from "node:fs";
import { programOf } from "./type-check.ts";

/** The files in `wrong`. */
export const wrongNames = readdirSync(new URL("wrong", import.meta.url)).toSorted();

/** One program of all of them, which test files of one worker share. */
export const wrongProgram = programOf(wrongNames.map((name) => `test/types/wrong/${name}`));
