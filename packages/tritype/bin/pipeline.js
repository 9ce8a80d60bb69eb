#!/usr/bin/env node
import "@tritype/cli/bin";
