import { assert, describe, it, layer } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect, Result, Schema, SchemaAST } from "effect"
import { createHash } from "node:crypto"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { exactJson, openApi } from "../../adapters/http/mod.ts"
import {
  answerShape,
  type Body,
  bodyReader,
  later,
  propertiesOf,
  readOperationsOf,
  revisionList,
  wireContext,
  writeOperationsOf,
  wireSchema
} from "../../core/contract/mod.ts"
import type { JsonSchema } from "../fuzz/_document.ts"
import { mountOf } from "../_mounts.ts"
import { genesis } from "../use_cases/_network.ts"
import { application, ask, context } from "./_application.ts"

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
    readonly schemas: { readonly [name: string]: JsonSchema }
  }
}

const documentOf = (revision: typeof later, of = context) =>
  JSON.parse(
    exactJson(openApi({ revision, context: of, path: revision.path }))
  ) as Document
const parameter = (document: Document, path: string, name: string) =>
  document.paths[path]!.get.parameters.find((each) => each.name === name)

/** Returns the required properties of the objects in a type of the contract, by the object. */
const requiredIn = (
  ast: SchemaAST.AST
): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(requiredIn)
  if (SchemaAST.isArrays(ast)) return ast.rest.flatMap(requiredIn)
  if (!SchemaAST.isObjects(ast)) return []
  const properties = propertiesOf(ast)
  const required = properties.filter(({ isOptional }) => !isOptional)
  return [
    [String(SchemaAST.resolve(ast)?.identifier), required.map(({ name }) => context.name(name))],
    ...properties.flatMap(({ type }) => requiredIn(type))
  ]
}

/** Returns the names of the components that a part of a document refers to, directly or not. */
const referredBy = (part: unknown, { schemas }: Document["components"]): ReadonlySet<string> => {
  const names = new Set<string>()
  const follow = (each: unknown): void => {
    for (const [, name] of JSON.stringify(each).matchAll(/#\/components\/schemas\/(\w+)/gu)) {
      if (names.has(name!)) continue
      names.add(name!)
      follow(schemas[name!])
    }
  }
  follow(part)
  return names
}

describe("the OpenAPI document", () => {
  for (const revision of revisionList) {
    it(`of revision ${revision.name} requires the properties of answers that the contract does not declare as optional`, () => {
      const { components, paths } = documentOf(revision)
      const answers = readOperationsOf(revision).map(([, each]) => answerShape(each, revision))
      const required = new Map(answers.flatMap(({ schema }) => requiredIn(schema.ast)))
      const shown = Object.values(paths).map(({ get }) => get?.responses["200"] ?? {})
      const names = referredBy(shown, components)
      assert.isAbove(names.size, 30)
      for (const name of names) {
        const { properties, required: found, type } = components.schemas[name]!
        if (type === "array") continue
        assert.deepStrictEqual(found, required.get(name), name)
        assert.includeMembers(Object.keys(properties!), found as Array<string>)
      }
    })

    it(`of revision ${revision.name} is valid OpenAPI 3.1`, async () => {
      const validator = new Validator()
      const { valid, errors } = await validator.validate({ ...documentOf(revision) })
      assert.isTrue(valid, JSON.stringify(errors))
      assert.strictEqual(validator.version, "3.1")
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
  }

  it("uses the names of the network", () => {
    const other = documentOf(later, wireContext({ ...genesis.network, prefix: "hez" }, keccak256))
    assert.property(other.paths, "/account-creation-authorization/{hezEthereumAddress}")
    assert.isDefined(parameter(other, "/accounts", "hezEthereumAddress"))
    assert.notMatch(JSON.stringify(other), /\bzk[A-Z:]/u)
  })
})

layer(application())("the served documentation", (it) => {
  it.effect("declares lists in queries as arrays joined with commas, which the server accepts", () =>
    Effect.gen(function*() {
      for (const revision of revisionList) {
        const mount = mountOf(revision)
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
