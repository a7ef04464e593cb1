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

/** The headers of every answer. */
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
  "Ledger-Version": header("Grows with every applied block, batch, price and rollback", {
    type: "integer",
    minimum: 0
  })
}

const headerReferences = Object.fromEntries(
  Object.keys(responseHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }])
)

/** Of answers that a cache may keep. */
const validators = {
  ETag: header(
    "Names this very answer: send it as If-None-Match to learn whether it still is the one",
    { type: "string" }
  ),
  "Cache-Control": header("What a cache may do", { type: "string" })
}

/** What a post is answered with. */
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

/** @param component what is answered, and an example of it */
export const operationResponses = (
  { statuses }: Operation,
  component: string,
  example: unknown
) => ({
  200: {
    description: "What was asked for",
    headers: { ...headerReferences, ...validators },
    content: {
      "application/json": { schema: { $ref: `#/components/schemas/${component}` }, example }
    }
  },
  304: { description: "What If-None-Match names is still the answer", headers: validators },
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
    "The request breaks rules of the contract: all of them are listed",
    badInput(new BadInput({ faults: [fault] }))
  ),
  NotFound: refusal(
    "There is no such item, or a filter names what was never registered",
    notFound(new NotFound({ message: "There is no token with id 7" }))
  ),
  Internal: refusal("The server failed", internal),
  Unavailable: refusal("The server cannot answer for now", unavailable, {
    "Retry-After": header("Seconds after which to try again", { type: "integer", minimum: 0 })
  }),
  Refused: refusal(
    "What is refused whatever is asked for: 400 for an Api-Revision that there is not and for bytes that are no HTTP, 405 with Allow, 408, 413, 414, 415, 429 with Retry-After, 431",
    {
      name: "method-not-allowed",
      message: "The path does not have the method PUT: use one of GET, HEAD, OPTIONS"
    }
  )
}
