import { textOf } from "../_answers.ts"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { exactJson, openApi } from "../../adapters/http/mod.ts"
import { type Operation, programVersion, type Revision } from "../../core/contract/mod.ts"
import type { RecordedNetwork } from "./_network.ts"
import { mountOf } from "../_mounts.ts"
import { context } from "../conformance/_values.ts"
import type { GoldenRequest } from "./_requests.ts"

/** The prefixes of identifiers and names for which there are golden files. */
export const prefixes = ["zk", "hez"] as const

/** Returns the golden file of a revision and a prefix. */
export const goldenFile = (revision: string, prefix: string): string =>
  join(import.meta.dirname, `${revision}.${prefix}.txt`)

/** Returns the golden file of the OpenAPI document of a revision. */
export const contractFile = (revision: string): string =>
  join(import.meta.dirname, `contract.${revision}.txt`)

/** Returns the text of such a file: a line for each operation and each component of the document. */
export const contractText = (revision: Revision): string => {
  const { components, paths, ...others } = openApi({ revision, context, path: revision.path })
  const lines = (parts: object) =>
    Object.entries(parts).map(([name, part]) => `${name} ${exactJson(part)}`)
  return [
    ...lines(others),
    ...Object.entries(paths as object).flatMap(([path, methods]) =>
      lines(methods as object).map((line) => `${path} ${line}`)
    ),
    ...Object.entries(components as object).flatMap(([kind, parts]) =>
      lines(parts as object).map((line) => `${kind} ${line}`)
    ),
    ""
  ].join("\n").replaceAll(`"${programVersion}"`, '"VERSION"')
}

/** The line before the requests that are sent after the rollback. */
export const LAST_STEP = "# after the rollback"

/** Returns the texts of the entries before and after the rollback. */
export const readGolden = (
  revision: string,
  prefix: string
): ReadonlyArray<ReadonlyArray<string>> =>
  readFileSync(goldenFile(revision, prefix), "utf8").trimEnd().split(`\n\n${LAST_STEP}\n\n`).map((
    part
  ) => part.split("\n\n"))

/** Headers that are not compared, or are the same in all answers and are compared elsewhere. */
const ignoredHeaders = /^(?:etag|content-length|ledger-.*|access-control-.*|api-revision|vary)$/u

/** A request with its answer: the text of a golden file, and the body of the answer. */
export interface Entry {
  readonly text: string
  readonly status: number
  readonly body: string
}

/** Sends a request, and again with the `ETag` of the answer if it has one. */
export const ask = Effect.fnUntraced(
  function*({ handle }: RecordedNetwork, request: GoldenRequest) {
    const { body, method, url } = request
    const send = (headers: { readonly [name: string]: string }) =>
      handle({
        method,
        url,
        headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
        ...body === undefined ? {} : { body: () => Effect.succeed(new TextEncoder().encode(body)) }
      })
    const answer = yield* send({})
    const { etag } = answer.headers
    const repeated = etag === undefined ? undefined : yield* send({ "if-none-match": etag })
    const headers = Object.entries(answer.headers).filter(([name]) => !ignoredHeaders.test(name))
      .map(([name, value]) => `${name}: ${value}`).sort()
    const status = repeated === undefined ? [] : [`(${repeated.status} if unchanged)`]
    const text = textOf(answer)
    return {
      text: [
        lineOf(request),
        [answer.status, ...status, ...headers].join(" "),
        ...text === "" ? [] : [text.replaceAll(`"${programVersion}"`, '"VERSION"')]
      ].join("\n"),
      status: answer.status,
      body: text
    } satisfies Entry
  }
)

const lineOf = ({ body, method, url }: GoldenRequest): string =>
  `${method} ${url}${body === undefined ? "" : ` ${body}`}`

/** Returns the request of an entry. */
export const requestOf = (text: string): GoldenRequest => {
  const [line] = text.split("\n", 1)
  const [method, url, ...body] = line!.split(" ")
  return { method: method!, url: url!, ...body.length === 0 ? {} : { body: body.join(" ") } }
}

/** Returns the texts of the recorded answers of a read operation. */
export const recordedAnswers = (
  revision: Revision,
  { path }: Operation
): ReadonlyArray<string> => {
  const route = `${mountOf(revision)}${path.replaceAll(/\{\w+\}/gu, "[^/?]+")}`
  const url = new RegExp(`^GET ${route}(?:\\?\\S*)?$`, "u")
  return readGolden(revision.name, "zk").flat().flatMap((text) => {
    const [request, status, body] = text.split("\n")
    return url.test(request!) && status!.startsWith("200 ") ? [body!] : []
  })
}
