import { sha256 } from "@noble/hashes/sha2.js"
import { Effect, Layer } from "effect"
import type { HttpAnswer } from "./message.ts"
import type { OpenApiDocument } from "./open_api.ts"

/**
 * The documentation page of a document: Swagger UI as `effect` bundles it, in one page that asks no network for anything.
 * Its two megabytes are loaded with the first request, not with this module.
 */
export const docsPage = (document: OpenApiDocument): Effect.Effect<HttpAnswer> =>
  Effect.promise(async () => {
    const [{ HttpApi, HttpApiSwagger, OpenApi }, { HttpRouter, HttpServer }] = await Promise.all([
      import("effect/http-api"), import("effect/http")
    ])
    // the page wants a contract of its own kind, and lets its document be replaced
    const api = HttpApi.make("docs").annotate(OpenApi.Transform, () => readable(document) as OpenApiDocument)
    const { handler, dispose } = HttpRouter.toWebHandler(
      HttpApiSwagger.layer(api, { path: "/docs" }).pipe(Layer.provideMerge(HttpServer.layerServices)), { disableLogger: true }
    )
    try {
      const html = await (await handler(new Request("http://localhost/docs"))).text()
      const policy = contentSecurityPolicy(html)
      return {
        status: 200,
        headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy, "x-content-type-options": "nosniff" },
        body: new TextEncoder().encode(html)
      }
    } finally {
      await dispose()
    }
  })

/** Allows the one script and style sheet that stand in the page, and requests to the server that it comes from. */
const contentSecurityPolicy = (html: string): string => {
  const script = html.slice(html.indexOf(scriptTag) + scriptTag.length, html.lastIndexOf("</script>"))
  return [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}
const scriptTag = "<script>"

const digest = (text: string): string => {
  let bytes = ""
  for (const byte of sha256(new TextEncoder().encode(text))) bytes += String.fromCharCode(byte)
  return `sha256-${btoa(bytes)}`
}

/** The page reads numbers as doubles: a bound that is none is told in words instead. */
const readable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(readable)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value)
  const exact = members.filter(([, member]) => typeof member === "bigint")
  const shown = Object.fromEntries(members.filter((member) => !exact.includes(member)).map(([name, member]) => [name, readable(member)]))
  if (exact.length === 0) return shown
  const bounds = exact.map(([name, bound]) => `${name} ${bound}`).join(", ")
  return { ...shown, description: typeof shown.description === "string" ? `${shown.description} (${bounds})` : bounds }
}
