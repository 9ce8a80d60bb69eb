export { selectSupport, type Support, supportNames } from "./support/select-support.ts";
