import { Context, Effect, Layer, type Scope } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { driveOnce, simulate } from "../../app/simulator/mod.ts"
import type { ReadOperationId } from "../../core/contract/mod.ts"
import type {
  Authorization,
  FeedRecord,
  GenesisFeed,
  Network,
  PoolTransaction
} from "../../core/domain/mod.ts"
import { formatAccountIndex, formatPrefixedAddress } from "../../core/encoding/mod.ts"
import { type LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { type Facts, type LawViolation, readSubject } from "../laws/mod.ts"
import { connectTransactions, ownersOf } from "../laws/pool/_pool_rows.ts"
import { memoryLedger } from "../properties/_networks.ts"
import { currencyPrices, type Pool } from "../properties/_reading.ts"

/** A network with a pool after some time, always the same. */
export interface Sample {
  readonly genesis: GenesisFeed
  readonly records: ReadonlyArray<FeedRecord>
  readonly facts: Facts
  readonly reader: LedgerReader["Service"]
  readonly pool: Pool
  readonly poolTransactions: ReadonlyArray<PoolTransaction>
  readonly authorizations: ReadonlyArray<Authorization>
}

export const sampleOf = Effect.fnUntraced(function*(
  { network, seed, transactions }: {
    readonly network?: Network
    readonly seed: string
    readonly transactions: number
  }
): Effect.fn.Return<Sample, LawViolation, Scope.Scope> {
  const simulation = simulate({
    seed,
    users: 24,
    transactionsPerBlock: 8,
    exitShare: 0.1,
    rollBackPeriodBlocks: 20,
    placeholderRoots: true,
    ...(network === undefined ? {} : { network })
  })
  const node = yield* Layer.build(memoryNode({ genesis: simulation.genesis }))
  const pool = Context.get(node, PoolStore)
  const records: Array<FeedRecord> = []
  const ids = new Set<string>()
  const owners = new Set<string>()
  const { live } = simulation
  const observed = {
    ...simulation,
    live: {
      ...live,
      nextSubmissions: () => {
        const submissions = live.nextSubmissions()
        for (const { address } of submissions.authorizations) owners.add(address)
        return submissions
      },
      rememberAccepted: (accepted: Parameters<typeof live.rememberAccepted>[0]) => {
        for (const { transaction } of accepted) ids.add(transaction.id)
        live.rememberAccepted(accepted)
      }
    }
  }
  // until a pending transaction waits for an account
  while (simulation.transactionCount() < transactions || !opensAccount(records.at(-1))) {
    records.push(...yield* driveOnce(observed).pipe(Effect.provide(node), Effect.orDie))
  }
  const { genesis } = simulation
  const { facts, reader } = yield* readSubject({
    genesis,
    records,
    open: memoryLedger(genesis),
    keccak256,
    seed,
    runs: 1
  })
  const poolTransactions = yield* Effect.forEach(
    [...ids],
    (id) => Effect.orDie(pool.transaction(id))
  )
  const authorizations = yield* Effect.forEach(
    [...owners],
    (address) => Effect.orDie(pool.authorization(address))
  )
  yield* Effect.orDie(
    pool.addGroup(groupLike(poolTransactions.find((row) => row !== null)!), unlimited)
  )
  return {
    genesis,
    records,
    facts,
    reader,
    pool,
    // a replaced transaction is no longer in the pool
    poolTransactions: poolTransactions.filter((row) => row !== null),
    authorizations: authorizations.map((row) => row!)
  }
})

const unlimited = { pendingMax: Infinity, pendingPerAccountMax: Infinity }
const atomicGroupId = `0x${"ab".repeat(32)}`

/** Returns two transactions of a group that are like another one. */
const groupLike = (of: PoolTransaction) =>
  connectTransactions([1000n, 1001n].map((more) => ({ ...of, nonce: of.nonce + more })))
    .map(({ requestOffset, ...transaction }, position) => ({
      ...ownersOf(1),
      transaction: {
        ...transaction,
        id: `0x02${String(transaction.nonce).padStart(64, "0")}`,
        group: { id: atomicGroupId, position, size: 2, requestOffset },
        state: "pend",
        batchNum: null
      } as const
    }))

const opensAccount = (record: FeedRecord | undefined): boolean =>
  record?.kind === "block" &&
  (record.block.l1UserTransactions ?? []).some(({ fromAccountIndex }) => fromAccountIndex === 0)

/** The sample of most tests: large enough for every kind of item. */
export const sample = Effect.runSync(
  Effect.cached(Effect.scoped(sampleOf({ seed: "conformance 1", transactions: 1000 })))
)

/** Returns every path of an operation with an existing item, not yet percent-encoded. */
export function pathsOf(
  { authorizations, facts, genesis: { network: { prefix } }, poolTransactions }: Sample,
  id: ReadOperationId
): ReadonlyArray<ReadonlyArray<string>> {
  const index = (account: number) => {
    const { tokenId } = facts.accounts.find((each) => each.index === account)!
    return formatAccountIndex(prefix, facts.tokens[tokenId]!.symbol, account)
  }
  // no path can name an account whose symbol is empty or has a colon
  const isNamed = (account: number) => {
    const { tokenId } = facts.accounts.find((each) => each.index === account)!
    return /^[^:]+$/u.test(facts.tokens[tokenId]!.symbol)
  }
  const batchNums = facts.batches.map(({ batchNum }) => [String(batchNum)])
  switch (id) {
    case "getAccountCreationAuthorization":
      return authorizations.map(({ address }) => [formatPrefixedAddress(prefix, address)])
    case "getAccount":
      return facts.accounts.filter((account) => isNamed(account.index)).map((account) => [
        index(account.index)
      ])
    case "getExit":
      return facts.exits.filter((exit) => isNamed(exit.accountIndex)).map((exit) => [
        String(exit.batchNum),
        index(exit.accountIndex)
      ])
    case "getPoolTx":
      return poolTransactions.map((transaction) => [transaction.id])
    case "getAtomicGroup":
      return [[atomicGroupId]]
    case "getHistoryTx":
      return [...facts.transactions, ...facts.queued].map((transaction) => [transaction.id])
    case "getBatch":
      return batchNums
    case "getFullBatch":
      return batchNums
    case "getSlot":
      return [...Array.from({ length: 60 }, (_, slot) => [String(slot)]), ["4294967295"]]
    case "getToken":
      return facts.tokens.map((token) => [String(token.id)])
    case "getCurrency":
      return currencyPrices.map(({ currency }) => [currency])
    case "getCoordinator":
      return facts.coordinators.map(({ bidderAddr }) => [bidderAddr])
    default:
      return [[]]
  }
}
