/** Beside this file: the source under a runtime that reads it, the build otherwise. */
export const WORKER = new URL(
  import.meta.url.endsWith(".ts") ? "./_worker.ts" : "./_worker.js",
  import.meta.url
)
