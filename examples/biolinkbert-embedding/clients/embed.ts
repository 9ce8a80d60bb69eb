import { createClient } from "tritype/client";
import type { embed } from "../pipeline.ts";

/** Gets one vector per text from a server at `url`; names, dtypes and shapes come from the pipeline. */
export const embedTexts = async (
  url: string,
  text: readonly string[],
): Promise<readonly (readonly number[])[]> => {
  const client = createClient<typeof embed>({ url, ensemble: "embed" });
  const { embedding } = await client.infer({ text }, { deadlineMs: 10_000 });
  return embedding.toArray();
};
