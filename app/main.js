#!/usr/bin/env node
import module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Node ${process.versions.node} is too old: expected 22.19 or later. ` +
      "In a checkout, node_modules/.bin/node is newer\n"
  )
  process.exit(1)
}

// This file is JavaScript so that it enables the compile cache before the first source is
// compiled: Node then loads its type stripper only for sources that are not cached.
const { directory } = module.enableCompileCache?.() ?? {}
// worker threads enable the cache only if the environment names its directory
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
const { runProgram } = await import("./program.ts")
runProgram(process.argv.slice(2))
