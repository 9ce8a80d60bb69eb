/** How requests are sent. */
export type TuneLoad =
  | { readonly kind: "closed"; readonly clients: number }
  | { readonly kind: "open"; readonly rate: number };

/** How the time of a request in one model is divided: means per request, in microseconds. */
export interface StepTime {
  readonly model: string;
  readonly queueUs: number;
  readonly computeInputUs: number;
  readonly computeInferUs: number;
  readonly computeOutputUs: number;
  /** Average rows per execution. */
  readonly averageBatch?: number | undefined;
  /** Number of executions by number of rows. */
  readonly batches: readonly { readonly rows: number; readonly executions: number }[];
}

/** The whole time of a request in one model, in microseconds. */
export const timeOf = ({ queueUs, computeInputUs, computeInferUs, computeOutputUs }: StepTime): number =>
  queueUs + computeInputUs + computeInferUs + computeOutputUs;

/** A short measurement of one candidate. */
export interface Slice {
  /** Successful answers per second. */
  readonly perSecond: number;
  /** Milliseconds, of successful answers. */
  readonly latencies: readonly number[];
  /** Requests that failed, with the first message. */
  readonly failed?: { readonly count: number; readonly message: string } | undefined;
  /** Empty if the server has no statistics. */
  readonly steps: readonly StepTime[];
}
