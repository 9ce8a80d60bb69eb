import { defineConfig } from "tritype";
import { shoutKind } from "./shout-kind.ts";

export default defineConfig({ stepKinds: [shoutKind] });
