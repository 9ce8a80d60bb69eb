import { expect, test } from "vitest";
import type { ModelRequest } from "../backend.ts";
import { createRequestQueue } from "./request-queue.ts";

const request: ModelRequest = { id: "", inputs: new Map(), outputs: [], parameters: {} };
const waiting = { request, batchSize: 1, enqueuedAt: 0, resolve: () => {}, started: () => {} };

test.each([
  ["REJECT", 200_000, 0],
  ["DELAY", 0, 200_000],
] as const)("any number of requests can time out together: %s", (timeout_action, expired, left) => {
  const queue = createRequestQueue({
    default_queue_policy: { timeout_action, default_timeout_microseconds: 10 },
  });
  for (let i = 0; i < 200_000; i++) queue.push(waiting);
  expect(queue.expire(11, true).length).toBe(expired);
  expect(queue.size()).toBe(left);
});
