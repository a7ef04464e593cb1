import { assert, describe, it, layer } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect, Result, Schema } from "effect"
import { createHash } from "node:crypto"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { exactJson, openApi } from "../../adapters/http/mod.ts"
import {
  answerShape,
  type Body,
  bodyReader,
  later,
  queryReader,
  readOperationsOf,
  revisionList,
  scalars,
  wireContext,
  writeOperationsOf,
  wireForm,
  wireSchema
} from "../../core/contract/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import { application, ask, context, jsonOf } from "./_application.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description: string
  readonly style?: string
  readonly explode?: boolean
  readonly schema: { readonly [key: string]: unknown }
}
interface Operation {
  readonly operationId: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly responses: {
    readonly 200: {
      readonly content: { readonly "application/json": { readonly example: unknown } }
    }
  }
}
interface WriteOperation {
  readonly operationId: string
  readonly requestBody: {
    readonly content: {
      readonly "application/json": {
        readonly examples: { readonly [name: string]: { readonly value: unknown } }
      }
    }
  }
}
interface Document {
  readonly openapi: string
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: {
    readonly [path: string]: {
      readonly get: Operation
      readonly post?: WriteOperation
      readonly put?: WriteOperation
    }
  }
  readonly components: {
    readonly schemas: { readonly [name: string]: { readonly properties: object } }
  }
}

const documentOf = (revision: typeof later, of = context) =>
  JSON.parse(
    exactJson(openApi({ revision, context: of, path: revision.path }))
  ) as Document
const parameter = (document: Document, path: string, name: string) =>
  document.paths[path]!.get.parameters.find((each) => each.name === name)

describe("the OpenAPI document", () => {
  for (const revision of revisionList) {
    it(`of revision ${revision.name} is valid OpenAPI 3.1`, async () => {
      const validator = new Validator()
      const { valid, errors } = await validator.validate({ ...documentOf(revision) })
      assert.isTrue(valid, JSON.stringify(errors))
      assert.strictEqual(validator.version, "3.1")
    })

    it(`of revision ${revision.name} has every operation, and every reference in it resolves`, () => {
      const document = documentOf(revision)
      const ids = Object.values(document.paths).flatMap(({ get, post, put }) =>
        [get as Operation | undefined, post, put].flatMap((operation) =>
          operation?.operationId ?? []
        )
      )
      assert.sameMembers(ids, [
        ...readOperationsOf(revision).map(([id]) => id),
        ...writeOperationsOf(revision).map(([id]) => id)
      ])
      for (const [, pointer] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/gu)) {
        let at: unknown = document
        for (const key of pointer!.split("/")) at = (at as { readonly [key: string]: unknown })[key]
        assert.isObject(at, pointer)
      }
    })

    it(`of revision ${revision.name} allows the account indexes that the server accepts; their bound is in the description`, () => {
      const { schema } = parameter(
        documentOf(revision),
        "/accounts/{accountIndex}",
        "accountIndex"
      )!
      const pattern = new RegExp(String(schema.pattern), "u")
      for (
        const text of [
          "zk:ETH:256",
          "zk:ETH:0",
          "zk:é x:281474976710655",
          "zk::256",
          "zk:ETH:",
          "zk:ETH:01",
          "zk:A:B:1",
          "zk256",
          "xy:ETH:256",
          "zk:ETH:1x"
        ]
      ) {
        assert.strictEqual(
          pattern.test(text),
          Result.isSuccess(wireForm(scalars.accountIndex).decode(context)(text)),
          text
        )
      }
      assert.include(schema.description, "at most 281474976710655")
    })

    it(`of revision ${revision.name} has an example of every answer, which the contract accepts`, () => {
      const { paths } = documentOf(revision)
      for (const [id, operation] of readOperationsOf(revision)) {
        const { get } = Object.values(paths).find((path) =>
          (path.get as Operation | undefined)?.operationId === id
        )!
        const shown = answerShape(operation, revision)
        const { example } = get.responses["200"].content["application/json"]
        Schema.decodeUnknownSync(wireSchema(shown.schema, context))(example, {
          onExcessProperty: "error"
        })
      }
    })

    it(`of revision ${revision.name} has examples of every body, which the server accepts`, () => {
      const other = wireContext({ ...genesis.network, prefix: "hez" }, keccak256)
      for (const each of [context, other]) {
        for (const [, operation] of writeOperationsOf(revision)) {
          const { post, put } = documentOf(revision, each).paths[operation.path]!
          const { requestBody } = operation.method === "PUT" ? put! : post!
          const examples = Object.values(requestBody.content["application/json"].examples)
          assert.isNotEmpty(examples)
          for (const { value } of examples) {
            assert.isTrue(
              Result.isSuccess(
                bodyReader(revision.bodies[operation.body] as Body<unknown>, each)(
                  JSON.stringify(value)
                )
              )
            )
          }
        }
      }
    })

    it(`of revision ${revision.name} declares exactly the parameters that the server accepts`, () => {
      const document = documentOf(revision)
      const names = document.paths["/slots"]!.get.parameters.flatMap((each) =>
        each.in === "query" ? [each.name] : []
      )
      const read = queryReader("slots", revision, context, [revision])
      for (const name of names) {
        const refused = read(`${name}=%00`)
        assert.isTrue(
          Result.isFailure(refused) &&
            refused.failure.every(({ rule }) => rule !== "a known parameter"),
          name
        )
      }
      assert.strictEqual(
        Result.isFailure(read("another=1")),
        revision.requestRules.unknownParameters === "refused"
      )
    })
  }

  it("writes bounds above 2^53 with all their digits", () => {
    assert.match(
      exactJson(openApi({ revision: later, context, path: "/" })),
      /"maximum":18446744073709551615[,}]/u
    )
    assert.strictEqual(
      exactJson({ a: [1n, null, '\u2028é"', true], b: undefined, c: 2n ** 64n }),
      '{"a":[1,null,"\u2028é\\"",true],"c":18446744073709551616}'
    )
  })

  it("uses the names of the network", () => {
    const other = documentOf(later, wireContext({ ...genesis.network, prefix: "hez" }, keccak256))
    assert.property(other.paths, "/account-creation-authorization/{hezEthereumAddress}")
    assert.isDefined(parameter(other, "/accounts", "hezEthereumAddress"))
    assert.notMatch(JSON.stringify(other), /\bzk[A-Z:]/u)
  })
})

layer(application())("the served documentation", (it) => {
  it.effect("is served at the mount of its revision, and at the default mount by header", () =>
    Effect.gen(function*() {
      for (
        const [path, revision, headers] of [["/openapi.json", "later", {}], [
          "/earlier/openapi.json",
          "earlier",
          {}
        ], ["/openapi.json", "earlier", { "api-revision": "earlier" }]] as const
      ) {
        const answer = yield* ask(path, { headers })
        assert.strictEqual((jsonOf(answer) as { info: { version: string } }).info.version, revision)
        assert.strictEqual(answer.headers["api-revision"], revision)
      }
    }))

  it.effect("declares lists in queries as arrays joined with commas, which the server accepts", () =>
    Effect.gen(function*() {
      for (const revision of revisionList) {
        const mount = revision.path === "/" ? "" : revision.path
        const names: Array<string> = []
        for (const [path, { get }] of Object.entries(documentOf(revision).paths)) {
          for (const { explode, name, schema, style } of get?.parameters ?? []) {
            // a reference has no schema of its own
            if (schema?.type !== "array") continue
            names.push(name)
            assert.deepStrictEqual([style, explode], ["form", false], name)
            const [example] = schema.examples as ReadonlyArray<ReadonlyArray<unknown>>
            const items = schema.items as { readonly type: string }
            for (const item of example!) {
              assert.strictEqual(typeof item, items.type === "integer" ? "number" : "string")
            }
            const { body, status } = yield* ask(`${mount}${path}?${name}=${example!.join(",")}`)
            // an unknown token of the example is not found, which only a readable list can be
            assert.include([200, 404], status, String(body))
          }
        }
        assert.includeMembers(names, ["ids", "symbols", "tokenIds"], revision.name)
      }
      assert.strictEqual((yield* ask("/tokens?ids=0,1&symbols=ETH")).status, 200)
    }))

  it.effect("the documentation page is self-contained, and its policy allows only its own scripts", () =>
    Effect.gen(function*() {
      const { body, headers } = yield* ask("/earlier/docs")
      const html = new TextDecoder().decode(body as Uint8Array)
      assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
      const scripts = Array.from(html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/gu))
      const hashes = scripts.map(([, , text]) =>
        `'sha256-${createHash("sha256").update(text!).digest("base64")}'`
      )
      assert.isAbove(hashes.length, 0)
      assert.deepStrictEqual(scripts.map(([, attributes]) => attributes), hashes.map(() => ""))
      const policy = headers["content-security-policy"]!.split("; ")
      assert.deepStrictEqual(policy.slice(0, 2), [
        "default-src 'none'",
        `script-src ${hashes.join(" ")}`
      ])
      assert.include(policy, "connect-src 'self'")
      assert.notMatch(html.slice(0, html.indexOf("<script>")), /\s(?:src|href)=/u)
      assert.match(
        html,
        /"withDefaultFonts":false,"telemetry":false,"showDeveloperTools":"never","hideClientButton":true/u
      )
      assert.include(html, "maxSlothNum")
      assert.include(html, "maximum 18446744073709551615")
    }))
})
