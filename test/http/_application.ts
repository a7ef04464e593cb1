import { Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { Application, type ApplicationOptions, type HttpAnswer } from "../../adapters/http/mod.ts"
import { textOf } from "../_answers.ts"
import * as memory from "../../adapters/memory/mod.ts"
import { wireContext } from "../../core/contract/mod.ts"
import { LedgerReader, type SnapshotId } from "../../core/ports/mod.ts"
import { Ledger, Submission } from "../../core/use_cases/mod.ts"
import { blockOf, chain } from "../use_cases/_chain.ts"
import { genesis } from "../use_cases/_network.ts"

/* The ledger of the use case tests, with thirty more tokens. */

export const context = wireContext(genesis.network, keccak256)
const constants = genesis.constants

const tokens = Array.from({ length: 30 }, (_, i) => ({
  id: i + 2,
  ethereumAddress: `0x${String(i + 1000).padStart(40, "0")}`,
  name: i === 0 ? 'Zwölf "x"' : `Token ${i + 2}`,
  symbol: `T${i + 2}`,
  decimals: 18
}))

const filled = Layer.effectDiscard(Effect.gen(function*() {
  const ledger = yield* Ledger
  for (const block of chain) yield* ledger.applyBlock(block)
  yield* ledger.applyBlock(blockOf(chain.at(-1)!.number + 1n, { tokens }))
}))

/** Memory stores with the blocks applied. */
const stores = filled.pipe(
  Layer.provide(Ledger.layer(genesis, keccak256)),
  Layer.provideMerge(memory.layer(genesis)),
  Layer.merge(memory.poolLayer),
  Layer.orDie
)

const nobodyPosts = Layer.mock(Submission, {})

/** Returns the application over these stores. */
export const application = (options: Partial<ApplicationOptions> = {}) =>
  Application.layer({ context, constants, ...options }).pipe(
    Layer.provide(Layer.mergeAll(stores, nobodyPosts))
  )

/** Returns the application over a given ledger reader. */
export const applicationOver = (
  reader: Partial<LedgerReader["Service"]>,
  options: Partial<ApplicationOptions> = {}
) => {
  const snapshotId: SnapshotId = {
    ethereumBlockNum: 18446744073709551615n,
    batchNum: null,
    version: 7
  }
  return Application.layer({ context, constants, ...options }).pipe(
    Layer.provide(Layer.mock(LedgerReader, { snapshotId: Effect.succeed(snapshotId), ...reader })),
    Layer.provide(Layer.merge(memory.poolLayer, nobodyPosts))
  )
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
}

/** Sends a request to the application without a transport. */
export const ask = (url: string, { method = "GET", headers = {} }: RequestOptions = {}) =>
  Effect.flatMap(Application, ({ handle }) => handle({ method, url, headers }))

export interface ProblemBody {
  readonly message: string
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly errors?: ReadonlyArray<
    {
      in: string
      parameter: string
      value: string | null
      rule: string
      message: string
      nearest?: string
    }
  >
}

export const jsonOf = (answer: HttpAnswer): unknown => JSON.parse(textOf(answer))
export const problemOf = (answer: HttpAnswer): ProblemBody => jsonOf(answer) as ProblemBody
