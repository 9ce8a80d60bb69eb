export { type RegExpRefusal } from "./regexp/refused.ts";
export {
  type RegExpGroup,
  type TranslatedRegExp,
  translateRegExp,
} from "./regexp/translate-regexp.ts";
export { selectSupport, type Support, supportNames } from "./support/select-support.ts";
