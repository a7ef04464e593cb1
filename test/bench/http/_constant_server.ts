import { createServer } from "node:http"
import { listen } from "../_servers.ts"

/*
 * The most that a server on `node:http` reaches: it sends one text for every request, and looks
 * nothing up. The text is our answer to a URL, with its headers or only the two that are necessary.
 */
const [url = "", isPlain] = process.argv.slice(2)
const answer = await fetch(url, { headers: { "accept-encoding": "identity" } })
const body = await answer.text()
const necessary = ["content-type", "content-length"]
const ofNode = ["connection", "date", "keep-alive"]
const headers = [...answer.headers].filter(([name]) =>
  isPlain === "plain" ? necessary.includes(name) : !ofNode.includes(name)
)
const flat = headers.flat()
listen(createServer((_request, response) => response.writeHead(200, flat).end(body)))
