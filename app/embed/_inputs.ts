import { Formatter, Result, Schema, Struct } from "effect"
import type { CompressionOptions, HttpLimits } from "../../adapters/http/mod.ts"
import type { ServerLimits } from "../../adapters/http/node/mod.ts"
import {
  type CurrencyPrice,
  CurrencyPriceList,
  GenesisFeed,
  localName,
  type Monitor,
  type Network,
  type PostedAuthorization,
  type PostedGroup,
  type PostedTransaction,
  revisionList,
  scalar,
  SubmissionRefused,
  values
} from "../../core/mod.ts"
import type { EmbedOptions, ListenOptions } from "./node.ts"
import { badInput, type NodeError } from "./node_error.ts"
import { decodeAll, ruleOf } from "../violations.ts"

/*
 * Decodes the arguments of an embedded node. The values are those of the scalars of the HTTP
 * interface, and of the feed.
 */

/** Returns a copy of the input. Throws a `NodeError` with all violations. */
const read = <T>(schema: Schema.Codec<T>, input: unknown, title: string): T => {
  const decoded = decodeAll(schema, input, title)
  if (Result.isSuccess(decoded)) return decoded.success
  throw badInput(decoded.failure.violations, decoded.failure.cause)
}

const object = <const F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct(fields).annotate({ expected: `an object of ${Object.keys(fields).join(", ")}` })
const optional = <T>(schema: Schema.Codec<T>) =>
  Schema.optionalKey(Schema.UndefinedOr(schema).annotate({ expected: ruleOf(schema.ast) }))
/** Null, undefined and absent mean the same. */
const nullable = <T>(schema: Schema.Codec<T>) =>
  Schema.optionalKey(Schema.NullishOr(schema).annotate({ expected: ruleOf(schema.ast) }))

const { batchNum: { domain: batchNum }, transactionId: { domain: id } } = scalar
const ids = values.listOf(id)
const count = values.safeInteger
const timeMs = values.integer(0, 3_600_000)

const destination = {
  toAccountIndex: nullable(scalar.accountIndex.domain),
  toAddress: nullable(scalar.prefixedAddress.domain),
  toPublicKey: nullable(scalar.publicKey.domain)
}
const request = object({
  fromAccountIndex: nullable(scalar.accountIndex.domain),
  ...destination,
  tokenId: nullable(scalar.tokenId.domain),
  amount: nullable(scalar.amount.domain),
  fee: nullable(scalar.feeSelector.domain),
  nonce: nullable(scalar.nonce.domain)
})
const transactionFields = {
  id,
  type: scalar.poolTransactionType.domain,
  tokenId: scalar.tokenId.domain,
  fromAccountIndex: scalar.accountIndex.domain,
  ...destination,
  amount: scalar.amount.domain,
  fee: scalar.feeSelector.domain,
  nonce: scalar.nonce.domain,
  signature: scalar.signature.domain,
  request: nullable(request),
  maxNumBatch: optional(batchNum)
}
const transaction = object(transactionFields)
const group = object({
  id: scalar.groupId.domain,
  transactions: Schema.Array(
    object({ ...transactionFields, requestOffset: values.integer(1, 7) })
  )
})
const authorization = object({
  address: scalar.prefixedAddress.domain,
  publicKey: scalar.publicKey.domain,
  signature: scalar.ethSignature.domain
})

const noDestination = { toAccountIndex: null, toAddress: null, toPublicKey: null }
const noRequest = {
  fromAccountIndex: null,
  ...noDestination,
  tokenId: null,
  amount: null,
  fee: null,
  nonce: null
}

/** Returns a copy of a posted transaction. Throws a `NodeError` with all violations. */
export const readTransaction = (input: unknown): PostedTransaction =>
  withNulls(read(transaction, input, "Argument transaction"))

/** Returns a copy of a posted group. Throws a `NodeError` with all violations. */
export const readGroup = (input: unknown): PostedGroup => {
  const { id, transactions } = read(group, input, "Argument group")
  return { id, transactions: transactions.map(withNulls) }
}

/** Returns a transaction with null for each absent member that may be null. */
const withNulls = <T extends typeof transaction.Type>({ request, ...posted }: T) => ({
  ...noDestination,
  ...withoutUndefined(posted),
  request: request == null ? null : { ...noRequest, ...withoutUndefined(request) }
})

/** Returns a copy of a posted authorization. Throws a `NodeError` with all violations. */
export const readAuthorization = (input: unknown): PostedAuthorization =>
  read(authorization, input, "Argument authorization")

const stores = {
  memory: object({ memory: Schema.Literal(true).annotate({ expected: "true" }) }),
  directory: object({
    directory: values.filledText,
    checkpointBytes: optional(count),
    poolHistoryMs: optional(count)
  }),
  database: object({
    database: values.filledText,
    replica: optional(values.filledText),
    lease: optional(object({
      termMs: optional(timeMs),
      heartbeatMs: optional(timeMs),
      waits: optional(values.boolean),
      holder: optional(values.filledText)
    })),
    applicationName: optional(values.filledText),
    maxConnections: optional(values.integer(4, 10_000)),
    statementTimeoutMs: optional(timeMs),
    queueWaitMs: optional(timeMs),
    connectTimeoutMs: optional(timeMs),
    idleTransactionMs: optional(timeMs)
  })
}
/** Returns the schema of the store that the options name. */
const storeSchema = (input: unknown): Schema.Codec<unknown> => {
  const store = Object(Object(input).store) as object
  const kind = Struct.keys(stores).find((kind) => kind in store)
  return kind === undefined ? noStore : stores[kind]
}
/** Returns the schema of a value that a function checks. `rule` completes "expected ". */
const schemaOf = (rule: string, holds: (value: never) => boolean) =>
  Schema.Any.check(Schema.makeFilter((value) => holds(value as never) || `Expected ${rule}`))
const noStore = schemaOf("{ memory: true }, { directory } or { database }", () => false)

const httpLimits = object(
  {
    urlBytesMax: optional(count),
    headerBytesMax: optional(count),
    bodyBytesMax: optional(count),
    jsonDepthMax: optional(count),
    listItemsMax: optional(count),
    requestsMax: optional(count)
  } satisfies { readonly [Name in keyof HttpLimits]: unknown }
)
const serverLimits = object(
  {
    connectionsMax: optional(count),
    headersTimeoutMs: optional(timeMs),
    requestTimeoutMs: optional(timeMs),
    idleTimeoutMs: optional(timeMs),
    sendTimeoutMs: optional(timeMs),
    unreadBytesMax: optional(count),
    queueDelayTargetMs: optional(values.quantity),
    ratePerSecondMax: optional(values.quantity),
    rateBurstMax: optional(count),
    rateAddressesMax: optional(count),
    trustedProxies: optional(Schema.Array(values.filledText))
  } satisfies { readonly [Name in keyof ServerLimits]: unknown }
)
const mounts = Schema.Array(object({
  path: schemaOf(
    "/, or a path such as /earlier",
    (path) => typeof path === "string" && /^(?:\/|(?:\/[\w.~-]+)+)$/u.test(path)
  ),
  revision: schemaOf(
    `one of the revisions ${revisionList.map(({ name }) => name).join(", ")}`,
    (revision) => revisionList.includes(revision)
  )
})).check(
  Schema.makeFilter((mounts) =>
    mounts.length > 0 &&
      [...Struct.keys(mounts[0]!)].every((key) =>
        new Set(mounts.map((mount) => mount[key])).size === mounts.length
      ) || "Expected at least one mount, and each path and each revision once"
  )
)
const compression = schemaOf(
  "false, or an object of codings and bytesMin",
  (input: CompressionOptions | false) =>
    input === false || (Array.isArray(input?.codings) &&
      input.codings.every(({ compress, name }) =>
        typeof name === "string" && typeof compress === "function"
      ))
)
const telemetry = schemaOf("an object", (input) => typeof input === "object" && input !== null)
const monitor = schemaOf(
  "a monitor, such as that of openMonitor",
  (input: Partial<Monitor> | null) => typeof input?.measure === "function"
)
const log = schemaOf("a function", (input) => typeof input === "function")
const signal = schemaOf("an AbortSignal", (input) => Object(input) instanceof AbortSignal)
const optionsSchema = (input: unknown) =>
  object(
    {
      genesis: Schema.toType(GenesisFeed),
      store: optional(storeSchema(input)),
      minFeeUSD: optional(values.quantity),
      maxFeeUSD: optional(values.quantity),
      pendingMax: optional(count),
      pendingPerAccountMax: optional(count),
      currencies: optional(CurrencyPriceList),
      mounts: optional(mounts),
      limits: optional(httpLimits),
      textsMax: optional(count),
      answersBytesMax: optional(count),
      compression: optional(compression),
      finalAfterBatches: optional(count),
      forgeDelaySeconds: optional(values.quantity),
      telemetry: optional(telemetry),
      verifierThreads: optional(values.integer(1, 1024)),
      checkStateRoots: optional(values.boolean),
      monitor: optional(monitor),
      log: optional(log),
      signal: optional(signal)
    } satisfies { readonly [Name in keyof EmbedOptions]-?: unknown }
  )
const listenOptions = object({
  port: values.integer(0, 65_535),
  host: optional(values.filledText),
  shutdownTimeoutMs: optional(timeMs),
  limits: optional(serverLimits)
})

/** Returns a copy of the options of a node. Throws a `NodeError` with all violations. */
export const readOptions = (input: unknown): EmbedOptions =>
  withoutUndefined(read(optionsSchema(input), input, "Argument options")) as EmbedOptions

/** Checks the request of a handler. Throws a `NodeError`. */
export const checkRequest = (request: Partial<Request> | null | undefined): void => {
  if (typeof request?.url === "string" && typeof request.headers === "object") return
  throw invalidArgument("request", request, "a Request, such as new Request(url)")
}

/** Checks a listener. Throws a `NodeError`. */
export const checkListener = (listener: unknown): void => {
  if (typeof listener !== "function") throw invalidArgument("listener", listener, "a function")
}

const invalidArgument = (name: string, input: unknown, rule: string): NodeError => {
  const value = input === undefined ? null : Formatter.format(input).slice(0, 200)
  const message = value === null
    ? `Argument ${name} is missing: expected ${rule}`
    : `Argument ${name} has the invalid value ${value}: expected ${rule}`
  return badInput([{ path: "", value, rule, message }])
}

/** Returns a copy of the options of a server. Throws a `NodeError` with all violations. */
export const readListenOptions = (input: unknown): ListenOptions =>
  withoutUndefined(read(listenOptions, input, "Argument options")) as ListenOptions

/** Returns a copy of the prices of currencies. Throws a `NodeError` with all violations. */
export const readCurrencies = (input: unknown): ReadonlyArray<CurrencyPrice> =>
  read(CurrencyPriceList, input, "Argument prices")

const withoutUndefined = <T extends object>(
  value: T
): { readonly [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never

/** The parameters of the methods of the pool, by name. */
const poolParameters: { readonly [method: string]: Schema.Codec<unknown> } = {
  select: object({
    maxTransactions: values.integer(1, 65_536),
    maxNewAccounts: optional(values.integer(0, 65_536)),
    accounts: optional(Schema.Array(object({
      index: scalar.accountIndex.domain,
      tokenId: scalar.tokenId.domain,
      batchNum,
      publicKey: scalar.publicKey.domain,
      address: scalar.ethereumAddress.domain,
      nonce: scalar.nonce.domain,
      balance: scalar.amount.domain
    })))
  }),
  purge: object({
    ttlMs: count,
    currentBatch: batchNum,
    safetyPeriodBatches: batchNum,
    capacity: count
  }),
  startForging: object({ ids, batchNum }),
  doneForging: object({ ids, batchNum }),
  invalidate: object({
    transactions: Schema.Array(object({ id, reason: values.filledText })),
    batchNum
  }),
  invalidateOldNonces: object({
    nonces: Schema.Array(object({
      index: scalar.accountIndex.domain,
      nonce: scalar.nonce.domain
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
  const names = Object.keys((schema as unknown as { fields: object }).fields)
  const named = Object.fromEntries(names.map((name, i) => [name, input[i]]))
  return Object.values(read(schema, named, "The arguments") as object)
}

const bodyNames = {
  atomicGroupId: "id",
  zkEthereumAddress: "address",
  bjj: "publicKey",
  toZkEthereumAddress: "toAddress",
  toBjj: "toPublicKey",
  requestFromAccountIndex: "request/fromAccountIndex",
  requestToAccountIndex: "request/toAccountIndex",
  requestToZkEthereumAddress: "request/toAddress",
  requestToBjj: "request/toPublicKey",
  requestTokenId: "request/tokenId",
  requestAmount: "request/amount",
  requestFee: "request/fee",
  requestNonce: "request/nonce"
}

/**
 * Returns a function that replaces the names of the HTTP interface in a refusal by those of the
 * arguments.
 */
export const withArgumentNames = (network: Network) => {
  const names = new Map(
    Object.entries(bodyNames).map(([name, own]) => [localName(network, name), own])
  )
  return <E>(failure: E): E | SubmissionRefused =>
    failure instanceof SubmissionRefused
      ? new SubmissionRefused({
        faults: failure.faults.map((fault) => {
          const parentLength = fault.parameter.lastIndexOf("/") + 1
          const name = fault.parameter.slice(parentLength)
          const own = names.get(name)
          return own === undefined ? fault : {
            ...fault,
            parameter: fault.parameter.slice(0, parentLength) + own,
            message: fault.message.replace(`Property ${name} `, `Property ${own} `)
          }
        }) as unknown as SubmissionRefused["faults"]
      })
      : failure
}
