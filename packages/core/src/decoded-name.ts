import { attempt } from "./attempt.ts";

/** A name from an address; unchanged if it is not encoded correctly. */
export const decodedName = (text: string): string => attempt(() => decodeURIComponent(text)) ?? text;
