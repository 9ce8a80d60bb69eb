import { entries } from "@tritype/check";
import { test } from "vitest";
test("l", () => { console.log(entries.filter((e) => e.severity === "error" && e.judged === "ours").map((e) => e.code + " — " + e.reason).join("\n"), "\n", entries.length, entries.filter((e) => e.judged === "live" || e.judged === "stub").length); });
