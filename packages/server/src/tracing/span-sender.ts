import type { EndedSpan } from "./span-record.ts";

/** The receiver of spans. */
export interface SpanSender {
  send(span: EndedSpan): void;
  close(): Promise<void>;
}

export interface SpanSenderEvents {
  /** Called when spans have left the queue. */
  readonly taken: (count: number) => void;
  /** Called when they have arrived or could not be sent; `failure` is the reason. */
  readonly done: (count: number, failure?: string) => void;
}
