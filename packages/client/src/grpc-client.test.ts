import { type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { serveGrpc } from "@tritype/server";
import { afterAll, describe, expect, it } from "vitest";
import {
  adder,
  echoes,
  type MemoryModel,
  memoryRuntime,
  teller,
} from "../../server/src/memory-runtime.fixture.ts";
import { clientCases } from "./client.cases.ts";
import { grpcClient } from "./grpc-client.ts";

/** Responds when all tests are over; the server stops after its running calls. */
let over = (): void => {};
const end = new Promise<void>((resolve) => {
  over = resolve;
});
const never: MemoryModel = { ...adder, name: "never", run: () => end.then(() => new Map()) };
const server = await serveGrpc(memoryRuntime([adder, ...echoes, never, teller]), { port: 0 });
afterAll(async () => {
  over();
  await server.close();
});

clientCases("grpcClient against serveGrpc", {
  open: () => grpcClient(server.address),
  echo: (dtype) => `echo_${dtype.toLowerCase()}`,
});

describe("grpcClient", () => {
  it("sends and receives 20 MB", async () => {
    const client = grpcClient(server.address);
    const data = new Uint8Array(20_000_000).fill(5);
    const inputs = new Map([["INPUT", { dtype: "INT32", shape: [1, 5_000_000], data } as const]]);
    const outputs = await client.infer({ model: "echo_int32", inputs });
    expect(Buffer.compare(outputs.get("OUTPUT")?.data as Uint8Array, data)).toBe(0);
    await client.close();
  });

  it("gives up after the timeout", async () => {
    const client = grpcClient(server.address, { timeoutMs: 50 });
    const inputs = new Map(["INPUT0", "INPUT1"].map((name) => [name, tensorOf("FP32", [1, 2], [1, 2])]));
    await expect(client.infer({ model: "never", inputs })).rejects.toMatchObject({
      code: "model/unavailable",
    });
    await client.close();
  });

  const told = async (text: string, most = Number.POSITIVE_INFINITY): Promise<readonly string[]> => {
    const client = grpcClient(server.address);
    const inputs = new Map([["INPUT", tensorOf("BYTES", [1], [text])]]);
    const words: string[] = [];
    try {
      for await (const outputs of client.stream({ model: "tell", inputs })) {
        words.push(...valuesOf(outputs.get("OUTPUT") as TensorData).map(String));
        if (words.length === most) break;
      }
    } catch (error) {
      words.push((error as Error).message);
    } finally {
      await client.close();
    }
    return words;
  };

  it("streams responses until the end, an error, or until the reader leaves", async () => {
    expect(await told("say one say two")).toEqual(["one", "two"]);
    expect(await told("say one fail why")).toEqual(["one", expect.stringContaining("why")]);
    expect(await told("repeat 100000", 2)).toHaveLength(2);
  });

  it("reports that no server answers", async () => {
    const gone = await serveGrpc(memoryRuntime([]), { port: 0 });
    await gone.close();
    const client = grpcClient(gone.address);
    expect(await client.live()).toBe(false);
    await expect(client.serverMetadata()).rejects.toMatchObject({
      code: "server/unreachable",
      message: expect.stringContaining(`no server answers at ${gone.address}`),
    });
    await client.close();
  });
});
