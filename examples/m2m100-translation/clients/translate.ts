import { createClient } from "tritype/client";
import type { translate } from "../pipeline.ts";

/** A text, its language, and the language to translate it into. */
export interface Order {
  readonly text: string;
  readonly from: string;
  readonly to: string;
}

/** Gets one translation per order from a server at `url`, in one request; the orders' languages may differ. */
export const translateTexts = async (url: string, orders: readonly Order[]): Promise<readonly string[]> => {
  const client = createClient<typeof translate>({ url, ensemble: "translate" });
  const { translation } = await client.infer(
    {
      text: orders.map(({ text }) => text),
      source_language: orders.map(({ from }) => from),
      target_language: orders.map(({ to }) => to),
    },
    { deadlineMs: 10_000 },
  );
  return translation.data;
};
