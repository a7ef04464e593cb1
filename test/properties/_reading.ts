import { Cause, Effect, Exit, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import {
  type ReadOperationId,
  revisionList,
  type RevisionName,
  wireContext
} from "../../core/contract/mod.ts"
import type { CurrencyPrice, GenesisFeed, Network } from "../../core/domain/mod.ts"
import { CurrencyPrices, LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { type ReadFailure, readInterfaces, type ReadInterface } from "../../core/use_cases/mod.ts"

export type Pool = PoolStore["Service"]

/** The prices of currencies that `reading` shows. */
const currencyPrices: ReadonlyArray<CurrencyPrice> = [
  { currency: "EUR", unitsPerUSD: 0.84, timeMs: 1_622_505_600_000 },
  { currency: "JPY", unitsPerUSD: 110.25, timeMs: 1_622_505_600_001 }
]

/**
 * Opens all revisions over a ledger; the identity of the network may differ from that of the feed.
 */
export const reading = (
  { genesis, network = genesis.network, pool = openMemoryPool(), reader }: {
    readonly genesis: GenesisFeed
    readonly network?: Network
    readonly pool?: Pool
    readonly reader: LedgerReader["Service"]
  }
): Effect.Effect<{ readonly [N in RevisionName]: ReadInterface }> =>
  Effect.map(
    Effect.provide(
      readInterfaces({
        context: wireContext(network, keccak256),
        constants: genesis.constants,
        revisions: revisionList
      }),
      Layer.mergeAll(
        Layer.succeed(LedgerReader, reader),
        Layer.succeed(PoolStore, pool),
        Layer.succeed(CurrencyPrices, { current: Effect.succeed(currencyPrices) })
      )
    ),
    (faces) =>
      Object.fromEntries(faces.map((face) => [face.revision.name, face])) as {
        readonly [N in RevisionName]: ReadInterface
      }
  )

/**
 * The outcome of a request: an answer, a refusal, or an error that must not happen: a defect or a
 * failure of the store.
 */
export type Outcome = { readonly json: string } | {
  readonly refused: Exclude<ReadFailure["_tag"], "StoreFailure">
  readonly message: string
} | { readonly broken: string }

export const ask = (
  face: ReadInterface,
  id: ReadOperationId,
  path: ReadonlyArray<string>,
  query: string
): Effect.Effect<Outcome> =>
  Effect.map(
    Effect.exit(Effect.suspend(() => face.operations[id]!(path, query))),
    (exit): Outcome => {
      if (Exit.isSuccess(exit)) return { json: exit.value.json }
      const failure = Cause.findErrorOption(exit.cause)
      return failure._tag === "Some" && failure.value._tag !== "StoreFailure"
        ? { refused: failure.value._tag, message: failure.value.message }
        : { broken: Cause.pretty(exit.cause) }
    }
  )

/** Parses JSON exactly: integers that a double would round become bigint. */
export const parseExact = (text: string): unknown =>
  JSON.parse(
    text,
    (_, value: unknown, context?: { readonly source?: string }) =>
      typeof value === "number" && !Number.isSafeInteger(value) &&
        /^-?\d+$/u.test(context?.source ?? "")
        ? BigInt(context!.source!)
        : value
  )
