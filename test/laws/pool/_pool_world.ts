import { Context, Effect, Layer, Result, type Scope } from "effect"
import type {
  Account,
  BatchFeed,
  L1CoordinatorFeed,
  L2Feed,
  PoolTransaction,
  PostedGroup,
  PostedTransaction
} from "../../../core/domain/mod.ts"
import {
  encodeFloat40,
  type GroupId,
  groupId,
  INTERNAL_ADDRESS,
  l2TransactionId,
  type TransactionId
} from "../../../core/encoding/mod.ts"
import {
  LedgerReader,
  LedgerWriter,
  PoolStore,
  SignatureVerifier
} from "../../../core/ports/mod.ts"
import {
  Ledger,
  Pool,
  pooledLedger,
  type Selection,
  Submission
} from "../../../core/use_cases/mod.ts"
import { batchOf, ownerOf, PoolChain } from "./pool_network.ts"
import { yields } from "./_pool_interleaving.ts"
import type { SeededRandom } from "../_seeded_random.ts"
import { connectTransactions } from "./_pool_rows.ts"
import type { OpenPool, PoolSubject } from "./pool_subject.ts"

/** A node with its pool, and the history of the run. */
export interface World extends OpenPool {
  readonly subject: PoolSubject
  readonly random: SeededRandom
  readonly chain: PoolChain
  /** Updates the pool with every block and rollback. */
  readonly ledger: Ledger["Service"]
  /** Does not update the pool, as if the process had been killed in between. */
  readonly bareLedger: Ledger["Service"]
  readonly pool: Pool["Service"]
  readonly submission: Submission["Service"]
  /** The transactions whose submission succeeded. */
  readonly acknowledged: Set<TransactionId>
  /** The groups whose submission succeeded, with their transactions. */
  readonly groups: Map<GroupId, ReadonlyArray<TransactionId>>
  /** The transactions that the host invalidated. */
  readonly invalidated: Set<TransactionId>
}

/** The maximum age of a forging transaction. */
const forgingMaxMs = 100_000
const wrongSignature = "f".repeat(128)

/** Opens a node over new stores, and applies the blocks that create the first accounts. */
export const openWorld = Effect.fnUntraced(
  function*(
    subject: PoolSubject,
    random: SeededRandom
  ): Effect.fn.Return<World, never, Scope.Scope> {
    const { genesis, keccak256 } = subject
    const stores = yield* subject.open
    const ports = Layer.mergeAll(
      Layer.succeed(PoolStore, stores.store),
      Layer.succeed(LedgerReader, stores.reader),
      Layer.succeed(LedgerWriter, stores.writer),
      Layer.succeed(SignatureVerifier, {
        transaction: ({ signature }) => Effect.as(yields(random, 12), signature !== wrongSignature),
        authorization: () => Effect.succeed(true)
      })
    )
    const useCases = Layer.mergeAll(
      pooledLedger(genesis, keccak256),
      Submission.layer({
        network: genesis.network,
        keccak256,
        pendingMax: 60,
        pendingPerAccountMax: 15
      })
    ).pipe(Layer.provideMerge(Pool.layer({ keccak256, forgingMaxMs })), Layer.provide(ports))
    const services = yield* Layer.build(useCases)
    const bare = yield* Layer.build(Ledger.layer(genesis, keccak256).pipe(Layer.provide(ports)))
    const chain = new PoolChain(genesis)
    const ledger = Context.get(services, Ledger)
    for (const block of chain.opening()) yield* Effect.orDie(ledger.applyBlock(block))
    return {
      ...stores,
      subject,
      random,
      chain,
      ledger,
      bareLedger: Context.get(bare, Ledger),
      pool: Context.get(services, Pool),
      submission: Context.get(services, Submission),
      acknowledged: new Set(),
      groups: new Map(),
      invalidated: new Set()
    }
  }
)

/** Creates accounts for transfers to the keys of owners 2 and 3, one of each token. */
export const addInternalAccounts = ({ chain, ledger }: World): Effect.Effect<void> => {
  const l1Coordinator = [0, 1].map((tokenId) => internalAccount(tokenId, 2 + tokenId))
  const block = chain.grow({ batches: [batchOf(3, { l1Coordinator })] })
  return Effect.asVoid(Effect.orDie(ledger.applyBlock(block)))
}

export const lastBatchOf = ({ reader }: World) =>
  Effect.map(Effect.orDie(reader.snapshotId), ({ batchNum }) => batchNum ?? 0)

export const accountsOf = ({ reader }: World): Effect.Effect<ReadonlyArray<Account>> =>
  Effect.map(
    Effect.orDie(reader.list("accounts", { filters: {}, limit: 2049 })),
    ({ items }) => items.map(({ account }) => account)
  )

/** Returns the acknowledged transactions that are in the pool. */
export const pooledOf = ({ acknowledged, store }: World) =>
  Effect.orDie(store.pooled([...acknowledged]))

/** Returns a posted transaction, with some given parts; most are valid. */
export function postedOf(
  { random, subject: { keccak256 } }: World,
  accounts: ReadonlyArray<Account>,
  lastBatchNum: number,
  of: Partial<Pick<PostedTransaction, "fromAccountIndex" | "nonce">> = {}
): PostedTransaction {
  const sender = accounts.find(({ index }) => index === of.fromAccountIndex) ?? random.of(accounts)
  const amount = BigInt(1 + random.below(200_000_000)) * (random.chance(0.1) ? 10n ** 3n : 1n)
  const body = {
    tokenId: sender.tokenId,
    fromAccountIndex: sender.index,
    amount,
    fee: 100 + random.below(50),
    nonce: of.nonce ??
      sender.nonce + BigInt(random.below(5)) - (random.chance(0.05) ? 1n : 0n)
  }
  const id = Result.getOrElse(l2TransactionId(body, keccak256), () => "0x")
  return {
    ...body,
    id,
    ...destinationOf(random, accounts, sender),
    signature: random.chance(0.03) ? wrongSignature : "0".repeat(128),
    request: null,
    ...random.chance(0.8) ? {} : { maxNumBatch: random.below(lastBatchNum + 6) }
  }
}

/**
 * Returns a posted group of two to five transactions, of which many are valid. A sender can have
 * several of them.
 */
export function postedGroupOf(
  world: World,
  accounts: ReadonlyArray<Account>,
  lastBatchNum: number
): PostedGroup {
  const { random, subject: { keccak256 } } = world
  const size = 2 + random.below(4)
  const nextNonces = new Map<number, bigint>()
  const all = Array.from({ length: size }, () => {
    const { index, nonce } = random.of(accounts)
    const next = nextNonces.get(index) ?? nonce + BigInt(random.chance(0.7) ? 0 : random.below(3))
    nextNonces.set(index, next + 1n)
    return postedOf(world, accounts, lastBatchNum, { fromAccountIndex: index, nonce: next })
  })
  return { id: groupId(all.map(({ id }) => id), keccak256), transactions: connectTransactions(all) }
}

function destinationOf(
  random: SeededRandom,
  accounts: ReadonlyArray<Account>,
  sender: Account
): Pick<PostedTransaction, "type" | "toAccountIndex" | "toAddress" | "toPublicKey"> {
  const owner = ownerOf(random.below(10))
  switch (random.below(5)) {
    case 0:
      return {
        type: "TransferToEthAddr",
        toAccountIndex: null,
        toAddress: owner.address,
        toPublicKey: null
      }
    case 1:
      return {
        type: "TransferToBJJ",
        toAccountIndex: null,
        toAddress: INTERNAL_ADDRESS,
        toPublicKey: random.chance(0.3) ? withBit254(owner.publicKey) : owner.publicKey
      }
    case 2:
      return { type: "Exit", toAccountIndex: 1, toAddress: null, toPublicKey: null }
    default:
      return {
        type: "Transfer",
        toAccountIndex:
          random.of(accounts.filter(({ tokenId }) => tokenId === sender.tokenId)).index,
        toAddress: null,
        toPublicKey: null
      }
  }
}

/** Returns the key with bit 254, which its leaf does not have. */
const withBit254 = (key: string): string =>
  key.slice(0, -2) + (Number.parseInt(key.slice(-2), 16) | 0x40).toString(16)

/** Returns the creation of an internal account for the key of an owner, with bit 254. */
const internalAccount = (tokenId: number, owner: number): L1CoordinatorFeed => ({
  tokenId,
  address: INTERNAL_ADDRESS,
  publicKey: withBit254(ownerOf(owner).publicKey),
  signature: null
})

/** Returns the batch that forges a selection, given the accounts before it. */
export function batchOfSelection(
  { accounts: created, batchNum, transactions }: Selection,
  accounts: ReadonlyArray<Account>
): BatchFeed {
  const firstCreated = 256 + accounts.length
  return batchOf(batchNum, {
    l1Coordinator: created,
    l2: transactions.map(({ receiver, transaction }) =>
      l2Of(
        transaction,
        receiver.kind === "exit"
          ? 1
          : receiver.kind === "account"
          ? receiver.index
          : firstCreated + receiver.position
      )
    )
  })
}

const l2Of = (
  { amount, fee, fromAccountIndex, nonce }: PoolTransaction,
  toAccountIndex: number
): L2Feed => ({ fromAccountIndex, toAccountIndex, amount, fee, nonce })

/** An account that does not exist. */
const MISSING = 9999

/**
 * Returns a batch of another coordinator, with transactions of the pool, in part with other
 * receivers, and with unknown ones; transfers of 0 may have any receiver. It may create an internal
 * account, and repeat fee accounts.
 */
export const foreignBatchOf = Effect.fnUntraced(function*(world: World) {
  const { random } = world
  const accounts = yield* accountsOf(world)
  const pending = (yield* pooledOf(world)).filter(({ transaction }) => transaction.state !== "fged")
    .map(({ transaction }) => transaction)
  const l2: Array<L2Feed> = []
  for (const sender of random.some(accounts, 0.3)) {
    const known = pending.find(({ fromAccountIndex, nonce }) =>
      fromAccountIndex === sender.index && nonce === sender.nonce
    )
    if (known === undefined && random.chance(0.1)) {
      const toAccountIndex = random.chance(0.5) ? MISSING : random.of(accounts).index
      const { index: fromAccountIndex, nonce } = sender
      l2.push({ fromAccountIndex, toAccountIndex, amount: 0n, fee: random.below(256), nonce })
      continue
    }
    const receivers = accounts.filter(({ tokenId }) => tokenId === sender.tokenId).map((
      { index }
    ) => index)
    const to = random.of(receivers)
    const own = { amount: BigInt(1 + random.below(1000)), fee: 0 }
    const { amount, fee } =
      known !== undefined && random.chance(0.6) && sender.balance > known.amount * 2n ? known : own
    if (sender.balance < amount * 2n || Result.isFailure(encodeFloat40(amount))) continue
    const wanted = receivers.find((index) => index === known?.toAccountIndex)
    const as = wanted !== undefined && random.chance(0.7) ? wanted : to
    l2.push({
      fromAccountIndex: sender.index,
      toAccountIndex: as,
      amount,
      fee,
      nonce: sender.nonce
    })
  }
  const l1Coordinator = accounts.length < 12 && random.chance(0.2)
    ? [internalAccount(random.below(2), random.below(10))]
    : []
  const feeAccounts = random.chance(0.5)
    ? Array.from({ length: 1 + random.below(4) }, () => random.of(accounts).index)
    : []
  return batchOf((yield* lastBatchOf(world)) + 1, { l1Coordinator, l2, feeAccounts })
})
