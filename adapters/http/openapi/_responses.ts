import {
  BadInput,
  type InputFault,
  type Operation,
  scalars,
  type WireContext,
  type WriteOperation
} from "../../../core/contract/mod.ts"
import { NotFound } from "../../../core/use_cases/mod.ts"
import {
  badInput,
  internal,
  notFound,
  type Problem,
  problemJson,
  problems,
  unavailable
} from "../message/mod.ts"

const header = (description: string, schema: object) => ({ description, schema })

/** Components of the headers that every answer has. */
export const responseHeaders = {
  "Api-Revision": header("The revision that answered", { type: "string" }),
  "Ledger-Ethereum-Block": header("Last Ethereum block of the snapshot", {
    type: "integer",
    minimum: 0
  }),
  "Ledger-Batch": header("Last batch of the snapshot; missing before the first one", {
    type: "integer",
    minimum: 1
  }),
  "Ledger-Version": header("Increases with every applied block, batch, price and rollback", {
    type: "integer",
    minimum: 0
  })
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

/** Returns the responses of an operation with POST. */
export const writeResponses = ({ answer, statuses }: WriteOperation, context: WireContext) => {
  const schema = scalars.transactionId.jsonSchema(context)
  return {
    200: answer === "nothing"
      ? { description: "Accepted, with an empty body", headers: headerReferences }
      : {
        description: "Accepted: the identifier of the transaction",
        headers: headerReferences,
        content: {
          "application/json": { schema, example: (schema.examples as ReadonlyArray<unknown>)[0] }
        }
      },
    ...refusals(statuses)
  }
}

/**
 * Returns the responses of an operation with GET.
 *
 * @param component name of the schema of the answer
 * @param example an answer
 */
export const operationResponses = (
  { statuses }: Operation,
  component: string,
  example: unknown
) => ({
  200: {
    description: "The requested data",
    headers: { ...headerReferences, ...validators },
    content: {
      "application/json": { schema: { $ref: `#/components/schemas/${component}` }, example }
    }
  },
  304: { description: "The answer that If-None-Match names has not changed", headers: validators },
  ...refusals(statuses)
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

const refusal = (description: string, example: Problem, headers: object = {}) => ({
  description,
  headers: { ...headerReferences, ...headers },
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Problem" },
      examples: {
        refusal: {
          summary: problems[example.name].title,
          value: JSON.parse(problemJson(example, "/tokens?limt=5")) as unknown
        }
      }
    }
  }
})

export const problemResponses = {
  BadInput: refusal(
    "The request violates rules of the contract; the answer lists all of them",
    badInput(new BadInput({ faults: [fault] }))
  ),
  NotFound: refusal(
    "There is no such item, or a filter names an unregistered account, token or batch",
    notFound(new NotFound({ message: "There is no token with id 7" }))
  ),
  Internal: refusal("The server failed", internal),
  Unavailable: refusal("The server cannot answer for now", unavailable, {
    "Retry-After": header("Seconds after which the client may retry", {
      type: "integer",
      minimum: 0
    })
  }),
  Refused: refusal(
    "Any request can be refused: 400 for an unknown Api-Revision or malformed HTTP, 405 with Allow, 408, 413, 414, 415, 429 with Retry-After, 431",
    {
      name: "method-not-allowed",
      message: "The path does not have the method PUT: use one of GET, HEAD, OPTIONS"
    }
  )
}
