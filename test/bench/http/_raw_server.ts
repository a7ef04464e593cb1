import { createServer } from "node:http"
import { listen } from "../_servers.ts"

/*
 * The peer: bare `node:http` that holds our answers as objects and writes them with JSON.stringify.
 * It decodes no parameter, looks nothing up and sends only necessary headers: less than any real
 * server does. Every conditional request gets a 304.
 */
const [origin, ...paths] = process.argv.slice(2)
const answers = new Map<string, unknown>()
for (const path of paths) answers.set(path, await (await fetch(`${origin}${path}`)).json())
listen(createServer((request, response) => {
  const etag = request.headers["if-none-match"]
  if (etag !== undefined) return response.writeHead(304, { etag }).end()
  const body = JSON.stringify(answers.get(request.url ?? ""))
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body)
  }).end(body)
}))
