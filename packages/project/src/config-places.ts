import { optionSpan, readOptionPlaces } from "@tritype/compiler";
import type { OptionPath, OptionPlace, Span } from "@tritype/core";
import { spanAt } from "./span-at.ts";

/** The positions of a project's configuration and of its literal fields; undefined without a default export. */
export const configPlaces = (source: string, file: string): OptionPlace | undefined => {
  const exported = /^export\s+default\s+/m.exec(source);
  if (exported === null) return undefined;
  const value = exported.index + exported[0].length;
  const name = /^[\w$]+(?=\s*(?:;|$|satisfies\b|as\b))/m.exec(source.slice(value))?.[0];
  const variable =
    name === undefined
      ? null
      : new RegExp(
          `^(?:export\\s+)?(?:const|let|var)\\s+${name.replaceAll("$", "\\$")}\\b[^=]*=\\s*`,
          "m",
        ).exec(source);
  const start = variable === null ? value : variable.index + variable[0].length;
  return {
    span: spanAt(source, exported.index, file),
    fields: readOptionPlaces(source, spanAt(source, start, file)),
  };
};

/** The position of a field, or of the nearest enclosing one that is written as a literal. */
export const placeIn = ({ span, fields }: OptionPlace, path: OptionPath): Span =>
  optionSpan(fields, path) ?? span;
