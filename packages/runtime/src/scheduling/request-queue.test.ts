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

test("2^64 priority levels: the most urgent request first, and the default level for requests without a priority", () => {
  const queue = createRequestQueue({ priority_levels: 2 ** 64, default_priority_level: 2 ** 32 });
  const priorities = [undefined, 2 ** 63, 7, undefined, 1];
  for (const priority of priorities)
    queue.push({
      ...waiting,
      request: { ...request, parameters: priority === undefined ? {} : { priority } },
    });
  const order = [...queue.entries()].map(({ request: { parameters } }) => parameters["priority"]);
  expect(order).toEqual([1, 7, undefined, undefined, 2 ** 63]);
});
