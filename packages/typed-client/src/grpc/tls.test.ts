import { readFileSync } from "node:fs";
import { type ChannelCredentials, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { expect, it, onTestFinished } from "vitest";
import { bind } from "./bind.fixture.ts";
import { createGrpcClient, credentials } from "../grpc.ts";

const file = (name: string): Buffer =>
  readFileSync(new URL(`../../../../test/fixtures/tls/${name}.pem`, import.meta.url));
const [certificate, key] = [file("cert"), file("key")];

it("a client connects over TLS with credentials of its own @grpc/grpc-js, and trusts only the given certificates", async () => {
  const server = new Server();
  const own = ServerCredentials.createSsl(null, [{ cert_chain: certificate, private_key: key }]);
  const port = await bind(server, "localhost:0", own);
  onTestFinished(() => server.forceShutdown());
  const open = (given: ChannelCredentials) => {
    const client = createGrpcClient({
      address: `localhost:${port}`,
      ensemble: "m",
      credentials: given,
      retries: 0,
    });
    onTestFinished(() => client.close());
    return client;
  };
  // The server has no methods, so an answer means that the connection works.
  await expect(open(credentials.createSsl(certificate)).check()).rejects.toMatchObject({
    kind: "refused",
    status: status[status.UNIMPLEMENTED],
  });
  await expect(open(credentials.createSsl()).check()).rejects.toMatchObject({ kind: "unreachable" });
});

it("credentials of another copy of @grpc/grpc-js are invalid", () => {
  const foreign = Object.create(null) as ChannelCredentials;
  expect(() => createGrpcClient({ address: "localhost:1", ensemble: "m", credentials: foreign })).toThrow(
    expect.objectContaining({
      kind: "invalid",
      message: expect.stringContaining("import it from tritype/client/grpc"),
    }),
  );
});
