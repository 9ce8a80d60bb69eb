import type { EndedSpan } from "./span-record.ts";

/** Where spans go. */
export interface SpanSender {
  send(span: EndedSpan): void;
  close(): Promise<void>;
}

export interface SpanSenderEvents {
  /** Spans have left the queue. */
  readonly taken: (count: number) => void;
  /** They have arrived, or not: `failure` says why. */
  readonly done: (count: number, failure?: string) => void;
}
