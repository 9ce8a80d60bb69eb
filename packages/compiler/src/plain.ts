import type { Twin } from "./step-kind.ts";

/** Options as JSON has them, without undefined values. */
export const plain = (value: object): Twin["options"] => JSON.parse(JSON.stringify(value)) as Twin["options"];
