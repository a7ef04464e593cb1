#!/usr/bin/env node
import module from "node:module"

// As process 1 of a container, a process ignores a signal that it does not listen for. So the first
// one that arrives while the program is loaded is remembered.
/** @type {NodeJS.Signals | undefined} */
let earlySignal
/** @type {NodeJS.SignalsListener} */
const remember = (signal) => void (earlySignal ??= signal)
process.on("SIGINT", remember).on("SIGTERM", remember)
const takeEarlySignal = () => {
  process.off("SIGINT", remember).off("SIGTERM", remember)
  return earlySignal
}

// keep in line with `engines` in package.json
const versions = "22.19, 24, 26 or a later release of these majors"
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  const isCheckout = import.meta.url.endsWith("/app/main.js")
  process.stderr.write(
    `Node ${process.versions.node} is too old: rollup-node needs Node ${versions}; ${
      isCheckout
        ? "run it with node_modules/.bin/node, which npm ci installs"
        : "install one of these"
    }\n`
  )
  process.exit(1)
}

// This file is JavaScript so that it enables the compile cache before the first source is
// compiled: Node then loads its type stripper only for sources that are not cached.
const { directory } = module.enableCompileCache?.() ?? {}
// worker threads enable the cache only if the environment names its directory
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
const { runProgram } = await import("./program.ts")
// signals that arrived during the import are delivered in the next turn of the event loop
await new Promise((resolve) => void setImmediate(resolve))
runProgram(process.argv.slice(2), takeEarlySignal)
