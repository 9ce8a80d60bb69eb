import { expect, test } from "vitest";
import { renderReport } from "./render-report.ts";
import type { Block, Plot, Report } from "./report.ts";
import { timeBars } from "./time-bars.ts";

const line: Plot = {
  kind: "plot",
  title: "Throughput",
  description: "requests/s against clients",
  spec: {
    data: {
      values: [
        { clients: 1, rate: 100, server: "dev" },
        { clients: 4, rate: 300, server: "dev" },
      ],
    },
    mark: { type: "line", point: true, clip: true },
    encoding: {
      x: { field: "clients", type: "quantitative", scale: { type: "log", base: 2 } },
      y: { field: "rate", type: "quantitative", title: "requests/s" },
      color: { field: "server", type: "nominal" },
    },
  },
};
const reportOf = (...blocks: readonly Block[]): Report => ({
  title: "T",
  sections: [{ title: "S", blocks }],
});
const bodyOf = async (...blocks: readonly Block[]): Promise<string> =>
  /<h2>S<\/h2>\n([^]*)\n<\/section>/.exec(await renderReport(reportOf(...blocks)))?.[1] ?? "";

test("a report is one HTML document, with its parts in order", async () => {
  const html = await renderReport({
    title: "Load test",
    subtitle: "of embed",
    verdict: { tone: "good", text: "within limits" },
    sections: [
      { title: "First", blocks: ["one"] },
      { title: "Second", blocks: [] },
    ],
    footer: "made by a test",
  });
  expect(html.replace(/<style>[^]*<\/style>/, "<style></style>")).toMatchInlineSnapshot(`
    "<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>Load test</title>
    <style></style>
    </head>
    <body>
    <header>
    <h1>Load test</h1>
    <p class="quiet">of embed</p>
    <p class="notice good"><strong>✓ </strong><span>within limits</span></p>
    <nav aria-label="Sections"><ul><li><a href="#section-1">First</a></li><li><a href="#section-2">Second</a></li></ul></nav>
    </header>
    <main>
    <section id="section-1">
    <h2>First</h2>
    <p>one</p>
    </section>
    <section id="section-2">
    <h2>Second</h2>

    </section>
    </main>
    <footer>made by a test</footer>
    </body>
    </html>
    "
  `);
});

test("text is shown unchanged wherever it occurs", async () => {
  const evil = `<script>alert("1")</script>&'\u0000\ud800`;
  const html = await renderReport({
    title: evil,
    subtitle: evil,
    verdict: { tone: "bad", text: evil },
    footer: evil,
    sections: [
      {
        title: evil,
        blocks: [
          evil,
          { kind: "notice", tone: "warn", text: evil },
          { kind: "code", text: evil },
          { kind: "facts", facts: [{ label: evil, value: evil, note: evil }] },
          { kind: "table", caption: evil, columns: [evil], rows: [[evil]] },
          { kind: "details", summary: evil, blocks: [] },
          {
            ...line,
            title: evil,
            description: evil,
            caption: evil,
            spec: {
              data: { values: [{ x: evil, y: 1 }] },
              mark: "bar",
              encoding: {
                x: { field: "x", title: evil },
                y: { field: "y", type: "quantitative" },
                color: { field: "x" },
              },
            },
          },
        ],
      },
    ],
  });
  expect(html).not.toMatch(/<script/i);
  expect(html).not.toMatch(/\p{Surrogate}/u);
  expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;\ufffd\ufffd");
});

test("a table also describes its cells in text", async () => {
  const table = await bodyOf({
    kind: "table",
    caption: "by model",
    columns: ["model", { figures: "p99" }],
    rows: [
      ["encoder", { text: "12 ms", tone: "bad", share: 0.5 }],
      ["tokenize", { text: "1 ms", share: 7 }],
      ["embed"],
    ],
  });
  expect(table).toMatchInlineSnapshot(`
    "<div class="scroll"><table>
    <caption>by model</caption>
    <thead><tr><th scope="col">model</th><th scope="col" class="right">p99</th></tr></thead>
    <tbody>
    <tr><td>encoder</td><td class="right bad" style="background: linear-gradient(to right, var(--bar) 50.0%, transparent 50.0%)">✗ 12 ms</td></tr>
    <tr><td>tokenize</td><td class="right" style="background: linear-gradient(to right, var(--bar) 100.0%, transparent 100.0%)">1 ms</td></tr>
    <tr><td>embed</td><td class="right"></td></tr>
    </tbody>
    </table></div>"
  `);
});

test("facts, details and columns can be nested", async () => {
  const fact = { label: "errors", value: "3", note: "of 900", tone: "bad" } as const;
  const body = await bodyOf({
    kind: "details",
    summary: "more",
    blocks: [
      {
        kind: "columns",
        blocks: [{ kind: "facts", facts: [fact] }, "p"],
      },
    ],
  });
  expect(body).toMatchInlineSnapshot(`
    "<details>
    <summary>more</summary>
    <div class="columns">
    <div>
    <dl class="facts">
    <div><dt>errors</dt><dd class="bad">✗ 3</dd><dd class="note">of 900</dd></div>
    </dl>
    </div>
    <div>
    <p>p</p>
    </div>
    </div>
    </details>"
  `);
});

test("a plot is SVG in the page's colors", async () => {
  const body = await bodyOf({ ...line, caption: "one run" });
  expect(body).toMatch(
    /^<figure>\n<h3>Throughput<\/h3>\n<svg role="img" aria-label="requests\/s against clients" /,
  );
  expect(body).toMatch(/<\/svg>\n<figcaption>one run<\/figcaption>\n<\/figure>$/);
  expect(body).toContain('stroke="var(--series-1)"');
  expect(body).toContain(">requests/s</text>");
  expect(body).not.toMatch(/"(?:#000|black|white|#fff)"/);
});

test("long names of bars are not cut", async () => {
  const name = "gRPC, 16 clients: outside the server";
  expect(await bodyOf(timeBars("Time", [{ name, parts: [["queue", 1]] }]))).toContain(`>${name}</text>`);
});

test("ids differ between the plots on a page, and the same report gives the same text", async () => {
  const both = reportOf(line, { kind: "columns", blocks: [line] });
  const [first, second] = await Promise.all([renderReport(both), renderReport(both)]);
  expect(first).toBe(second);
  const ids = [...first.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.length).toBeGreaterThan(3);
  expect(new Set(ids).size).toBe(ids.length);
  const used = [...first.matchAll(/url\(#([^)]+)\)/g)].map(([, id]) => id);
  expect(used.length).toBeGreaterThan(2);
  expect(used.filter((id) => !ids.includes(id))).toEqual([]);
});

test("the error for a plot that cannot be drawn names the plot", async () => {
  const wrong = { ...line, spec: { ...line.spec, transform: [{ calculate: "datum.(", as: "x" }] } } as Plot;
  const error: unknown = await renderReport(reportOf(wrong)).catch((cause: unknown) => cause);
  expect(error).toEqual(new Error('the plot "Throughput" cannot be drawn'));
  expect((error as Error).cause).toBeInstanceOf(Error);
});
