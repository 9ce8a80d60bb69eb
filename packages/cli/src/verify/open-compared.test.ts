import { expect, test } from "vitest";
import { readArguments } from "../command.ts";
import { commands } from "../commands.ts";
import { givenTriton } from "./open-compared.ts";

test.each([
  ["http://localhost:8000", "localhost:8001"],
  ["http://triton.example", "triton.example:81"],
  ["https://triton.example", "triton.example:444"],
])("gRPC is on the port after that of %s", (url, grpc) => {
  const verify = commands.find(({ name }) => name === "verify");
  if (verify === undefined) throw new Error("there is no such command");
  const given = readArguments(verify, ["--triton-url", url]);
  expect(givenTriton(given, { env: {} }).running?.grpc).toBe(grpc);
});
