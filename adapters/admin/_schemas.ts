import { Schema } from "effect"
import { FeedRecord, type JsonSchema } from "../../core/mod.ts"
import { problemSchema, problemType } from "../http/mod.ts"
import { PoolCommand } from "./_pool_commands.ts"
import { refusals } from "./_reply.ts"

/* The schemas of the answers of the admin listener, as components of its OpenAPI document. */

const integer: JsonSchema = { type: "integer", minimum: 0 }
const text = (description: string): JsonSchema => ({ type: "string", description })
const object = (properties: { readonly [name: string]: JsonSchema }): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties)
})
const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] })

/** The members that answers to a posted feed have, refusals included. */
const feedCounts = {
  records: { ...integer, description: "Records of the body that the ledger holds now" },
  applied: { ...integer, description: "Records that changed the ledger" },
  held: {
    ...integer,
    description: "Records that changed nothing: the ledger held them, or newer prices"
  },
  heldLines: {
    type: "array",
    description: "Their lines",
    items: object({ from: integer, to: { ...integer, description: "Inclusive" } })
  }
}

type Schemas = { readonly [name: string]: JsonSchema }

const properties = problemSchema.properties as Schemas
const fault = properties.errors!.items as JsonSchema

const answerSchemas: { readonly [name: string]: JsonSchema } = {
  Index: object({
    paths: {
      type: "array",
      items: object({ method: text("GET or POST"), path: text("Path"), doc: text("Meaning") })
    }
  }),
  Alive: object({ state: { type: "string", enum: ["ok"] } }),
  Readiness: object({
    state: {
      type: "string",
      enum: ["starting", "stopping", "ok", "degraded", "failing"]
    },
    checks: {
      type: "object",
      description: "By name: ledger, journal, database, migrations, writer",
      additionalProperties: {
        type: "object",
        properties: {
          state: { type: "string", enum: ["ok", "degraded", "failing"] },
          detail: text("The reason, in one sentence")
        },
        required: ["state"]
      }
    }
  }),
  Verification: { type: "object", description: "The result of verify --json" },
  LastBlock: object({
    block: object({
      number: text("In decimal digits"),
      hash: text("0x and 64 lower-case hexadecimal digits"),
      timestampMs: integer
    }),
    head: orNull({
      ...reference("HeadFeed"),
      description: "The last head; null before the first one, or after a rollback below it"
    }),
    batchNum: orNull({ ...integer, description: "The last batch; null before the first one" }),
    version: { ...integer, description: "Increases with every write" }
  }),
  FeedReport: object({ ...feedCounts, ledger: orNull(reference("LastBlock")) }),
  PoolResults: object({
    results: {
      type: "array",
      description: "One result for each line: the result of the method of this name",
      items: {
        type: "object",
        properties: { line: { ...integer, minimum: 1 }, kind: text("The kind of the command") },
        required: ["line", "kind"]
      }
    }
  }),
  PoolTransaction: object({
    transaction: { type: ["object", "null"], description: "Null if the pool has dropped it" },
    transitions: { type: "array", items: { type: "object" } },
    passedOver: {
      type: ["object", "null"],
      description: "Why the last selection passed it over; null if it did not"
    }
  }),
  Problem: {
    ...problemSchema,
    properties: {
      ...properties,
      type: { ...properties.type, enum: Object.keys(refusals).map(problemType) },
      line: { ...integer, description: "Line of the body that is refused, from 1" },
      ...feedCounts,
      ledger: reference("LastBlock"),
      results: {
        type: "array",
        description: "Results of the pool commands before the refused one"
      },
      errors: {
        ...properties.errors,
        items: {
          ...fault,
          properties: {
            ...fault.properties as Schemas,
            line: { ...integer, minimum: 1 },
            invariant: text("The invariant of the ledger, if one is violated")
          }
        }
      }
    }
  }
}

/** Returns the schemas of the lines that clients post, and of the answers, by name. */
export const adminSchemas = (): { readonly [name: string]: JsonSchema } => {
  const lines = [FeedRecord, PoolCommand].map((schema) =>
    Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }).definitions
  )
  const inComponents = JSON.parse(
    JSON.stringify(Object.assign({}, ...lines)).replaceAll(
      '"#/$defs/',
      '"#/components/schemas/'
    )
  ) as { readonly [name: string]: JsonSchema }
  return { ...inComponents, ...answerSchemas }
}
