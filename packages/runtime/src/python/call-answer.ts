import type { Body } from "./wire-tensor.ts";

/** A frame that answers a process's call. */
export interface CallAnswer {
  readonly type: number;
  readonly meta: Buffer;
  readonly body?: Body;
}
