import { expect, test } from "vitest";
import { givenTo } from "../given.fixture.ts";
import { givenTriton } from "./open-compared.ts";

test.each([
  ["http://localhost:8000", "localhost:8001"],
  ["http://triton.example", "triton.example:81"],
  ["https://triton.example", "triton.example:444"],
])("gRPC is on the port after that of %s", (url, grpc) => {
  const given = givenTo("verify", "--triton-url", url);
  expect(givenTriton(given, { env: {} }).running?.grpc).toBe(grpc);
});
