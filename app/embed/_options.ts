import { Record, Result, Schema, Struct } from "effect"
import * as IpInterface from "effect/net/IpInterface"
import {
  type CompressionOptions,
  type ContentCoding,
  defaultLimits
} from "../../adapters/http/mod.ts"
import type { ServerLimits } from "../../adapters/http/node/mod.ts"
import {
  CurrencyPriceList,
  GenesisFeed,
  type Monitor,
  revisionList,
  values
} from "../../core/mod.ts"
import { optional } from "../../core/contract/mod.ts"
import {
  type DatabaseStore,
  type DirectoryStore,
  type MemoryStore,
  withoutUndefined
} from "../node/mod.ts"
import { object, read } from "./_inputs.ts"
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
const positiveMs = values.integer(1, 3_600_000)

/** Returns the schema of a value that a function checks. `rule` completes "expected ". */
const schemaOf = (rule: string, holds: (value: never) => boolean) =>
  Schema.Any.check(Schema.makeFilter((value) => holds(value as never) || `Expected ${rule}`))
const callback = schemaOf("a function", (input) => typeof input === "function")

type Named<T> = { readonly [Name in keyof T]-?: unknown }

const stores = {
  memory: { memory: Schema.Literal(true).annotate({ expected: "true" }) },
  directory: {
    directory: values.filledText,
    checkpointBytes: optional(count),
    closingMs: optional(timeMs),
    onProgress: optional(callback),
    poolHistoryMs: optional(count)
  },
  database: {
    database: values.filledText,
    replica: optional(values.filledText),
    lease: optional(object({
      termMs: optional(positiveMs),
      heartbeatMs: optional(positiveMs),
      waits: optional(values.boolean),
      holder: optional(values.filledText)
    })),
    applicationName: optional(values.filledText),
    maxConnections: optional(values.integer(4, 10_000)),
    statementTimeoutMs: optional(timeMs),
    queueWaitMs: optional(timeMs),
    pairReadsMax: optional(values.integer(1, 10_000)),
    connectTimeoutMs: optional(timeMs),
    waitMs: optional(timeMs),
    idleTransactionMs: optional(timeMs)
  }
} satisfies {
  readonly memory: Named<MemoryStore>
  readonly directory: Named<DirectoryStore>
  readonly database: Named<DatabaseStore>
}
/** Returns the schema of the store that the options name. */
const storeSchema = (input: unknown): Schema.Codec<unknown> => {
  const store = Object(Object(input).store) as object
  const kind = Struct.keys(stores).find((kind) => kind in store)
  return kind === undefined ? noStore : object(stores[kind])
}
const noStore = schemaOf("{ memory: true }, { directory } or { database }", () => false)

const httpLimits = object(Record.map(defaultLimits, () => optional(count)))
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
    trustedProxies: optional(Schema.Array(schemaOf(
      "an address or a network, such as 10.0.0.0/8",
      (text) => Result.isSuccess(IpInterface.fromString(String(text).trim()))
    )))
  } satisfies Named<ServerLimits>
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
      typeof (input.bytesMin ?? 0) === "number" &&
      input.codings.every((coding: Partial<ContentCoding> | null) =>
        typeof coding?.name === "string" && typeof coding.compress === "function"
      ))
)
const telemetry = schemaOf("an object", (input) => typeof input === "object" && input !== null)
const monitor = schemaOf(
  "a monitor, such as that of openMonitor",
  (input: Partial<Monitor> | null) => typeof input?.measure === "function"
)
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
      log: optional(callback),
      signal: optional(signal)
    } satisfies Named<EmbedOptions>
  ).check(Schema.makeFilter(({ maxFeeUSD = Infinity, minFeeUSD = 0 }) =>
    minFeeUSD <= maxFeeUSD || { path: ["minFeeUSD"], issue: "Expected at most maxFeeUSD" }
  ))
const listenOptions = object({
  port: values.integer(0, 65_535),
  host: optional(values.filledText),
  shutdownTimeoutMs: optional(timeMs),
  limits: optional(serverLimits)
})
