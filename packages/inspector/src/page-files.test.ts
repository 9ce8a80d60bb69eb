import { expect, test } from "vitest";
import { pageFile } from "./page-files.ts";

test.each(["constructor", "__proto__", "../index.js", "index.htm"])(
  "%s is not a file of the page",
  (name) => {
    expect(pageFile(name)).toBeUndefined();
  },
);
