import type { RegExpGroup } from "../regexp/translate-regexp.ts";

/** Converts a JavaScript replacement (`$1`, `$&`, `$<name>`, `$$`) to one for `re.sub`; undefined if Python has no equivalent. */
export const replacementOf = (text: string, groups: readonly RegExpGroup[]): string | undefined => {
  if (/(?<!\$)(?:\$\$)*\$[`']/.test(text)) return undefined;
  const named = groups.some(({ name }) => name !== undefined);
  return text.replaceAll(
    /\\|\$(?:\$|&|<([^>]*)>|(\d\d?))/g,
    (whole, name: string | undefined, digits: string | undefined) => {
      if (whole === "\\") return "\\\\";
      if (whole === "$$") return "$";
      if (whole === "$&") return "\\g<0>";
      if (name !== undefined) {
        if (!named) return whole;
        return groups.some((group) => group.name === name) ? `\\g<${name}>` : "";
      }
      for (const part of [digits ?? "", (digits ?? "").slice(0, 1)]) {
        const number = Number(part);
        if (part !== "" && number >= 1 && number <= groups.length)
          return `\\g<${number}>${(digits ?? "").slice(part.length)}`;
      }
      return whole;
    },
  );
};
