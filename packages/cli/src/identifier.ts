import { isDType, isPropertyName } from "@tritype/core";

/** A valid TypeScript variable name, derived from the name of a file or repository; not that of a datatype, which signatures import. */
export const identifier = (name: string): string => {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const camel = words
    .map((word, i) => (i === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`))
    .join("");
  if (isDType(camel.toUpperCase())) return `${camel}Model`;
  return /^[A-Za-z_]/.test(camel) && !reserved.has(camel) ? camel : `model${camel}`;
};

/** Whether this is a valid name for a TypeScript variable. */
export const isIdentifier = (name: string): boolean => isPropertyName(name) && !reserved.has(name);

const reserved: ReadonlySet<string> = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for function " +
    "if implements import in instanceof interface let new null package private protected public return static super switch this " +
    "throw true try typeof var void while with yield"
  ).split(" "),
);
