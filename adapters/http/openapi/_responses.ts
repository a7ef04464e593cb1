import { Record } from "effect"
import {
  type JsonSchema,
  jsonSchemaOf,
  BadInput,
  type InputFault,
  type Operation,
  type Revision,
  scalars,
  type WireContext,
  type WriteOperation
} from "../../../core/contract/mod.ts"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { NotFound, SubmissionConflict } from "../../../core/use_cases/mod.ts"
import { internal, type Problem, problemJson, problemOf, problems } from "../message/mod.ts"

type Schemas = { readonly [name: string]: JsonSchema }

/** Returns a function that builds an example of a component from the examples of its properties. */
export const exampleMaker = (schemas: Schemas) => {
  const example = (schema: JsonSchema): unknown => {
    if (typeof schema.$ref === "string") {
      return example(schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)]!)
    }
    const declared = (schema.examples ?? schema.enum ?? schema.anyOf) as
      | ReadonlyArray<unknown>
      | undefined
    if (declared !== undefined) {
      return schema.anyOf === undefined
        ? declared[0]
        : example(declared[0] as JsonSchema)
    }
    switch (Array.isArray(schema.type) ? schema.type[0] as unknown : schema.type) {
      case "object":
        return schema.properties === undefined
          ? { 0: example(schema.additionalProperties as JsonSchema) }
          : Record.map(schema.properties as Schemas, example)
      case "array":
        return Array.from(
          { length: Number(schema.minItems ?? 1) },
          () => example(schema.items as JsonSchema)
        )
      case "string":
        return "text"
      case "boolean":
        return false
      default:
        return schema.minimum ?? 0
    }
  }
  return (name: string): unknown => example(schemas[name]!)
}

/**
 * Returns a content in JSON.
 *
 * @param component name of its schema
 * @param examples more members, such as `example`
 */
export const jsonContent = (component: string, examples: object = {}) => ({
  "application/json": { schema: { $ref: `#/components/schemas/${component}` }, ...examples }
})

const header = (description: string, schema: object) => ({ description, schema })
const count = { type: "integer", minimum: 0 }

/** Components of the headers that every answer has. */
export const responseHeaders = {
  "Api-Revision": header("The revision that answered", { type: "string" }),
  "Ledger-Ethereum-Block": header("Ethereum block up to which the snapshot is synchronised", count),
  "Ledger-Batch": header("Last batch of the snapshot; missing before the first one", {
    type: "integer",
    minimum: 1
  }),
  "Ledger-Version": header("Increases with every applied block, batch, price and rollback", count)
}

const headerReferences = Object.fromEntries(
  Object.keys(responseHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }])
)

/** Headers of answers that may be cached. */
const validators = {
  ETag: header(
    "Identifies this answer: send it as If-None-Match to check whether the answer has changed",
    { type: "string" }
  ),
  "Cache-Control": header("Whether and how long caches may store the answer", { type: "string" })
}

/** Returns the responses of an operation with a body. */
export const writeResponses = (
  { answer }: WriteOperation,
  { authorizationAnswer, conflictStatus }: Revision,
  context: WireContext
) => {
  const id = jsonSchemaOf(scalars.transactionId, context)
  const [example] = id.examples as ReadonlyArray<unknown>
  const isList = answer === "transactionIds"
  return {
    200: answer === "nothing"
      ? authorizationAnswer === undefined
        ? { description: "Accepted, with an empty body", headers: headerReferences }
        : {
          description: "Accepted",
          headers: headerReferences,
          content: { "application/json": { schema: successSchema, example: { success: "OK" } } }
        }
      : {
        description: isList
          ? "Accepted: the identifiers of the transactions, in their order"
          : "Accepted: the identifier of the transaction",
        headers: headerReferences,
        content: {
          "application/json": isList
            ? { schema: { type: "array", items: id }, example: [example, example] }
            : { schema: id, example }
        }
      },
    ...refusals([400, 500]),
    ...conflictStatus === undefined
      ? {}
      : { [conflictStatus]: { $ref: "#/components/responses/Conflict" } }
  }
}

const successSchema: JsonSchema = {
  type: "object",
  properties: { success: { type: "string" } },
  required: ["success"],
  additionalProperties: false
}

/**
 * Returns the responses of an operation with GET.
 *
 * @param statuses declared statuses besides 200
 * @param component name of the schema of the answer
 * @param example an answer
 */
export const operationResponses = (
  statuses: Operation["statuses"],
  component: string,
  example: unknown
) => ({
  200: {
    description: "The requested data",
    headers: { ...headerReferences, ...validators },
    content: jsonContent(component, { example })
  },
  304: { description: "The answer that If-None-Match names has not changed", headers: validators },
  ...refusals(statuses)
})

/** Returns the response of a node that cannot answer; `component` is the name of its schema. */
export const unhealthyResponse = (component: string) => ({
  description: "A store does not answer",
  headers: headerReferences,
  content: jsonContent(component)
})

const refusals = (statuses: Operation["statuses"]) => ({
  ...Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${componentOf[status]}` }])
  ),
  503: { $ref: "#/components/responses/Unavailable" },
  default: { $ref: "#/components/responses/Refused" }
})

const componentOf = { 400: "BadInput", 404: "NotFound", 500: "Internal" } as const

const fault: InputFault = {
  in: "query",
  parameter: "limt",
  value: "5",
  rule: "a known parameter",
  message: 'Unknown parameter "limt": did you mean limit?',
  nearest: "limit"
}

const refusalOf =
  (revision: Revision) => (description: string, example: Problem, headers: object = {}) => ({
    description,
    headers: { ...headerReferences, ...headers },
    content: jsonContent("Problem", {
      examples: {
        refusal: {
          summary: problems[example.name].title,
          value: JSON.parse(problemJson(example, "/tokens?limt=5", revision)) as unknown
        }
      }
    })
  })

const conflict = problemOf(
  new SubmissionConflict({
    faults: [{
      in: "body",
      parameter: "/id",
      value: "0x029ad9be1d3ac91dd31359459ffedf39fc23f2765bfd0f576436529885ae23305d",
      rule: "an unused id",
      message: "Property id has the value of another stored transaction: expected an unused id"
    }]
  })
)

const unavailable = problemOf(new StoreFailure({ message: "", retry: true }))

/** Returns the responses of refused requests in a revision. */
export const problemResponses = (revision: Revision) => {
  const refusal = refusalOf(revision)
  return {
    BadInput: refusal(
      "The request violates rules of the contract; the answer lists all of them",
      problemOf(new BadInput({ faults: [fault] }))
    ),
    NotFound: refusal(
      "The item does not exist, or a filter names an unregistered account, token or batch",
      problemOf(new NotFound({ message: "There is no token with id 7" }))
    ),
    Internal: refusal("An internal error occurred", internal),
    Unavailable: refusal("The server is temporarily unavailable", unavailable, {
      "Retry-After": header("Seconds after which the client may retry", count)
    }),
    Refused: refusal(
      "Any request can be refused: 400 for an unknown Api-Revision or malformed HTTP, 405 with Allow, 408, 413, 414, 415, 429 with Retry-After, 431",
      {
        name: "method-not-allowed",
        message: "The path does not support the method PUT: use one of GET, HEAD, OPTIONS"
      }
    ),
    ...revision.conflictStatus === undefined ? {} : {
      Conflict: refusal("Other content is stored under the same identifier", conflict)
    }
  }
}
