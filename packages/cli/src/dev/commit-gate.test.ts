import { expect, test } from "vitest";
import { closeGate, commitThrough, openGate } from "./commit-gate.ts";

const notEnded = (): boolean => false;

test("a gate waits for the commit that runs", async () => {
  const gate = openGate();
  const said: string[] = [];
  let closing: Promise<unknown> | undefined;
  commitThrough(gate)(() => {
    closing = closeGate(gate, notEnded).then((waited) => said.push(waited ? "closed" : "did not wait"));
    said.push("committed");
  });
  expect(said).toEqual(["committed"]);
  await closing;
  expect(said).toEqual(["committed", "closed"]);
});

test("a closed gate lets no commit begin", async () => {
  const gate = openGate();
  expect(await closeGate(gate, notEnded)).toBe(false);
  expect(await closeGate(gate, notEnded)).toBe(false);
  expect(() => commitThrough(gate)(() => expect.unreachable())).toThrow("the build is being stopped");
});

test("after a commit that fails, the gate can be closed", async () => {
  const gate = openGate();
  const fail = (): never => {
    throw new Error("no space");
  };
  expect(() => commitThrough(gate)(fail)).toThrow("no space");
  expect(await closeGate(gate, notEnded)).toBe(false);
});

test("a gate does not wait for a thread that has ended", async () => {
  const gate = openGate();
  new Int32Array(gate)[0] = 1;
  expect(await closeGate(gate, () => true)).toBe(false);
});
