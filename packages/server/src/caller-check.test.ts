import { describe, expect, it } from "vitest";
import { type AllowedCallers, createCallerCheck } from "./caller-check.ts";

const local = createCallerCheck("127.0.0.1");
const allowing = (callers: AllowedCallers) => createCallerCheck("127.0.0.1", callers);
const own = { kind: "own" };
const hostRefused = (host: string, option = host) => ({
  kind: "refused",
  reason: `host '${host}' is not allowed; to allow it, start the server with --allowed-host ${option}`,
});
const originRefused = (origin: string) => ({
  kind: "refused",
  reason: `pages from origin '${origin}' are not allowed to call this server; to allow it, start the server with --allowed-origin ${origin}`,
});

describe("the Host header", () => {
  it.each([
    "127.0.0.1:8000",
    "127.0.0.1",
    "localhost:8000",
    "LOCALHOST.",
    "triton.localhost:8000",
    "[::1]:8000",
    "192.168.1.7:8000",
    undefined,
  ])("%s belongs to this machine", (host) => {
    expect(local({ headers: { host } })).toEqual(own);
  });

  it.each([
    ["evil.example", "evil.example"],
    ["evil.example:8000", "evil.example"],
    ["localhost.evil.example", "localhost.evil.example"],
    ["evillocalhost", "evillocalhost"],
    ["127.0.0.1.evil.example", "127.0.0.1.evil.example"],
    ["a@localhost", "<name>"],
    ["", "<name>"],
  ])("%s is refused", (host, option) => {
    expect(local({ headers: { host } })).toEqual(hostRefused(host, option));
  });

  it("the Host header may be a listed name, or a subdomain of one with a leading dot", () => {
    const check = allowing({ allowedHosts: ["dev.Example", ".team.example"] });
    for (const host of ["dev.example:8000", "team.example", "a.team.example"])
      expect(check({ headers: { host } })).toEqual(own);
    for (const host of ["a.dev.example", "ateam.example"])
      expect(check({ headers: { host } })).toEqual(hostRefused(host));
  });

  it("the Host header may be the name that the server listens on", () => {
    expect(createCallerCheck("gpu-box")({ headers: { host: "gpu-box:8000" } })).toEqual(own);
    expect(createCallerCheck("0.0.0.0")({ headers: { host: "evil.example" } })).toEqual(
      hostRefused("evil.example"),
    );
  });

  it("a refused Host header is quoted up to 200 characters", () => {
    const host = "x".repeat(5000);
    expect(local({ headers: { host } })).toEqual(hostRefused(`${"x".repeat(200)}…`, "<name>"));
  });
});

describe("pages", () => {
  const host = "127.0.0.1:8000";
  const page = (headers: object, method = "POST") => local({ headers: { host, ...headers }, method });

  it.each<[string, object]>([
    ["of the server's own origin", { origin: "http://127.0.0.1:8000" }],
    ["of the server's own origin, according to the browser", { "sec-fetch-site": "same-origin" }],
    [
      "that call their own origin through a proxy",
      {
        origin: "http://localhost:5173",
        "sec-fetch-site": "same-origin",
      },
    ],
    ["typed into the address bar", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }],
  ])("%s are answered", (_, headers) => {
    expect(page(headers)).toEqual(own);
  });

  it.each<[string, object]>([
    ["https://evil.example", {}],
    ["https://evil.example", { "sec-fetch-site": "cross-site" }],
    ["http://localhost:8000", {}],
    ["http://127.0.0.1:3000", { "sec-fetch-site": "same-site" }],
    ["http://127.0.0.1", {}],
  ])("pages of %s %o are refused", (origin, headers) => {
    expect(page({ origin, ...headers })).toEqual(originRefused(origin));
  });

  it.each<[string, object]>([
    ["with a null origin", { origin: "null" }],
    ["that hide their origin", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
  ])("%s are refused", (_, headers) => {
    expect(page(headers)).toMatchObject({ kind: "refused" });
  });

  it("pages of another origin may link to this server", () => {
    const headers = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    expect(page(headers, "GET")).toEqual(own);
    expect(page(headers, "POST")).toMatchObject({ kind: "refused" });
    expect(page({ ...headers, "sec-fetch-dest": "iframe" }, "GET")).toMatchObject({ kind: "refused" });
  });

  it("pages of an allowed origin are answered, but only for allowed hosts", () => {
    const check = allowing({ allowedOrigins: ["http://localhost:5173/"] });
    const origin = "http://localhost:5173";
    expect(check({ headers: { host, origin, "sec-fetch-site": "same-site" } })).toEqual({
      kind: "allowed",
      origin,
    });
    expect(check({ headers: { host: "evil.example", origin } })).toEqual(hostRefused("evil.example"));
  });
});
