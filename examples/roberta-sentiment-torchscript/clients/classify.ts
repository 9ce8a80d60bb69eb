import { createGrpcClient } from "tritype/client/grpc";
import type { sentiment } from "../pipeline.ts";

/** The server's verdict on a text. */
export interface Verdict {
  readonly label: string;
  /** From 0 to 1. */
  readonly score: number;
}

/** Gets one verdict per text from a server at `address` ("localhost:8001"), over gRPC; names, dtypes and shapes come from the pipeline. */
export const classifyTexts = async (
  address: string,
  text: readonly string[],
): Promise<readonly Verdict[]> => {
  const client = createGrpcClient<typeof sentiment>({ address, ensemble: "sentiment" });
  try {
    const { label, score } = await client.infer({ text }, { deadlineMs: 10_000 });
    return label.data.map((name, row) => ({ label: name, score: score.data[row] ?? Number.NaN }));
  } finally {
    client.close();
  }
};
