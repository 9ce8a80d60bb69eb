import { expect, test } from "vitest";
import { portsOf } from "./triton-serve.ts";

test("the ports of gRPC and metrics follow the HTTP port", () => {
  const given = (ports: Readonly<Record<string, number>>) => ({ integer: (name: string) => ports[name] });
  expect(portsOf(given({}))).toEqual({ httpPort: 8000, grpcPort: 8001, metricsPort: 8002 });
  expect(portsOf(given({ "http-port": 9000 }))).toEqual({
    httpPort: 9000,
    grpcPort: 9001,
    metricsPort: 9002,
  });
  expect(portsOf(given({ "http-port": 65_535, "grpc-port": 9 }))).toEqual({ httpPort: 65_535, grpcPort: 9 });
});
