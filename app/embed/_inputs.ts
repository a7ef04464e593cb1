import { Array, Result, Schema } from "effect"
import {
  authorizationObject,
  bodies,
  decodeAll,
  optional,
  propertiesOf,
  shownValue,
  transactionObject
} from "../../core/contract/mod.ts"
import {
  type CurrencyPrice,
  CurrencyPriceList,
  localName,
  type Network,
  type PostedAuthorization,
  type PostedGroup,
  type PostedTransaction,
  scalar,
  SubmissionRefused,
  values
} from "../../core/mod.ts"
import type { HttpRequest } from "../../adapters/http/mod.ts"
import { withoutUndefined } from "../node/mod.ts"
import { badInput, type NodeError } from "./node_error.ts"

/*
 * Decodes the arguments of the methods of an embedded node. The values are those of the scalars of
 * the HTTP interface, and of the feed. Each function returns a copy, and throws a `NodeError` with all
 * violations.
 */

/** Returns a copy of an input. Throws a `NodeError` with all violations. */
export const read = <T, E>(schema: Schema.Codec<T, E>, input: unknown, title: string): T => {
  const decoded = decodeAll(schema, input, title)
  if (Result.isSuccess(decoded)) return decoded.success
  throw badInput(decoded.failure)
}

export const object = <const F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct(fields).annotate({ expected: `an object of ${Object.keys(fields).join(", ")}` })

const { batchNum, transactionId: id } = scalar
const ids = values.listOf(id)
/** Ids, or transactions as they were selected. */
const selected = Schema.Array(
  Schema.Union([id, Schema.Struct({ id, signature: scalar.signature })]).annotate({
    expected: `${values.ruleOf(id)}, or an object of id, signature`
  })
)

const transactionFields = {
  ...transactionObject.fields,
  maxNumBatch: optional(batchNum)
}
const transaction = object(transactionFields)
const group = object({
  id: scalar.groupId,
  transactions: Schema.Array(
    object({ ...transactionFields, requestOffset: values.integer(1, 7) })
  )
})
const authorization = object(authorizationObject.fields)

export const readTransaction = (input: unknown): PostedTransaction =>
  withoutUndefined(read(transaction, input, "Argument transaction"))

export const readGroup = (input: unknown): PostedGroup => {
  const { id, transactions } = read(group, input, "Argument group")
  return { id, transactions: transactions.map(withoutUndefined) }
}

export const readAuthorization = (input: unknown): PostedAuthorization =>
  read(authorization, input, "Argument authorization")

/** Checks that a request has method, url and headers. Throws a `NodeError`. */
export const checkRequest = (request: Partial<HttpRequest | Request> | null | undefined): void => {
  const { headers, method, url } = request ?? {}
  if ([method, url].every((each) => typeof each === "string") && Object(headers) === headers) return
  throw invalidArgument("request", request, "a Request, such as new Request(url)")
}

/** Checks a listener. Throws a `NodeError`. */
export const checkListener = (listener: unknown): void => {
  if (typeof listener !== "function") throw invalidArgument("listener", listener, "a function")
}

const invalidArgument = (name: string, input: unknown, rule: string): NodeError => {
  const value = input === undefined ? null : shownValue(input)
  const message = value === null
    ? `Argument ${name} is missing: expected ${rule}`
    : `Argument ${name} has the invalid value ${value}: expected ${rule}`
  return badInput([{ path: "", value, rule, message }])
}

export const readCurrencies = (input: unknown): ReadonlyArray<CurrencyPrice> =>
  read(CurrencyPriceList, input, "Argument prices")

/** The parameters of the methods of the pool, by name. */
const poolParameters: { readonly [method: string]: Schema.Codec<unknown> } = {
  select: object({
    maxTransactions: values.integer(1, 65_536),
    maxNewAccounts: optional(values.integer(0, 65_536)),
    accounts: optional(Schema.Array(object({
      index: scalar.accountIndex,
      tokenId: scalar.tokenId,
      batchNum,
      publicKey: scalar.publicKey,
      address: scalar.ethereumAddress,
      nonce: scalar.nonce,
      balance: scalar.amount
    })))
  }),
  purge: object({
    ttlMs: values.safeInteger,
    currentBatch: batchNum,
    safetyPeriodBatches: batchNum,
    capacity: values.safeInteger
  }),
  startForging: object({ selected, batchNum }),
  doneForging: object({ ids, batchNum }),
  invalidate: object({
    transactions: Schema.Array(object({ id, reason: values.filledText })),
    batchNum
  }),
  invalidateOldNonces: object({
    nonces: Schema.Array(object({
      index: scalar.accountIndex,
      nonce: scalar.nonce
    })),
    batchNum
  }),
  rollBack: object({ lastValidBatch: batchNum }),
  remove: object({ ids, reason: values.filledText }),
  transaction: object({ id }),
  transitions: object({ id }),
  skippedTransaction: object({ id })
} satisfies { readonly [method: string]: Schema.Struct<Schema.Struct.Fields> }
/** The methods whose only parameter is the object itself. */
const takesObject = new Set(["select", "purge"])

/**
 * Returns copies of the arguments of a method of the pool. Throws a `NodeError` with all
 * violations.
 */
export const readPoolArguments = (
  method: string,
  input: ReadonlyArray<unknown>
): ReadonlyArray<unknown> => {
  const schema = poolParameters[method]
  if (schema === undefined) return []
  if (takesObject.has(method)) return [read(schema, input[0], "Argument options")]
  const names = propertiesOf(schema.ast).map(({ path }) => path[0])
  const named = Object.fromEntries(names.map((name, i) => [name, input[i]]))
  return Object.values(read(schema, named, "The arguments") as object)
}

/**
 * Returns a function that replaces the names of the HTTP interface in a refusal by those of the
 * arguments.
 */
export const withArgumentNames = (network: Network) => {
  const names = new Map(
    [bodies.transaction, bodies.authorization, bodies.group].flatMap(({ schema }) =>
      propertiesOf(schema.ast).map(({ name, path }) => [localName(network, name), path.join("/")])
    )
  )
  return <E>(failure: E): E | SubmissionRefused =>
    failure instanceof SubmissionRefused
      ? new SubmissionRefused({
        faults: Array.map(failure.faults, (fault) => {
          const parentLength = fault.parameter.lastIndexOf("/") + 1
          const name = fault.parameter.slice(parentLength)
          const own = names.get(name)
          return own === undefined ? fault : {
            ...fault,
            parameter: fault.parameter.slice(0, parentLength) + own,
            message: fault.message.replace(`Property ${name} `, `Property ${own} `)
          }
        })
      })
      : failure
}
