import type { Body } from "./frame.ts";

/** A frame that answers a process's call. */
export interface CallAnswer {
  readonly type: number;
  readonly meta: Buffer;
  readonly body?: Body;
}
