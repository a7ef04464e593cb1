import { Schema, Struct } from "effect"
import type { CompressionOptions, HttpLimits } from "../../adapters/http/mod.ts"
import type { ServerLimits } from "../../adapters/http/node/mod.ts"
import {
  CurrencyPriceList,
  GenesisFeed,
  type Monitor,
  revisionList,
  values
} from "../../core/mod.ts"
import { object, optional, read, withoutUndefined } from "./_decode.ts"
import type { EmbedOptions, ListenOptions } from "./options.ts"
import { readGenesis } from "./read_record.ts"

/** The options of a node, with the genesis in memory. */
type CheckedOptions = Omit<EmbedOptions, "genesis"> & { readonly genesis: GenesisFeed }

/** Returns a copy of the options of a node. Throws a `NodeError` with all violations. */
export const readOptions = (input: unknown): CheckedOptions => {
  const named = typeof input === "object" && input !== null && "genesis" in input
    ? { ...input, genesis: readGenesis(input.genesis) }
    : input
  return withoutUndefined(read(optionsSchema(named), named, "Argument options")) as CheckedOptions
}

/** Returns a copy of the options of a server. Throws a `NodeError` with all violations. */
export const readListenOptions = (input: unknown): ListenOptions =>
  withoutUndefined(read(listenOptions, input, "Argument options")) as ListenOptions

const count = values.safeInteger
const timeMs = values.integer(0, 3_600_000)

const stores = {
  memory: object({ memory: Schema.Literal(true).annotate({ expected: "true" }) }),
  directory: object({
    directory: values.filledText,
    checkpointBytes: optional(count),
    closingMs: optional(timeMs),
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
    pairReadsMax: optional(values.integer(1, 10_000)),
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
    refusalDelayMaxMs: optional(values.quantity),
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
      recommendedFeeUSD: optional(values.quantity),
      pendingMax: optional(count),
      pendingPerAccountMax: optional(count),
      currencies: optional(CurrencyPriceList),
      mounts: optional(mounts),
      limits: optional(httpLimits),
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
