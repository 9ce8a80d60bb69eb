import { readdirSync } from "node:fs";
import { programOf } from "./type-check.ts";

/** The files in `wrong`. */
export const wrongNames = readdirSync(new URL("wrong", import.meta.url)).toSorted();

/** One program with all of them, shared by the test files of one worker. */
export const wrongProgram = programOf(wrongNames.map((name) => `test/types/wrong/${name}`));
