import type { EndedSpan } from "./span-record.ts";

/** The receiver of spans. */
export interface SpanSender {
  send(span: EndedSpan): void;
  close(): Promise<void>;
}

export interface SpanSenderEvents {
  /** Spans have left the queue. */
  readonly taken: (count: number) => void;
  /** Whether they have arrived: `failure` says why. */
  readonly done: (count: number, failure?: string) => void;
}
