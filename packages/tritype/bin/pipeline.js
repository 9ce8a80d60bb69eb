#!/usr/bin/env node
import module from "node:module";
import v8 from "node:v8";

// A command runs most of its code a few times. Newer versions of Node keep compiled code. Node 20 cannot, and its V8 would spend
// a third of a build's processor time on optimizing functions before the end: it optimizes what runs 9 times as long.
if (module.enableCompileCache !== undefined) module.enableCompileCache();
else v8.setFlagsFromString("--interrupt-budget=600000");
await import("@tritype/cli/bin");
