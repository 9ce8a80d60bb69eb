#!/usr/bin/env node
import module from "node:module";
import v8 from "node:v8";

// A command runs most of its code only a few times. Newer versions of Node cache compiled code. Node 20
// cannot, and its V8 would spend a third of a build's processor time on optimizing functions, so it only
// optimizes those that run 9 times as long.
if (module.enableCompileCache !== undefined) module.enableCompileCache();
else v8.setFlagsFromString("--interrupt-budget=600000");
await import("@tritype/cli/bin");
