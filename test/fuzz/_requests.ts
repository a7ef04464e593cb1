import { booleanTexts, type RevisionName, revisions } from "../../core/contract/mod.ts"
import { mountOf } from "../_mounts.ts"
import type { Random } from "../memory/_random.ts"
import { makeBodies } from "./_bodies.ts"
import type { Document, Operation, Parameter } from "./_document.ts"
import { makeValues } from "./_values.ts"

/** A request, and what the document says about it. */
export interface Ask {
  readonly bytes: Buffer
  readonly isHead: boolean
  readonly document: Document
  /** The declaration of its operation; undefined if there is none. */
  readonly operation: Operation | undefined
  /**
   * `given`: everything is allowed, so it is not refused as invalid; `refused`: something is not
   * allowed, so it is not answered; `either`: the document does not say.
   */
  readonly expected: "given" | "refused" | "either"
  readonly isPreflight: boolean
  readonly isConditional: boolean
  /** It announces that it is the last one on its connection. */
  readonly isLast: boolean
}

export interface Served {
  readonly documents: { readonly [N in RevisionName]: Document }
  /** Texts and numbers from answers. */
  readonly ledger: ReadonlyArray<string>
  /** Items of answers, whose members belong together. */
  readonly items: ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Validly signed bodies, by operation. */
  readonly genuine: { readonly [operation: string]: ReadonlyArray<string> }
}

/**
 * Returns unusual but well-delimited requests; the same source of numbers gives the same sequence.
 */
export const makeRequests = (
  random: Random,
  { documents, genuine, items, ledger }: Served
): () => Ask => {
  const values = makeValues(random, ledger)
  const bodyOf = makeBodies(random, values, genuine)

  /** Items with all parameters of a path that has several, by path. */
  const naming = new Map<string, Served["items"]>()
  const itemFor = (
    { parameters, path }: Operation
  ): { readonly [name: string]: unknown } | undefined => {
    const names = parameters.flatMap((parameter) => parameter.in === "path" ? [parameter.name] : [])
    if (names.length < 2) return undefined
    const known = naming.get(path) ?? items.filter((item) => names.every((name) => name in item))
    naming.set(path, known)
    return known.length > 0 && random.chance(0.5) ? random.of(known) : undefined
  }

  return () => {
    const place = random.of(places)
    const document = documents[place.revision]
    const headers: Array<string> = place.header === undefined
      ? []
      : [`Api-Revision: ${place.header}`]
    let isBroken = false
    let isPlain = true
    /** Reads requests as the server of the published clients does. */
    const isLenient = revisions[place.revision].requestRules.unknownParameters === "ignored"
    const operation = random.chance(0.15)
      ? random.of(document.operations.filter(({ body }) => body !== undefined))
      : random.of(document.operations)

    const valueOf = (parameter: Parameter): string => {
      // the rules of a bare text are described in words
      if (isBare(parameter)) isPlain = false
      if (random.chance(0.75)) {
        const text = values.allowed(parameter)
        // the pool refuses the address of internal accounts, which is described in words
        if (!values.isKnown(parameter, text) || /f{40}/iu.test(text)) isPlain = false
        return text
      }
      const text = values.other(parameter)
      isPlain = false
      if (!parameter.allows(isLenient ? canonical(text, parameter) : text)) isBroken = true
      return text
    }
    const item = itemFor(operation)
    let path = operation.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
      if (item !== undefined) return encoded(String(item[name]), random)
      const text = valueOf(operation.parameters.find((parameter) => parameter.name === name)!)
      // another path, or none
      if (text === "" || text === "." || text === "..") isBroken = false
      return encoded(text, random)
    })
    let isElsewhere = /\/(?:\/|$)/u.test(path)
    const offered = operation.parameters.filter((parameter) => parameter.in === "query")
    const query: Array<string> = []
    let filters = 0
    for (const parameter of offered) {
      const isPaging = ["fromItem", "order", "limit"].includes(parameter.name)
      if (
        !random.chance(isPaging ? parameter.name === "limit" ? 0.8 : 0.25 : 0.9 / offered.length)
      ) continue
      if (!isPaging) filters++
      const value = valueOf(parameter)
      // a parameter without a value may be absent, and the operation may require one
      if (value === "") isPlain = false
      query.push(`${parameter.name}=${encoded(value, random)}`)
    }
    // the rules between parameters are described in words
    if (filters > 1 || (filters === 0 && /at least one of/iu.test(operation.description))) {
      isPlain = false
    }
    const ignoresUnknown = isLenient && operation.path !== "/accounts"
    const odd = (chance: number) => random.chance(chance) && (isPlain = false, true)
    if (odd(0.03)) {
      isBroken ||= !ignoresUnknown
      query.push(
        `${
          random.of([
            "limt",
            "Limit",
            "x",
            "__proto__",
            "constructor",
            "",
            "zkEthereumAdress",
            "%00",
            "offset"
          ])
        }=${encoded(random.of(["1", "", "x"]), random)}`
      )
    }
    if (query.length > 0 && odd(0.03)) {
      const repeated = random.of(query)
      // a parameter without a value may be absent
      if (!repeated.endsWith("=")) isBroken ||= !isLenient
      query.push(repeated)
    }
    if (odd(0.02)) {
      const isIgnored = offered.some(({ name }) => name === "limit")
        ? isLenient && query.some((pair) => pair.startsWith("limit="))
        : ignoresUnknown
      isBroken ||= !isIgnored
      query.push(
        `limit=${random.of(["%", "%z", "%zz", "%c3%28", "%ff", "%ed%a0%80", "%F0%9F%92"])}`
      )
    }
    if (odd(0.03)) {
      isElsewhere = true
      path = random.of([
        `${path}/`,
        `/${path}`,
        path.toUpperCase(),
        `${path}/x`,
        `/x${path}`,
        path.replace(/^\/./u, (first) => `/%${first.charCodeAt(1).toString(16)}`),
        "/..",
        `${path};x=1`,
        "/constructor",
        `/${"x".repeat(7000)}`
      ])
    }
    let { method }: { method: string } = operation
    if (odd(0.02)) {
      method = random.of(["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST", "GET", "PROPFIND"])
    }
    const isHead = method === "GET" && random.chance(0.05)
    if (isHead) method = "HEAD"
    const isPreflight = method === "OPTIONS"

    let body: Buffer | undefined
    if (method === operation.method && operation.body !== undefined) {
      const posted = bodyOf(operation)
      isPlain = false
      isBroken ||= posted.isBroken || query.length > 0 && !isLenient
      body = posted.bytes
      if (posted.contentType !== undefined) headers.push(`Content-Type: ${posted.contentType}`)
    } else if (random.chance(0.02)) {
      body = Buffer.from(random.of(["", "x", "{}", "x".repeat(3000), "x".repeat(70_000)]))
    }
    const isConditional = random.chance(0.05)
    if (isConditional) {
      headers.push(
        `If-None-Match: ${
          random.of(["*", "*", "*", '"x"', 'W/"x"', "x", "", '"', '"a", "b"', '"x'.repeat(500)])
        }`
      )
    }
    if (random.chance(0.12)) headers.push(...random.of(oddHeaders))
    const isVeryOdd = odd(0.02)
    if (isVeryOdd) {
      isBroken = false
      headers.push(...random.of(refusedHeaders))
    }
    const target = `${place.path}${path}${query.length === 0 ? "" : `?${query.join("&")}`}` || "/"
    const host = random.chance(0.01)
      ? ""
      : `Host: ${random.of(["node", "node:80", "[::1]", ""])}\r\n`
    const version = random.chance(0.01) ? "HTTP/1.0" : "HTTP/1.1"
    if (host === "" && version === "HTTP/1.1") isPlain = isBroken = false
    const framed = body === undefined
      ? undefined
      : version === "HTTP/1.1" && random.chance(0.3)
      ? chunked(body, random)
      : counted(body)
    const head = Buffer.from(
      `${method} ${target} ${version}\r\n${host}${
        [...headers, ...framed === undefined ? [] : [framed.header]].map((line) => `${line}\r\n`)
          .join("")
      }\r\n`,
      "latin1"
    )
    // with another method it may be another operation
    const known = isElsewhere ?
      undefined :
      document.operations.find((each) =>
        each.path === operation.path && each.method === (isHead ? "GET" : method)
      )
    return {
      bytes: framed === undefined ? head : Buffer.concat([head, framed.bytes]),
      isHead,
      document,
      operation: known,
      isPreflight,
      isConditional,
      isLast: version === "HTTP/1.0" || headers.includes("Connection: close"),
      expected: known !== operation || !operation.isStrict ||
          body !== undefined && body.length > 65_536 && operation.body === undefined
        ? "either"
        : isBroken
        ? "refused"
        : isPlain && place.header !== "none"
        ? "given"
        : "either"
    }
  }
}

/** Returns the canonical spelling of a value of a lenient revision. */
const canonical = (text: string, { schema }: Parameter): string =>
  schema.type === "boolean"
    ? booleanTexts.lenient.values.get(text)?.toString() ?? text
    : text.replaceAll(/(?<!\w)0+(?=\d)/gu, "")

const isBare = ({ schema }: Parameter) => {
  const { enum: words, pattern, type } = schema.items ?? schema
  return type === "string" && words === undefined && pattern === undefined
}

interface Place {
  readonly revision: RevisionName
  readonly path: string
  readonly header?: string
}
/** Each revision at its path, by its header at the default path, and both at once. */
const places: ReadonlyArray<Place> = Object.entries(revisions).flatMap(([name, revision]) => {
  const at = { revision: name as RevisionName, path: mountOf(revision) }
  return [at, { ...at, path: "", header: name }, { ...at, header: name }]
})

/** Headers that a server may ignore. */
const oddHeaders: ReadonlyArray<ReadonlyArray<string>> = [
  ["Accept: text/html"],
  ["Accept: application/xml;q=0"],
  ["Accept-Encoding: gzip, br"],
  ["Range: bytes=0-5"],
  ["If-Modified-Since: Thu, 01 Jan 2099 00:00:00 GMT"],
  ['If-Match: "x"'],
  ["Connection: keep-alive, x"],
  ["Connection: close"],
  ["Expect: 100-continue"],
  ["X-Forwarded-For: 1.2.3.4, ::1"],
  ["X-HTTP-Method-Override: DELETE"],
  ["Cookie: a=b", "Cookie: c=d"],
  ["Authorization: Basic eDp4"],
  ["TE: trailers"],
  ["Origin: http://x"],
  ["Traceparent: 00-0-0-0"],
  ["X-Request-Id: \u00ff\u00fe"],
  ["X-Empty:"],
  ["X: \t y \t"],
  ["Accept-Language: \u00e9"],
  [`X: ${"y".repeat(15_000)}`],
  Array.from({ length: 100 }, (_, i) => `X-${i}: ${i}`),
  ["Prefer: return=minimal"],
  ["Forwarded: for=1.2.3.4"],
  ["constructor: x", "__proto__: y"]
]

/** Headers that a server may refuse, or close the connection for. */
const refusedHeaders: ReadonlyArray<ReadonlyArray<string>> = [
  ["Api-Revision: nope"],
  ["Api-Revision: LATER"],
  ["Api-Revision: later", "Api-Revision: earlier"],
  ["Api-Revision:"],
  ["Expect: nonsense"],
  [`X: ${"y".repeat(17_000)}`],
  Array.from({ length: 700 }, (_, i) => `X-${i}: ${"z".repeat(30)}`),
  ["Host: other"],
  ["Content-Encoding: gzip"]
]

/** Escapes the characters that a target cannot contain, and sometimes more. */
const encoded = (text: string, random: Random): string => {
  if (random.chance(0.03)) {
    return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")
  }
  const bare = encodeURIComponent(text.toWellFormed())
  return random.chance(0.5) ? bare.replaceAll("%3A", ":").replaceAll("%2C", ",") : bare
}

interface Framed {
  readonly header: string
  readonly bytes: Buffer
}
const counted = (body: Buffer): Framed => ({
  header: `Content-Length: ${body.length}`,
  bytes: body
})
const chunked = (body: Buffer, random: Random): Framed => {
  const parts: Array<Buffer> = []
  const size = 1 + random.below(5000)
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size)
    parts.push(
      Buffer.from(`${chunk.length.toString(16)}${random.chance(0.1) ? ';x="y"' : ""}\r\n`),
      chunk,
      Buffer.from("\r\n")
    )
  }
  parts.push(Buffer.from(`0\r\n${random.chance(0.1) ? "X-Trailer: y\r\n" : ""}\r\n`))
  return { header: "Transfer-Encoding: chunked", bytes: Buffer.concat(parts) }
}
