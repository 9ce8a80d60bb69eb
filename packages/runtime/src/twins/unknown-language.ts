import { didYouMean } from "@tritype/core";

/** An unknown language, the known ones, and the nearest of them; the message of the emitted Python. */
export const unknownLanguage = (language: string, codes: readonly string[]): string => {
  const points = Array.from(language);
  const said = JSON.stringify(points.length <= 40 ? language : `${points.slice(0, 40).join("")}…`);
  const more = codes.length > 5 ? ` and ${codes.length - 5} more` : "";
  const near = nearest(language, codes);
  return `${said}; the languages are ${codes.slice(0, 5).join(", ")}${more}${near === undefined ? "" : `; did you mean ${near}?`}`;
};

const nearest = (language: string, codes: readonly string[]): string | undefined => {
  if (!/^[!-~]{2,40}$/.test(language)) return undefined;
  const given = language.toLowerCase();
  const [alike] = codes
    .filter((code) => code.toLowerCase().startsWith(given) || given.startsWith(code.toLowerCase()))
    .toSorted((a, b) => b.length - a.length);
  return alike ?? didYouMean(language, codes);
};
