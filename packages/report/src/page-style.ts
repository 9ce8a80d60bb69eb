/** The page's style: light or dark according to the reader's system, readable at any width and on paper. */
export const pageStyle: string = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --raised: #f5f6f8; --ink: #1b1f24; --quiet: #5b6572; --line: #dde1e6; --bar: #dbe7f8; --link: #0a58b0;
  --good: #1a7f37; --warn: #8f5b00; --bad: #c4221c;
  --series-1: #0b6bcb; --series-2: #c2410c; --series-3: #1f7a3d; --series-4: #9333ae;
  --series-5: #8a6d00; --series-6: #0b7d92; --series-7: #c2255c; --series-8: #5b6572;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --raised: #1e2329; --ink: #e8ebef; --quiet: #a0aab6; --line: #333a43; --bar: #23405f; --link: #7db7ff;
    --good: #56d364; --warn: #e3b341; --bad: #ff7b72;
    --series-1: #6cb2ff; --series-2: #ff9d5c; --series-3: #6fdd8b; --series-4: #d99bf0;
    --series-5: #e8c547; --series-6: #4fd0e5; --series-7: #ff8fb5; --series-8: #a0aab6;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 76rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.3rem; margin: 2.75rem 0 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 0.5rem; }
a { color: var(--link); }
p { margin: 0.75rem 0; max-width: 48rem; }
.quiet, figcaption, caption, footer { color: var(--quiet); }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; padding: 0; margin: 1rem 0 0; }
.notice { border: 1px solid var(--line); border-left: 4px solid currentcolor; padding: 0.6rem 1rem; margin: 1rem 0;
  background: var(--raised); max-width: 60rem; border-radius: 3px; }
.notice span { color: var(--ink); }
.notice.quiet span { color: var(--quiet); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 0.75rem; margin: 1rem 0; }
.facts > div { background: var(--raised); border-radius: 6px; padding: 0.75rem 1rem; }
.facts dt { color: var(--quiet); font-size: 0.875rem; }
.facts dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.facts dd.note { font-size: 0.875rem; font-weight: 400; color: var(--quiet); }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 0.4rem; }
th, td { text-align: left; padding: 0.35rem 0.9rem 0.35rem 0.5rem; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: break-word; max-width: 44rem; }
th { font-weight: 600; border-bottom: 2px solid var(--line); white-space: nowrap; }
th.right, td.right { text-align: right; padding-right: 0.5rem; padding-left: 0.9rem; white-space: nowrap; }
td.long { min-width: 16rem; }
figure { margin: 1rem 0; }
figure svg { display: block; max-width: 100%; height: auto; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 2rem; align-items: start; }
.columns > * { min-width: 0; }
pre { background: var(--raised); padding: 0.75rem 1rem; border-radius: 6px; overflow-x: auto; font: 0.875rem/1.5 ui-monospace, monospace; }
details { margin: 1rem 0; }
summary { cursor: pointer; color: var(--link); }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 0.75rem; font-size: 0.875rem; }
@media (max-width: 40rem) {
  figure { overflow-x: auto; }
  figure svg { max-width: max(100%, 27rem); }
}
@media print {
  body { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  figure, tr, .facts > div { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`.trim();
