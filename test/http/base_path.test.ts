import { assert, describe, it } from "@effect/vitest"
import { Hono } from "hono"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type FetchHandler, toFetchHandler } from "../../adapters/http/mod.ts"
import { toNodeHandler } from "../../adapters/http/node/mod.ts"
import { openNode, type RollupNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { earlier, later } from "../../core/mod.ts"
import { sendRaw } from "./_socket.ts"

/* Each host serves the same node below /rollup; all answers must be the same. */

const { genesis } = simulate({ seed: 1 })

/** Opens a server on `node:http`, and returns a handler that requests it. */
const listening = async (listener: RequestListener): Promise<[FetchHandler, Server]> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const send: FetchHandler = (request) =>
    fetch(
      new Request(request.url.replace("http://localhost", `http://127.0.0.1:${port}`), request),
      { redirect: "manual" }
    )
  return [send, server]
}

interface Host {
  readonly name: string
  readonly open: (node: RollupNode) => Promise<[FetchHandler, Server | undefined]>
}

const removePrefix = (request: Request) =>
  new Request(
    request.url.replace("/rollup", "").replace(/^(http:\/\/[^/?]+)(\?|$)/u, "$1/$2"),
    request
  )

const hosts: ReadonlyArray<Host> = [
  {
    name: "a host that passes whole paths, such as Deno.serve",
    open: (node) => Promise.resolve([toFetchHandler(node, { basePath: "/rollup" }), undefined])
  },
  {
    name: "a host that removes the path",
    open: (node) => {
      const handler = toFetchHandler(node, { basePath: "/rollup" })
      return Promise.resolve([(request) => handler(removePrefix(request)), undefined])
    }
  },
  {
    name: "Hono",
    open: (node) => {
      const app = new Hono()
      app.mount("/rollup", toFetchHandler(node, { basePath: "/rollup" }))
      return Promise.resolve([async (request) => app.fetch(request), undefined])
    }
  },
  { name: "node:http", open: (node) => listening(toNodeHandler(node, { basePath: "/rollup" })) },
  {
    name: "a host on node:http that keeps the whole URL in originalUrl, such as Express",
    open: (node) => {
      const handler = toNodeHandler(node)
      return listening((request, response) => {
        const url = request.url!.slice("/rollup".length)
        const originalUrl = request.url
        const stripped = url.startsWith("/") ? url : `/${url}`
        handler(Object.assign(request, { originalUrl, url: stripped }), response)
      })
    }
  }
]

/** As browsers send it. */
const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

describe("below a path", () => {
  for (const { name, open } of hosts) {
    it(`${name} serves right paths`, async () => {
      await using node = await openNode({ genesis })
      const [send, server] = await open(node)
      const ask = (
        path: string,
        headers: { readonly [name: string]: string } = {},
        method = "GET"
      ) => send(new Request(`http://localhost${path}`, { headers, method }))
      try {
        for (const path of ["/rollup", "/rollup/", "/rollup?x=1"]) {
          const redirect = await ask(path, html)
          assert.deepStrictEqual(
            [redirect.status, redirect.headers.get("location")],
            [302, "/rollup/docs"],
            path
          )
        }
        const redirect = await ask("/rollup/earlier", html)
        assert.strictEqual(redirect.headers.get("location"), "/rollup/earlier/docs")

        const index = await (await ask("/rollup")).json()
        assert.deepInclude(index, {
          path: "/rollup",
          openapi: "/rollup/openapi.json",
          documentation: "/rollup/docs"
        })
        assert.deepInclude(index.revisions[1], {
          path: "/rollup/earlier",
          openapi: "/rollup/earlier/openapi.json"
        })

        for (const path of ["/rollup", "/rollup/earlier"]) {
          const document = await (await ask(`${path}/openapi.json`)).json()
          assert.strictEqual(document.servers[0].url, path)
          const page = await (await ask(`${path}/docs`)).text()
          assert.include(page, `"servers":[{"url":"${path}"`)
        }

        const token = await ask("/rollup/tokens/0")
        assert.strictEqual((await token.json()).symbol, "ETH")
        const known = { "if-none-match": token.headers.get("etag")! }
        // a length would have to be that of the whole answer
        for (const method of ["GET", "HEAD"]) {
          const { headers, status } = await ask("/rollup/tokens/0", known, method)
          assert.deepStrictEqual([status, headers.get("content-length")], [304, null])
        }
        const chosen = await ask("/rollup/tokens", { "api-revision": "earlier" })
        assert.strictEqual(chosen.headers.get("api-revision"), "earlier")

        const unknown = await (await ask("/rollup/tokenz?x=1")).json()
        assert.deepInclude(unknown, {
          type: "urn:rollup-node-api:problem:unknown-path",
          message: 'There is no path "/rollup/tokenz": did you mean /rollup/tokens?',
          instance: "/rollup/tokenz?x=1"
        })
        const conflict = await ask("/rollup/earlier/tokens", { "api-revision": "later" })
        assert.include((await conflict.json()).message, "Path /rollup/earlier is revision")
        const nothing = await ask("/rollup/qqqqqqqq")
        assert.include((await nothing.json()).message, "/rollup/docs")
        const post = await send(
          new Request("http://localhost/rollup/transactions-pool", {
            method: "POST",
            body: "{",
            headers: { "content-type": "application/json" }
          })
        )
        assert.strictEqual(post.status, 400)
        const head = await ask("/rollup/tokens", {}, "HEAD")
        assert.deepStrictEqual([head.status, await head.text()], [200, ""])
      } finally {
        server?.close().closeAllConnections()
      }
    })
  }

  it("mounts with a common prefix give the same paths to a host that passes whole paths", async () => {
    const mounts = [
      { path: "/rollup", revision: later },
      { path: "/rollup/earlier", revision: earlier }
    ]
    await using node = await openNode({ genesis, mounts })
    const ask = (path: string) =>
      node.fetch(new Request(`http://localhost${path}`, { headers: html }))
    assert.strictEqual((await ask("/rollup")).headers.get("location"), "/rollup/docs")
    assert.strictEqual(
      (await ask("/rollup/earlier")).headers.get("location"),
      "/rollup/earlier/docs"
    )
    for (const { path } of mounts) {
      assert.strictEqual((await (await ask(`${path}/openapi.json`)).json()).servers[0].url, path)
    }
    assert.include(
      (await (await ask("/tokens")).json()).message,
      "/rollup/earlier or /rollup"
    )
  })

  it("one node is served below several paths at once", async () => {
    await using node = await openNode({ genesis })
    for (const basePath of ["/a", "/b/c", "/a"]) {
      const ask = toFetchHandler(node, { basePath })
      const response = await ask(new Request(`http://localhost${basePath}/openapi.json`))
      assert.strictEqual((await response.json()).servers[0].url, basePath)
    }
    const plain = await node.fetch(new Request("http://localhost/openapi.json"))
    assert.strictEqual((await plain.json()).servers[0].url, "/")
  })

  it("a path that only begins with the base path is not below it", async () => {
    await using node = await openNode({ genesis })
    const ask = toFetchHandler(node, { basePath: "/roll" })
    const response = await ask(new Request("http://localhost/rollup/tokens"))
    assert.deepInclude(await response.json(), { instance: "/roll/rollup/tokens", status: 404 })
  })

  it("a malformed base path is refused", async () => {
    await using node = await openNode({ genesis })
    for (const basePath of ["rollup", "/rollup/", "//rollup", "/a?b", "/a b", "http://x/a"]) {
      for (const open of [toFetchHandler, toNodeHandler]) {
        assert.throws(
          () => open(node, { basePath }),
          `Cannot serve below ${JSON.stringify(basePath)}`
        )
      }
    }
  })
})

describe("the handler for node:http", () => {
  it("never redirects to another host, whatever a client sends", async () => {
    await using node = await openNode({ genesis })
    const handler = toNodeHandler(node)
    const [, server] = await listening((request, response) =>
      handler(Object.assign(request, { originalUrl: request.url, url: "/" }), response)
    )
    const { port } = server.address() as AddressInfo
    for (
      const target of [
        "//example.com",
        "//example.com/",
        "/\\example.com",
        "/%0d%0aa: b",
        "http://example.com/"
      ]
    ) {
      const answer = await sendRaw(
        port,
        `GET ${target} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n`
      )
      assert.match(answer!.headers.location ?? "/", /^\/(?![/\\])/u, target)
    }
    server.close().closeAllConnections()
  })

  it("a client that disconnects while it posts gets no answer and leaves nothing open", async () => {
    await using node = await openNode({ genesis })
    const [send, server] = await listening(toNodeHandler(node))
    const { port } = server.address() as AddressInfo
    const head =
      "POST /transactions-pool HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
    const { connect } = await import("node:net")
    await new Promise<void>((resolve) => {
      const socket = connect(
        port,
        "127.0.0.1",
        () => socket.write(`${head}{`, () => socket.destroy())
      )
      socket.on("close", () => resolve())
    })
    assert.strictEqual((await send(new Request("http://localhost/tokens"))).status, 200)
    server.close().closeAllConnections()
    await new Promise((resolve) => server.once("close", resolve))
  })

  it("the connection is closed if the node is", async () => {
    const node = await openNode({ genesis })
    const [send, server] = await listening(toNodeHandler(node))
    await node.close()
    const error = await send(new Request("http://localhost/tokens")).catch((error: unknown) =>
      error
    )
    assert.instanceOf(error, TypeError)
    server.close()
  })
})
