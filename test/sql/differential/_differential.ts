import { textOf } from "../../_answers.ts"
import { Arbitrary, Context, Effect, Layer, Result, type Scope } from "effect"
import { Application } from "../../../adapters/http/mod.ts"
import { wireContext } from "../../../core/contract/mod.ts"
import type { FeedRecord, GenesisFeed, PostedTransaction } from "../../../core/domain/mod.ts"
import { encodeFloat40, type TransactionId } from "../../../core/encoding/mod.ts"
import {
  LedgerReader,
  LedgerWriter,
  PoolStore,
  SignatureVerifier
} from "../../../core/ports/mod.ts"
import { Ledger, Pool, pooledLedger, Submission } from "../../../core/use_cases/mod.ts"
import { mounts, urlInEachRevision } from "../../_mounts.ts"
import { rememberedKeccak256 as keccak256 } from "../../crypto/remembered.ts"
import { SeededRandom } from "../../laws/_seeded_random.ts"
import { effectiveRecords, type OpenPool, replay } from "../../laws/mod.ts"
import { postedTransferOf } from "../../laws/pool/_pool_rows.ts"
import { type Agreement, mirrored } from "./_mirrored.ts"

export interface Comparison {
  readonly genesis: GenesisFeed
  readonly records: ReadonlyArray<FeedRecord>
  readonly seed: string
  /**
   * Requests at each checkpoint, and records between two checkpoints; or a checkpoint after each
   * rollback.
   */
  readonly requests: number
  readonly stride: number | "rollBack"
}

/**
 * Applies a network, posts, forging and rollbacks to two sets of stores at once, and sends the same
 * requests over HTTP to both at every checkpoint. Every result of a port and every response must be
 * the same, byte for byte. Returns the number of compared responses.
 */
export const compareStores = Effect.fnUntraced(function*(
  one: OpenPool,
  other: OpenPool,
  { genesis, records, requests, seed, stride }: Comparison
): Effect.fn.Return<number, never, Scope.Scope> {
  const agreement: Agreement = { answers: 0 }
  const ports = mirrored(one, other, agreement)
  const random = new SeededRandom(seed)
  const services = yield* Layer.build(
    pooledLedger(genesis, keccak256).pipe(
      Layer.provideMerge(
        Layer.merge(
          Pool.layer({ keccak256, forgingMaxMs: 100_000 }),
          Submission.layer({
            network: genesis.network,
            keccak256,
            pendingMax: 80,
            pendingPerAccountMax: 12
          })
        )
      ),
      Layer.provide(portsLayer(ports))
    )
  )
  const [ledger, pool, submission] = [
    Context.get(services, Ledger),
    Context.get(services, Pool),
    Context.get(services, Submission)
  ]
  const [first, second] = [yield* handler(one, genesis), yield* handler(other, genesis)]
  const posted: Array<TransactionId> = []
  const played: Array<FeedRecord> = []
  let stops = 0

  for (const record of records) {
    played.push(record)
    yield* Effect.orDie(ledger.applyRecord(record))
    yield* somePosts()
    yield* someForging()
    if (stride === "rollBack" ? record.kind === stride : played.length % stride === 0) {
      yield* compareAnswers(`${seed} ${stops++}`)
    }
  }
  yield* compareAnswers(`${seed} end`)
  return agreement.answers

  function* accounts() {
    const { items } = yield* Effect.orDie(
      ports.reader.list("accounts", { filters: {}, limit: 2049 })
    )
    return items.map(({ account }) => account)
  }

  function somePosts(): Effect.Effect<void> {
    return Effect.gen(function*() {
      const known = yield* Effect.gen(accounts)
      if (known.length < 2) return
      for (let i = random.below(3); i > 0; i--) {
        const sender = random.of(known)
        const receiver = random.of(known.filter(({ tokenId }) => tokenId === sender.tokenId))
        const amount = (sender.balance >> BigInt(1 + random.below(12))) / 10n ** 6n * 10n ** 6n
        if (Result.isFailure(encodeFloat40(amount))) continue
        const transaction = postedTransferOf({
          tokenId: sender.tokenId,
          fromAccountIndex: sender.index,
          amount,
          fee: 90 + random.below(60),
          nonce: sender.nonce + BigInt(random.below(3)),
          ...random.chance(0.2)
            ? { type: "Exit", toAccountIndex: 1 }
            : { toAccountIndex: receiver.index },
          request: random.chance(0.2) ? requestOf(sender.tokenId) : null
        }, keccak256)
        posted.push(transaction.id)
        yield* Effect.ignore(submission.submitTransaction(transaction))
      }
      if (random.chance(0.3)) {
        const { address, publicKey } = random.of(known)
        yield* Effect.ignore(
          submission.submitAuthorization({ address, publicKey, signature: `0x${"1b".repeat(65)}` })
        )
      }
    })
  }

  function requestOf(tokenId: number): PostedTransaction["request"] {
    return {
      fromAccountIndex: 256,
      toAccountIndex: 257,
      toAddress: null,
      toPublicKey: null,
      tokenId,
      amount: 7n,
      fee: 3,
      nonce: 1n
    }
  }

  /** The ledger does not follow these batches, so a later reconciliation ends the forging. */
  function someForging(): Effect.Effect<void> {
    return Effect.orDie(Effect.gen(function*() {
      switch (random.below(6)) {
        case 0: {
          const { batchNum, transactions } = yield* pool.select({
            maxTransactions: 1 + random.below(8)
          })
          const ids = transactions.map(({ transaction }) => transaction.id)
          yield* pool.startForging(ids, batchNum)
          if (random.chance(0.5)) yield* pool.doneForging(ids, batchNum)
          return
        }
        case 1:
          return void (yield* pool.purge({
            ttlMs: random.chance(0.3) ? -1 : 1e9,
            currentBatch: 1e6,
            safetyPeriodBatches: random.below(9),
            capacity: 5 + random.below(40)
          }))
        case 2:
          return void (yield* pool.remove(random.some(posted, 0.05), "The host says so"))
        case 3: {
          const snapshotId = yield* ports.reader.snapshotId
          return void (yield* pool.rollBack(
            Math.max(0, (snapshotId.batchNum ?? 0) - random.below(3))
          ))
        }
        default:
      }
    }))
  }

  function compareAnswers(name: string): Effect.Effect<void> {
    return Effect.orDie(Effect.gen(function*() {
      const facts = replay(genesis, effectiveRecords(played), keccak256)
      const urls = yield* Arbitrary.sampleEffect(
        urlInEachRevision(facts, genesis.network),
        { count: Math.ceil(requests / mounts.length), seed: name }
      )
      const own = random.some(posted, 0.1).flatMap((id) =>
        mounts.map((mount) => `${mount}/transactions-pool/${id}`)
      )
      // these do not read the ledger, and the health names the store and the time
      const compared = [...urls.flat(), ...own].filter((url) =>
        !mounts.some((mount) => url.startsWith(`${mount}/currencies`) || url === `${mount}/health`)
      )
      yield* Effect.forEach(compared, (url) =>
        Effect.gen(function*() {
          const [a, b] = [yield* first(url), yield* second(url)]
          if (a !== b) {
            return yield* Effect.die(new Error(`GET ${url} is answered with\n${a}\nand\n${b}`))
          }
          agreement.answers++
        }), { concurrency: 16, discard: true })
    }))
  }
})

const portsLayer = (ports: OpenPool) =>
  Layer.mergeAll(
    Layer.succeed(LedgerReader, ports.reader),
    Layer.succeed(LedgerWriter, ports.writer),
    Layer.succeed(PoolStore, ports.store),
    Layer.succeed(SignatureVerifier, {
      transaction: () => Effect.succeed(true),
      authorization: () => Effect.succeed(true)
    })
  )

/**
 * Returns a function that sends a request to a node over these stores and returns status, headers
 * and body.
 */
const handler = Effect.fnUntraced(function*(stores: OpenPool, genesis: GenesisFeed) {
  const services = yield* Layer.build(
    Layer.fresh(
      Application.layer({
        context: wireContext(genesis.network, keccak256),
        constants: genesis.constants
      })
    ).pipe(
      Layer.provide(Layer.merge(portsLayer(stores), Layer.mock(Submission, {})))
    )
  )
  const { handle } = Context.get(services, Application)
  return (url: string) =>
    Effect.map(handle({ method: "GET", url, headers: {} }), (answer) => {
      // an entity tag names its ledger, so the tags differ
      const headers = { ...answer.headers, etag: typeof answer.headers.etag }
      return `${answer.status} ${JSON.stringify(headers)}\n${textOf(answer)}`
    })
})
