import { execFile } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { freePort } from "../../cli/free-port.ts";
import { npmTool } from "../../environment/npm-tool.ts";
import { pythonTool } from "../../environment/python-tool.ts";
import { listen } from "../../fixtures/listen.ts";
import { background } from "./background.ts";
import { pathOf, sha256, type StorageService } from "./upload-in-steps.ts";

/** The account's storage is at this address, which the proxy maps to Azurite. */
const host = "account.blob.core.windows.net";
export const accountKey: string = Buffer.from("0123456789".repeat(4)).toString("base64");
const tenant = "00000000-0000-0000-0000-000000000002";

/** A storage account in Azurite, and the Azure CLI, logged in with the machine's identity. */
export interface Azure extends StorageService {
  readonly proxy: string;
  /** The file with Azurite's certificate. */
  readonly certificate: string;
}

/** @param folder For settings and a certificate. */
export const startAzure = async (folder: string): Promise<Azure> => {
  mkdirSync(folder);
  const certificate = join(folder, "certificate.pem");
  const key = join(folder, "key.pem");
  await promisify(execFile)(
    "openssl",
    [
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${host}`],
      ["-addext", `subjectAltName=DNS:${host}`, "-keyout", key, "-out", certificate],
    ].flat(),
  );
  const port = await freePort();
  // The last version of Azurite that supports Node 20.
  background(
    join(await npmTool("azurite", "3.35.0"), "azurite-blob"),
    [
      ["--blobHost", "127.0.0.1", "--blobPort", `${port}`, "--inMemoryPersistence", "--disableTelemetry"],
      ["--oauth", "basic", "--cert", certificate, "--key", key, "--skipApiVersionCheck"],
    ].flat(),
    { ...process.env, AZURITE_ACCOUNTS: `account:${accountKey}` },
  );
  const blobs = (
    method: string,
    path: string,
  ): Promise<{ readonly status: number; readonly body: Uint8Array }> =>
    ask(port, readFileSync(certificate, "utf8"), method, path);
  const container = () =>
    blobs("PUT", "/models?restype=container").then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(container).toBe(201);
  const proxy = await startProxy(port);
  const cli = await pythonTool("azure-cli", "2.91.0");
  return {
    url: "as://account/models/prod",
    proxy,
    certificate,
    env: {
      ...process.env,
      PATH: `${join(cli, "bin")}${delimiter}${process.env["PATH"] ?? ""}`,
      PYTHONPATH: cli,
      AZURE_CONFIG_DIR: loggedIn(folder),
      AZURE_CORE_COLLECT_TELEMETRY: "no",
      IDENTITY_ENDPOINT: `${proxy}/token`,
      IDENTITY_HEADER: "unused",
      HTTPS_PROXY: proxy,
      NO_PROXY: "",
      REQUESTS_CA_BUNDLE: certificate,
    },
    stored: async (build) => {
      const { body } = await blobs("GET", `/models?restype=container&comp=list&prefix=prod/${build}`);
      const found = [...new TextDecoder().decode(body).matchAll(/<Name>([^<]+)<\/Name>/g)];
      const read = found.map(async ([, name = ""]) => {
        const { body: content } = await blobs("GET", `/models/${name}`);
        return [pathOf(name, build), sha256(content)] as const;
      });
      return Object.fromEntries(await Promise.all(read));
    },
    refusals: [
      { url: "as://account/other/prod", says: /The specified container does not exist/ },
      { env: { AZURE_CONFIG_DIR: join(folder, "logged-out") }, says: /Please run 'az login'/ },
    ],
  };
};

/** The settings of an Azure CLI after `az login --identity`, which itself needs Azure. */
const loggedIn = (folder: string): string => {
  const settings = join(folder, "settings");
  mkdirSync(settings);
  const subscription = {
    id: "00000000-0000-0000-0000-000000000001",
    name: "test",
    state: "Enabled",
    user: { name: "systemAssignedIdentity", type: "servicePrincipal", assignedIdentityInfo: "MSI" },
    isDefault: true,
    tenantId: tenant,
    environmentName: "AzureCloud",
  };
  writeFileSync(join(settings, "azureProfile.json"), JSON.stringify({ subscriptions: [subscription] }));
  return settings;
};

/** Gives tokens to the machine's identity, and connects every address to Azurite. Returns its URL. */
const startProxy = async (azurite: number): Promise<string> => {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    const expires = `${Math.floor(Date.now() / 1000) + 3600}`;
    response.end(JSON.stringify({ access_token: token(), expires_on: expires, token_type: "Bearer" }));
  });
  const sockets = new Set<Socket>();
  server.on("connect", (_request: IncomingMessage, client: Socket, head: Buffer) => {
    const target = connect(azurite, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      target.write(head);
      target.pipe(client).pipe(target);
    });
    for (const one of [client, target]) {
      sockets.add(one);
      one.on("error", () => {
        client.destroy();
        target.destroy();
      });
    }
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const one of sockets) one.destroy();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
};

/** Azurite checks everything but the signature. */
const token = (): string => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    aud: "https://storage.azure.com",
    iss: `https://sts.windows.net/${tenant}/`,
    iat: now,
    nbf: now - 60,
    exp: now + 3600,
    ver: "1.0",
  };
  const [header, payload] = [{ alg: "RS256", typ: "JWT" }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  return `${header}.${payload}.c2ln`;
};

const ask = (
  port: number,
  ca: string,
  method: string,
  path: string,
): Promise<{ readonly status: number; readonly body: Uint8Array }> =>
  new Promise((resolve, reject) => {
    const headers = {
      host,
      authorization: `Bearer ${token()}`,
      "x-ms-version": "2021-12-02",
      "content-length": 0,
    };
    const options = { host: "127.0.0.1", port, ca, servername: host, method, path, headers };
    request(options, (response) => {
      buffer(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    })
      .on("error", reject)
      .end();
  });
