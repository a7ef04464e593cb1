// Runs the scenario where there is a file system: node, deno and bun take the same file.
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { argv } from "node:process"
import { toFetchHandler } from "rollup-node-api/http"
import { scenario } from "./scenario.js"

const hostname = "127.0.0.1"

/** Serves a node below a path, with the server of the runtime; returns the port. */
const serve = async (node, basePath) => {
  const fetch = toFetchHandler(node, { basePath })
  if (globalThis.Deno !== undefined) {
    const server = Deno.serve({ hostname, port: 0, onListen: () => {} }, fetch)
    return { port: server.addr.port, stop: () => server.shutdown() }
  }
  if (globalThis.Bun !== undefined) {
    const server = Bun.serve({ hostname, port: 0, fetch })
    return { port: server.port, stop: () => server.stop(true) }
  }
  // in Deno the import would need more permissions
  const { toNodeHandler } = await import("rollup-node-api/http/node")
  const server = createServer(toNodeHandler(node, { basePath })).listen(0, hostname)
  await once(server, "listening")
  return {
    port: server.address().port,
    stop: () => server.close().closeAllConnections()
  }
}

const askOverSocket = async (node, basePath, paths) => {
  const { port, stop } = await serve(node, basePath)
  const answers = []
  for (const path of paths) {
    const response = await fetch(`http://${hostname}:${port}${path}`, { redirect: "manual" })
    answers.push([response, await response.text()])
  }
  await stop()
  return answers
}

console.log(
  await scenario(
    readFileSync(new URL("./feed.ndjson", import.meta.url), "utf8"),
    argv[2],
    askOverSocket
  )
)
