import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { adminOpenApi } from "../../adapters/admin/mod.ts"
import { feedJsonSchema, readFeedLine, writeFeedLine } from "../../core/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { withHeads } from "../properties/_heads.ts"
import { type Answer, ask, genesis, get, linesOf, post, records, token, watched } from "./_admin.ts"

interface Document {
  readonly paths: {
    readonly [path: string]: {
      readonly [method: string]: {
        readonly operationId: string
        readonly security?: ReadonlyArray<object>
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
    const text = JSON.stringify(document)
    const { schemas } = (adminOpenApi() as { readonly components: { readonly schemas: object } })
      .components
    const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/gu)].map(([, name]) => name!)
    for (const name of names) assert.property(schemas, name)
    assert.isFalse(text.includes("#/$defs/"))
  })

  it.live("the listener serves it, with exactly the paths that it has", () =>
    Effect.scoped(Effect.gen(function*() {
      for (const isGuarded of [true, false]) {
        const { admin } = yield* watched(isGuarded ? {} : { token: undefined as never })
        const served = (yield* ask(admin, "/openapi.json")).json as Document
        const listed = ((yield* ask(admin, "/")).json as {
          readonly paths: ReadonlyArray<{ readonly method: string; readonly path: string }>
        }).paths.map(({ method, path }) => `${method} ${path}`)
        const documented = Object.entries(served.paths).flatMap(([path, methods]) =>
          Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
        )
        assert.sameMembers(documented, ["GET /", ...listed])
        assert.strictEqual(documented.includes("POST /feed"), isGuarded)
      }
    })))

  it.live("every answer has the schema that it states, refusals included", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched({
        verification: Effect.succeed(JSON.stringify({ violations: [] }))
      })
      const check = answerChecker((yield* ask(admin, "/openapi.json")).json)
      for (
        const path of [
          "/",
          "/livez",
          "/readyz",
          "/metrics",
          "/openapi.json",
          "/schemas/feed.json",
          "/verification"
        ]
      ) check("get", path, yield* ask(admin, path))
      check("get", "/feed", yield* ask(admin, "/feed"))
      check("get", "/feed", yield* get(admin, "/feed"))
      const [block, ...others] = records
      check("post", "/feed", yield* post(admin, "/feed", linesOf(block!)))
      check("post", "/feed", yield* post(admin, "/feed", linesOf(...others.slice(5, 7))))
      const heads = [...withHeads([block!])].slice(1)
      assert.isAbove(heads.length, 0)
      check("post", "/feed", yield* post(admin, "/feed", linesOf(...heads)))
      check("get", "/feed", yield* get(admin, "/feed"))
      check("post", "/feed", yield* post(admin, "/feed", `{"kind":"block"}`))
      check("post", "/feed", yield* post(admin, "/feed", "not JSON"))
      check(
        "post",
        "/feed",
        yield* post(admin, "/feed", linesOf({ kind: "rollBack", toBlock: 1n }))
      )
      check(
        "post",
        "/feed",
        yield* post(admin, "/feed", linesOf(block!), { "feed-after": `0x${"0".repeat(64)}` })
      )
      check("post", "/feed", yield* post(admin, "/feed", "{}", { "content-type": "text/plain" }))
      check(
        "post",
        "/pool",
        yield* post(admin, "/pool", `{"kind":"reconcile"}\n{"kind":"select","maxTransactions":5}`)
      )
      check("post", "/pool", yield* post(admin, "/pool", `{"kind":"select"}`))
      check("get", "/pool/{id}", yield* get(admin, `/pool/0x${"0".repeat(66)}`))
      check(
        "post",
        "/pool",
        yield* ask(admin, "/pool", { method: "POST", headers: { authorization: `Basic ${token}` } })
      )
    })))
})

describe("the JSON Schema of the feed", () => {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(feedJsonSchema())
  const isAccepted = (line: string) => readFeedLine(line)._tag === "Success"

  it.live("is served by the listener", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const answer = yield* ask(admin, "/schemas/feed.json")
      assert.strictEqual(answer.headers.get("content-type"), "application/schema+json")
      assert.deepStrictEqual(answer.json, JSON.parse(JSON.stringify(feedJsonSchema())))
    })))

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
    const samples = [
      JSON.parse(writeFeedLine({ kind: "genesis", genesis })),
      JSON.parse(writeFeedLine({ kind: "rollBack", toBlock: 5n })),
      ...Array.from(withHeads(records), (record) => JSON.parse(writeFeedLine(record)))
    ] as ReadonlyArray<object>
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
    for (const [at, sample] of samples.entries()) {
      for (const path of pathsOf(sample)) {
        const place = path.join("/").replaceAll(/\/\d+(?=\/|$)/gu, "/*")
        if (seen.has(place)) continue
        seen.add(place)
        for (const [i, change] of changes.entries()) {
          const changed = structuredClone(sample)
          const parent = path.slice(0, -1).reduce<Record<string, unknown>>(
            (value, key) => value[key] as Record<string, unknown>,
            changed as Record<string, unknown>
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
            `sample ${at}, ${path.join("/")}, change ${i}: ${JSON.stringify(validate.errors)}`
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
