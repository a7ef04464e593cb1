#!/usr/bin/env node
import { enableCompileCache } from "node:module"
import { resolveQuickly } from "./module_resolution.ts"

// what was compiled is kept for the next start
enableCompileCache()
resolveQuickly()
await import("./program.ts")
