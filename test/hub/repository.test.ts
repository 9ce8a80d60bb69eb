import { expect, test } from "vitest";
import { freePort } from "../cli/free-port.ts";
import { clientOf, failureOf } from "./hub-client.ts";
import { gitId, goodToken, hex, startHub } from "./hub-server.ts";

const large = new Uint8Array(5000).fill(7);
const e5 = {
  files: {
    "README.md": "# e5",
    "config.json": "{}",
    "onnx/model.onnx": large,
    "onnx/model_O2.onnx": large,
    "tokenizer.json": "{}",
  },
  task: "sentence-similarity",
};

test("files of all pages come with the hub's hashes, at the commit of the revision", async () => {
  const server = await startHub({ "intfloat/e5": e5 });
  const { hub } = clientOf(server);
  const repository = await hub.readRepository({ repository: "intfloat/e5", revision: undefined });
  expect(repository).toEqual({
    name: "intfloat/e5",
    revision: "main",
    commit: server.commitOf("intfloat/e5"),
    task: "sentence-similarity",
    files: [
      {
        path: "README.md",
        size: 4,
        hash: { kind: "git-sha1", hex: gitId(new TextEncoder().encode("# e5")) },
      },
      {
        path: "config.json",
        size: 2,
        hash: { kind: "git-sha1", hex: gitId(new TextEncoder().encode("{}")) },
      },
      { path: "onnx/model.onnx", size: 5000, hash: { kind: "sha256", hex: hex("sha256", large) } },
      { path: "onnx/model_O2.onnx", size: 5000, hash: { kind: "sha256", hex: hex("sha256", large) } },
      {
        path: "tokenizer.json",
        size: 2,
        hash: { kind: "git-sha1", hex: gitId(new TextEncoder().encode("{}")) },
      },
    ],
  });
  expect(server.seen.filter(({ path }) => path.includes("/tree/")).length).toBe(2);
});

test("a revision with slashes is a single revision", async () => {
  const server = await startHub({ "intfloat/e5": e5 });
  const { hub } = clientOf(server);
  const { commit } = await hub.readRepository({ repository: "intfloat/e5", revision: "refs/pr/1" });
  expect(commit).toBe(server.commitOf("intfloat/e5"));
});

test("the token is only sent to the hub itself", async () => {
  const server = await startHub({ "intfloat/e5": { ...e5, access: "private" } });
  const { hub } = clientOf(server, { HF_TOKEN: goodToken });
  const repository = await hub.readRepository({ repository: "intfloat/e5", revision: undefined });
  const model = repository.files.find(({ path }) => path === "onnx/model.onnx");
  await hub.download(repository, model ?? expect.fail());
  expect(server.seen.map(({ host, authorization }) => `${host} ${authorization}`)).toEqual([
    ...Array<string>(4).fill(`hub Bearer ${goodToken}`),
    "cdn undefined",
  ]);
});

const read = async (
  name: string,
  access: "private" | "gated" | "not-granted" | undefined,
  env: Readonly<Record<string, string>> = {},
  revision?: string,
): Promise<string> => {
  const server = await startHub({ "intfloat/e5": { ...e5, ...(access === undefined ? {} : { access }) } });
  const { hub } = clientOf(server, env);
  return failureOf(hub.readRepository({ repository: name, revision }));
};

test("a missing repository is reported, without and with a token", async () => {
  expect(await read("intfloat/e6", undefined)).toMatchInlineSnapshot(`
    "error[hub/denied]: without a token, the hub does not show intfloat/e6: it does not exist or is private
      GET http://127.0.0.1:<port>/api/models/intfloat/e6/revision/main answered 401: Repository not found
      = help: check the spelling; for a private repository, set HF_TOKEN"
  `);
  expect(await read("intfloat/e6", undefined, { HF_TOKEN: goodToken })).toMatchInlineSnapshot(`
    "error[hub/not-found]: there is no intfloat/e6 on the hub that your token can see
      GET http://127.0.0.1:<port>/api/models/intfloat/e6/revision/main answered 404: Repository not found
      = help: check the spelling: models are at http://127.0.0.1:<port>/models"
  `);
});

test("a missing revision is reported", async () => {
  expect(await read("intfloat/e5", undefined, {}, "v9")).toMatchInlineSnapshot(`
    "error[hub/not-found]: intfloat/e5 has no revision \`v9\`
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/v9 answered 404: Invalid rev id: v9
      = help: its branches and tags are at http://127.0.0.1:<port>/intfloat/e5/tree/main; the default revision is main"
  `);
});

test("a private repository is refused without a token, and with a wrong one", async () => {
  expect(await read("intfloat/e5", "private")).toMatchInlineSnapshot(`
    "error[hub/denied]: without a token, the hub does not show intfloat/e5: it does not exist or is private
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/main answered 401: Repository not found
      = help: check the spelling; for a private repository, set HF_TOKEN"
  `);
  expect(await read("intfloat/e5", "private", { HF_TOKEN: "hf_old" })).toMatchInlineSnapshot(`
    "error[hub/denied]: the hub does not accept your token for intfloat/e5: the token is wrong or has expired
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/main answered 401: Invalid credentials in Authorization header
      = help: create a new one at http://127.0.0.1:<port>/settings/tokens and set HF_TOKEN to it, or unset it for a public repository"
  `);
});

test("a gated repository is refused without a token, and with one that was not granted access", async () => {
  expect(await read("intfloat/e5", "gated")).toMatchInlineSnapshot(`
    "error[hub/denied]: intfloat/e5 is gated: the hub only gives it to users who accepted its terms
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/main answered 401: Access to model is restricted. You must have access to it and be authenticated.
      = help: accept them at http://127.0.0.1:<port>/intfloat/e5, create a token at http://127.0.0.1:<port>/settings/tokens, and set HF_TOKEN to it"
  `);
  expect(await read("intfloat/e5", "not-granted", { HF_TOKEN: goodToken })).toMatchInlineSnapshot(`
    "error[hub/denied]: intfloat/e5 is gated, and your token's account was not granted access to it
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/main answered 403: You are not in the authorized list.
      = help: accept the terms at http://127.0.0.1:<port>/intfloat/e5; a fine-grained token also needs the right to read gated repositories"
  `);
});

test("a firewall's 403 is reported", async () => {
  const server = await startHub({ "intfloat/e5": e5 });
  server.fault = () => ({ kind: "answer", status: 403, body: "<html>blocked</html>" });
  const { hub } = clientOf(server);
  expect(
    await failureOf(hub.readRepository({ repository: "intfloat/e5", revision: undefined })),
  ).toMatchInlineSnapshot(`
    "error[hub/denied]: intfloat/e5 cannot be read
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/main answered 403
      = help: set HF_TOKEN to a token with access; the 403 may also come from a proxy or firewall"
  `);
});

test("429 and 503 are retried after the requested wait", async () => {
  const server = await startHub({ "intfloat/e5": e5 });
  const faults = [
    { kind: "answer", status: 429, headers: { "Retry-After": "7" } },
    { kind: "answer", status: 503, headers: { "Retry-After": new Date(Date.now() + 30_000).toUTCString() } },
    { kind: "answer", status: 503 },
  ] as const;
  server.fault = () => faults[server.seen.length - 1];
  const { hub, waits, notices } = clientOf(server);
  await hub.readRepository({ repository: "intfloat/e5", revision: undefined });
  expect(waits[0]).toBe(7000);
  expect(waits[1]).toBeGreaterThan(25_000);
  expect(waits[1]).toBeLessThanOrEqual(30_000);
  expect(waits[2]).toBe(4000);
  expect(notices[0]).toBe("the hub: it answers 429; trying again in 7 s (1 of 4)");
});

test("requests to a server that stays busy, or asks for too long a wait, are abandoned", async () => {
  const server = await startHub({ "intfloat/e5": e5 });
  server.fault = () => ({ kind: "answer", status: 503 });
  const { hub, waits } = clientOf(server);
  const reading = () => failureOf(hub.readRepository({ repository: "intfloat/e5", revision: undefined }));
  expect(await reading()).toMatchInlineSnapshot(`
    "error[hub/unreachable]: the hub is not working
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/main answered 503
      = help: run the command again later: a download continues where it stopped"
  `);
  expect(waits).toEqual([1000, 2000, 4000, 8000]);
  server.fault = () => ({ kind: "answer", status: 429, headers: { "Retry-After": "3600" } });
  expect(await reading()).toMatchInlineSnapshot(`
    "error[hub/unreachable]: the hub accepts no more requests from this machine for now
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/main answered 429 and asks to wait 3600 s
      = help: run the command again later, or set HF_TOKEN: with a token, you may send more requests"
  `);
  expect(waits.length).toBe(4);
});

test("a server that does not answer is contacted five times", async () => {
  const server = await startHub({ "intfloat/e5": e5 });
  server.fault = () => ({ kind: "stall", after: 0 });
  const { hub, waits } = clientOf(server, { HF_HUB_DOWNLOAD_TIMEOUT: "0.05" });
  expect(
    await failureOf(hub.readRepository({ repository: "intfloat/e5", revision: undefined })),
  ).toMatchInlineSnapshot(`
    "error[hub/unreachable]: no answer from the hub: no data for 0.05 s
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/main
      = help: check the network, and run the command again: a download continues where it stopped; HF_HUB_DOWNLOAD_TIMEOUT sets how many seconds to wait for data"
  `);
  expect(waits.length).toBe(4);
});

test("an incomplete answer is requested again", async () => {
  const server = await startHub({ "intfloat/e5": e5 });
  server.fault = () => (server.seen.length < 3 ? { kind: "cut", after: 0 } : undefined);
  const { hub, notices } = clientOf(server);
  const { files } = await hub.readRepository({ repository: "intfloat/e5", revision: undefined });
  expect(files.length).toBe(5);
  expect(notices).toEqual([
    "the hub: the connection was cut; trying again in 1 s (1 of 4)",
    "the hub: the connection was cut; trying again in 2 s (2 of 4)",
  ]);
});

test("an address at which no server listens is reported", async () => {
  const { hub } = clientOf({ url: `http://127.0.0.1:${await freePort()}` });
  expect(
    await failureOf(hub.readRepository({ repository: "intfloat/e5", revision: undefined })),
  ).toMatchInlineSnapshot(`
    "error[hub/unreachable]: no answer from the hub: no server is listening there (ECONNREFUSED)
      GET http://127.0.0.1:<port>/api/models/intfloat/e5/revision/main
      = help: check HF_ENDPOINT, and check that the mirror is running"
  `);
});

test("a login page instead of the hub's answer is reported", async () => {
  const server = await startHub({});
  server.fault = () => ({
    kind: "answer",
    status: 200,
    headers: { "Content-Type": "text/html" },
    body: "<html>Welcome",
  });
  const { hub } = clientOf(server);
  expect(
    await failureOf(hub.readRepository({ repository: "intfloat/e5", revision: undefined })),
  ).toMatchInlineSnapshot(`
    "error[hub/unreachable]: http://127.0.0.1:<port> does not answer like a Hugging Face Hub: its response is not JSON
      = help: check HF_ENDPOINT, and any proxy or network login page in between"
  `);
});

test.each([["../../.bashrc"], ["a/../../b"], ["/etc/passwd"], ["C:\\Windows\\x"], ["a//b"], ["a\0b"]])(
  "a file called %j is refused",
  async (path) => {
    const server = await startHub({ "intfloat/e5": { files: { ...e5.files, [path]: "x" } } });
    const { hub } = clientOf(server);
    const failure = await failureOf(hub.readRepository({ repository: "intfloat/e5", revision: undefined }));
    expect(failure).toContain("error[hub/wrong-bytes]: intfloat/e5 lists a file `");
    expect(failure).toContain("which would be outside its folder; nothing was downloaded");
  },
);
