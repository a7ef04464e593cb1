#!/usr/bin/env node
import module from "node:module"

if (module.registerHooks === undefined && process.versions.bun === undefined && globalThis.Deno === undefined) {
  process.stderr.write(`Node ${process.versions.node} is too old: expected 22.19 or later. The project brings its own: node_modules/.bin/node\n`)
  process.exit(1)
}

// What was compiled is kept for the next start. This file is JavaScript so that it says so first: sources whose types were left out before
// need no compiler of types, which takes 16 MB and a fifth of a short start.
const { directory } = module.enableCompileCache?.() ?? {}
// threads keep and find nothing there unless their environment says so: each would have a compiler of types of its own
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
const { resolveQuickly } = await import("./module_resolution.ts")
resolveQuickly()
await import("./program.ts")
