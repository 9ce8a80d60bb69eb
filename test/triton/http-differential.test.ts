import { join } from "node:path";
import { type HttpServer, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installTime, type Judged, judgeRepository, type TemporaryFolder, temporaryFolder, writeFiles } from "./judge.ts";
import { judgedModels } from "./judged-models.ts";
import { type RawReply, sendRaw } from "./raw-request.ts";
import { rawRequests } from "./raw-requests.ts";

/** Where the local server means to answer otherwise, and why. */
const differences: Readonly<Record<string, string>> = {
};

let folder: TemporaryFolder;
let judged: Judged;
let server: HttpServer;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  await writeFiles(repository, judgedModels());
  judged = await judgeRepository(repository);
  server = await serveHttp(judged.local, { port: 0 });
}, installTime);
afterAll(async () => {
  await server?.close();
  await judged?.stop();
  await folder.remove();
});

/** Status, the headers that mean something, and the body as text, bytes beyond ASCII included. */
const shown = ({ status, headers, body }: RawReply): object => ({
  status,
  type: headers["content-type"],
  headerLength: headers["inference-header-content-length"],
  body: body.toString("latin1"),
});

test.each(Object.entries(rawRequests))("%s", async (name, request) => {
  const [wanted, got] = await Promise.all([sendRaw(judged.triton.httpUrl, request), sendRaw(server.url, request)]);
  if (name in differences) expect(shown(got)).not.toEqual(shown(wanted));
  else expect(shown(got)).toEqual(shown(wanted));
});
