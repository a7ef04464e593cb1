import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { adminOpenApi } from "../../adapters/admin/mod.ts"
import { feedJsonSchema, type FeedRecord, readFeedLine, writeFeedLine } from "../../core/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { withHeads } from "../properties/_heads.ts"
import { type Answer, ask, genesis, get, linesOf, post, records, token, watched } from "./_admin.ts"

interface Document {
  readonly components: { readonly schemas: object }
  readonly paths: {
    readonly [path: string]: {
      readonly [method: string]: {
        readonly operationId: string
        readonly responses: {
          readonly [status: string]: {
            readonly content: { readonly [type: string]: { readonly schema: { $ref?: string } } }
          }
        }
      }
    }
  }
}

const document = adminOpenApi() as unknown as Document

/** Returns a function that throws if an answer does not have the schema that the document states. */
const answerChecker = (document: Document) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema({ ...document, $id: "https://localhost/document" })
  return (method: string, path: string, answer: Answer) => {
    const { headers, status } = answer
    const { responses } = document.paths[path]![method]!
    const response = responses[status]
    assert.isDefined(response, `${method} ${path} ${status}`)
    const type = headers.get("content-type")!.split(";", 1)[0]!
    const { $ref } = response!.content[type]!.schema
    if ($ref === undefined) return
    const validate = ajv.getSchema(`https://localhost/document${$ref}`)!
    assert.isTrue(validate(answer.json), `${method} ${path}: ${ajv.errorsText(validate.errors)}`)
  }
}

describe("the OpenAPI document of the admin listener", () => {
  it("is valid OpenAPI 3.1 with a unique name for each operation", async () => {
    const result = await new Validator().validate(
      JSON.parse(JSON.stringify(document)) as Record<string, unknown>
    )
    assert.deepStrictEqual(result.errors, undefined)
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId)
    )
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("contains no reference to a schema that it lacks", () => {
    const pointers = JSON.stringify(document).matchAll(/#\/[\w$/]*/gu)
    const schemas = Object.keys(document.components.schemas)
    const known = new Set(schemas.map((name) => `#/components/schemas/${name}`))
    const lacking = [...pointers].filter(([pointer]) => !known.has(pointer))
    assert.deepStrictEqual(lacking, [])
  })

  it.live("the listener serves it, with exactly the paths that it has", () =>
    Effect.gen(function*() {
      for (const options of [{}, { token: undefined as never }]) {
        const { admin } = yield* watched(options)
        const served = (yield* ask(admin, "/openapi.json")).json as Document
        const listed = ((yield* ask(admin, "/")).json as {
          readonly paths: ReadonlyArray<{ readonly method: string; readonly path: string }>
        }).paths.map(({ method, path }) => `${method} ${path}`)
        const documented = Object.entries(served.paths).flatMap(([path, methods]) =>
          Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
        )
        assert.sameMembers(documented, ["GET /", ...listed])
        assert.strictEqual(documented.includes("POST /feed"), !("token" in options))
      }
    }))

  it.live("every answer has the schema that it states, refusals included", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched({
        verification: Effect.succeed(JSON.stringify({ violations: [] })),
        limits: { poolBodyBytesMax: 100 }
      })
      const check = answerChecker((yield* ask(admin, "/openapi.json")).json)
      for (const [path, { get: operation }] of Object.entries(document.paths)) {
        if (operation === undefined) continue
        const url = path.replace("{id}", `0x${"0".repeat(66)}`)
        check("get", path, yield* ask(admin, url))
        check("get", path, yield* get(admin, url))
      }
      const [block, ...others] = records
      const heads = [...withHeads([block!])].slice(1)
      assert.isNotEmpty(heads)
      const rollBack = linesOf({ kind: "rollBack", toBlock: 1n })
      const bodies: ReadonlyArray<
        readonly [path: string, body: string, headers?: { readonly [name: string]: string }]
      > = [
        ["/feed", linesOf(block!)],
        ["/feed", linesOf(...others.slice(5, 7))],
        ["/feed", linesOf(...heads)],
        ["/feed", `{"kind":"block"}`],
        ["/feed", "not JSON"],
        ["/feed", rollBack],
        ["/feed", linesOf(block!), { "feed-after": `0x${"0".repeat(64)}` }],
        ["/feed", "{}", { "content-type": "text/plain" }],
        ["/pool", `{"kind":"reconcile"}\n{"kind":"select","maxTransactions":5}`],
        ["/pool", `{"kind":"select"}`],
        ["/pool", " ".repeat(101)],
        ["/pool", "", { authorization: `Basic ${token}` }]
      ]
      const statuses: Array<number> = []
      for (const [path, body, headers] of bodies) {
        const answer = yield* post(admin, path, body, headers)
        check("post", path, answer)
        statuses.push(answer.status)
      }
      assert.deepStrictEqual(statuses, [200, 422, 200, 400, 400, 428, 412, 415, 200, 400, 413, 401])
      check("get", "/feed", yield* get(admin, "/feed"))
    }))
})

describe("the JSON Schema of the feed", () => {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(feedJsonSchema())
  const isAccepted = (line: string) => readFeedLine(line)._tag === "Success"

  it.live("is served by the listener", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      const answer = yield* ask(admin, "/schemas/feed.json")
      assert.strictEqual(answer.headers.get("content-type"), "application/schema+json")
      assert.deepStrictEqual(answer.json, JSON.parse(JSON.stringify(feedJsonSchema())))
    }))

  it("accepts every record of a simulated network", () => {
    const simulation = simulate({ seed: 3, placeholderRoots: true, rollBackPeriodBlocks: 10 })
    const kinds = new Set<string>()
    const lines = [writeFeedLine({ kind: "genesis", genesis })]
    lines.push(...Array.from(withHeads(initialHistory(simulation, 600)), writeFeedLine))
    for (const line of lines) {
      const record = JSON.parse(line) as { readonly kind: string }
      kinds.add(record.kind)
      assert.isTrue(validate(record), JSON.stringify(validate.errors))
    }
    assert.sameMembers([...kinds], ["genesis", "block", "rollBack", "prices", "head"])
  })

  it("decides as the reader of the feed does about records with one changed member", () => {
    const sampled: ReadonlyArray<FeedRecord> = [
      { kind: "genesis", genesis },
      { kind: "rollBack", toBlock: 5n },
      ...withHeads(records)
    ]
    // the shortest first, since each change reads the whole record
    const samples = sampled.map(writeFeedLine).sort((a, b) => a.length - b.length)
    const changes: ReadonlyArray<(value: unknown) => unknown> = [
      () => undefined,
      () => null,
      (value) => typeof value === "number" ? String(value) : 5,
      (value) => typeof value === "string" ? `${value}x` : value,
      (value) => typeof value === "string" ? value.toUpperCase() : value,
      (value) => typeof value === "number" ? value + 0.5 : value,
      (value) => typeof value === "number" ? -1 : value,
      (value) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? { ...value, unknownMember: 1 }
          : value
    ]
    const counts = { accepted: 0, refused: 0 }
    // each member once, wherever it first occurs
    const seen = new Set<string>()
    for (const sample of samples) {
      for (const path of pathsOf(JSON.parse(sample))) {
        const place = path.join("/").replaceAll(/\/\d+(?=\/|$)/gu, "/*")
        if (seen.has(place)) continue
        seen.add(place)
        for (const [i, change] of changes.entries()) {
          const changed = JSON.parse(sample) as Record<string, unknown>
          const parent = path.slice(0, -1).reduce(
            (value, key) => value[key] as Record<string, unknown>,
            changed
          )
          const key = path.at(-1)!
          const value = change(parent[key])
          // a missing item of an array would become null
          if (value === undefined && Array.isArray(parent)) continue
          parent[key] = value
          const line = JSON.stringify(changed)
          const expected = isAccepted(line)
          counts[expected ? "accepted" : "refused"]++
          assert.strictEqual(
            validate(JSON.parse(line)),
            expected,
            `${path.join("/")}, change ${i}: ${JSON.stringify(validate.errors)}`
          )
        }
      }
    }
    assert.isAbove(counts.accepted, 100)
    assert.isAbove(counts.refused, 500)
  })
})

/** Returns the path of every member and item. */
const pathsOf = (value: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, member]) => [
      [key],
      ...pathsOf(member).map((path) => [key, ...path])
    ])
