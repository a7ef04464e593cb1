import { sha256 } from "@noble/hashes/sha2.js"
import { Effect, Layer } from "effect"
import * as Base64 from "effect/encoding/Base64"
import type { HttpAnswer } from "../message/mod.ts"
import type { OpenApiDocument } from "./open_api.ts"

/**
 * Returns the documentation page of a document: Scalar as `effect` bundles it, in one page that
 * loads nothing else. The bundle has three megabytes and is imported when this is first run.
 */
export const docsPage = (document: OpenApiDocument): Effect.Effect<HttpAnswer> =>
  Effect.promise(async () => {
    // destructured, so that bundlers drop the other exports
    const { HttpApi, HttpApiScalar, OpenApi } = await import("effect/http-api")
    const { HttpRouter, HttpServer } = await import("effect/http")
    // HttpApiScalar needs an HttpApi; a transformation replaces its document by ours
    const api = HttpApi.make("docs")
      .annotate(OpenApi.Transform, () => readable(document) as OpenApiDocument)
    const page = HttpApiScalar.layer(api, { scalar: { ...offline, customCss } })
    const { handler, dispose } = HttpRouter.toWebHandler(
      page.pipe(Layer.provideMerge(HttpServer.layerServices)),
      { disableLogger: true }
    )
    try {
      const text = await (await handler(new Request("http://localhost/docs"))).text()
      const html = text.replace("<html>", `<html lang="en">`)
      return {
        status: 200,
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": contentSecurityPolicy(html),
          "x-content-type-options": "nosniff"
        },
        body: new TextEncoder().encode(html)
      }
    } finally {
      await dispose()
    }
  })

/** Disables the features of Scalar that load from or link to other hosts. */
const offline = {
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true
}

/**
 * Text and the colours of methods have a contrast of at least 4.5 to 1 in both themes, as WCAG 2 AA
 * asks, and long paths wrap on a narrow screen.
 */
const customCss = `
.light-mode { --scalar-color-2: #4d4d4d; --scalar-color-3: #5f5f5f; --scalar-color-blue: #005ea2;
  --scalar-color-green: #00663f; --scalar-color-orange: #944000; --scalar-color-purple: #6326ad;
  --scalar-color-red: #b00020; --scalar-color-yellow: #6b5200 }
.dark-mode { --scalar-color-2: #b8b8b8; --scalar-color-3: #9c9c9c; --scalar-color-blue: #6cb8f5 }
.operation-path { overflow-wrap: anywhere; white-space: normal }
.parameter-item-trigger { overflow-x: clip; position: relative }
`

/**
 * Returns a policy that allows only the scripts and styles of the page, and requests to its server.
 * Scalar checks once whether `eval` is allowed, and works without it.
 */
const contentSecurityPolicy = (html: string): string => {
  const scripts = Array.from(html.matchAll(/<script>([\s\S]*?)<\/script>/gu), ([, text]) => text!)
  return [
    "default-src 'none'",
    `script-src ${scripts.map((text) => `'${digest(text)}'`).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

const digest = (text: string): string =>
  `sha256-${Base64.encode(sha256(new TextEncoder().encode(text)))}`

/** Moves bounds that a double cannot hold into descriptions, since the page would round them. */
const readable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(readable)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value)
  const exact = members.filter(([, member]) => typeof member === "bigint")
  const others = Object.fromEntries(
    members.filter(([, member]) => typeof member !== "bigint")
      .map(([name, member]) => [name, readable(member)])
  )
  if (exact.length === 0) return others
  const bounds = exact.map(([name, bound]) => `${name} ${bound}`).join(", ")
  const { description } = others
  return {
    ...others,
    description: typeof description === "string" ? `${description} (${bounds})` : bounds
  }
}
