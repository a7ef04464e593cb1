import type { BatchFeed, BlockFeed } from "../../../core/domain/mod.ts"
import type { Invariant } from "../../../core/use_cases/mod.ts"

/** A valid block with one error, and the invariant that it violates. */
export interface InvalidBlock {
  readonly invariant: Invariant
  readonly block: BlockFeed
}

type Change<Value> = readonly [invariant: Invariant, parts: Partial<Value>]
/** The lists of a block or a batch. */
type List = ReadonlyArray<object> | undefined

const never = 4294967295
const nonceMax = (1n << 40n) - 1n
const digits = (pair: string, count: number): string => `0x${pair.repeat(count)}`
/** Returns the list with one more item. */
const more = <Value>(list: ReadonlyArray<Value> | undefined, item: Value) => [...list ?? [], item]
/** Returns changes of the last item of a list; none if it is empty. */
const ofLast = <Value, Item extends object>(
  list: ReadonlyArray<Item> | undefined,
  replace: (items: ReadonlyArray<Item>) => Partial<Value>,
  changes: (last: Item) => ReadonlyArray<Change<Item>>
): ReadonlyArray<Change<Value>> => {
  const last = list?.at(-1)
  return last === undefined ?
    [] :
    changes(last).map(([invariant, parts]) =>
      [invariant, replace(list!.with(-1, { ...last, ...parts }))] as const
    )
}
/** Returns the list with its last item twice; no change if it is empty. */
const repeated = (invariant: Invariant, name: string, list: List) =>
  list?.length ? [[invariant, { [name]: [...list, list.at(-1)!] }] as const] : []

/** Returns every change that makes a block invalid independently of the ledger. */
export function invalidBlocks(block: BlockFeed): ReadonlyArray<InvalidBlock> {
  const { batches = [], number, previous, ...parts } = block
  const changes: ReadonlyArray<Change<BlockFeed>> = [
    ["shape", { confirmations: 1 } as Partial<BlockFeed>],
    ["shape", { lastEthereumBlock: 1n << 64n }],
    ["previous-block", { previous: { number, hash: block.hash } }],
    ...previous === undefined
      ? [["parent-hash", { parentHash: block.hash }] as const]
      : [
        ["previous-block", { previous: { ...previous, hash: block.hash } }] as const,
        ["previous-block", { previous: { ...previous, number: previous.number - 1n } }] as const
      ],
    ["timestamp", { timestampMs: 0 }],
    ["last-ethereum-block", { lastEthereumBlock: number - 1n }],
    ["token-id", {
      tokens: more(block.tokens, {
        id: never,
        ethereumAddress: digits("ab", 20),
        name: "Gap",
        symbol: "GAP",
        decimals: 0
      })
    }],
    ["token-exists", { prices: more(block.prices, { tokenId: never, priceUSD: 1, timeMs: 0 }) }],
    ["bidder-registered", {
      bids: more(block.bids, { slotNum: 0, bidderAddr: digits("cd", 20), bidValue: 1n << 200n })
    }],
    ["exit-exists", {
      withdrawals: more(block.withdrawals, { batchNum: never, accountIndex: 256, instant: true })
    }],
    ["withdrawal-requested", {
      delayedWithdrawals: more(block.delayedWithdrawals, { owner: digits("ef", 20), tokenId: 0 })
    }],
    ["bucket-exists", {
      bucketUpdates: more(block.bucketUpdates, { bucket: 255, blockStamp: 0n, withdrawals: 0n })
    }],
    ...repeated("bid-value", "bids", block.bids),
    ...repeated("exit-open", "withdrawals", block.withdrawals),
    ...ofLast(
      block.l1UserTransactions,
      (l1UserTransactions) => ({ l1UserTransactions }),
      (last) => [
        ["queue-number", { toForgeL1TransactionsNum: never }],
        ["queue-position", { position: last.position + 1 }],
        ["token-exists", { tokenId: never }],
        ["account-index", { toAccountIndex: 2 }],
        ["account-index", { fromAccountIndex: 7 }],
        ["public-key", { fromPublicKey: last.fromPublicKey === null ? "00".repeat(32) : null }],
        ...last.toAccountIndex === 1
          ? []
          : [["deposit-amount", { depositAmount: 1n << 128n }] as const]
      ]
    )
  ]
  const unlinked = { ...parts, batches, number }
  return [
    ...changes.map(([invariant, change]) => ({ invariant, block: { ...block, ...change } })),
    { invariant: "block-number", block: { ...unlinked, number: number + 1n } },
    ...previous === undefined || previous.number === number - 1n
      ? []
      : [{ invariant: "block-number", block: unlinked } as const],
    ...batches.flatMap((batch, at) =>
      invalidBatches(batch).map(([invariant, change]) => ({
        invariant,
        block: { ...block, batches: batches.with(at, { ...batch, ...change }) }
      }))
    )
  ]
}

function invalidBatches(batch: BatchFeed): ReadonlyArray<Change<BatchFeed>> {
  const { exits, feeAccounts, forgeL1TransactionsNum, l1Coordinator, l1UserEffects } = batch
  const coordinator = {
    address: digits("ff", 20),
    publicKey: "01".repeat(32),
    tokenId: never,
    signature: null
  }
  const noEffect = { effectiveAmount: 0n, effectiveDepositAmount: 0n }
  return [
    ["batch-number", { batchNum: batch.batchNum + 1 }],
    ["field-element", { stateRoot: 1n << 255n }],
    // more than a queue can hold
    ["effect-count", { l1UserEffects: Array.from({ length: 129 }, () => noEffect) }],
    ["token-exists", { l1Coordinator: more(l1Coordinator, coordinator) }],
    ["signature", {
      l1Coordinator: more(l1Coordinator, {
        ...coordinator,
        tokenId: 0,
        signature: digits("00", 65)
      })
    }],
    ["account-exists", { feeAccounts: [...feeAccounts.slice(0, 63), never] }],
    ["fee-account-count", { feeAccounts: Array.from({ length: 65 }, (_, i) => 256 + i) }],
    ...forgeL1TransactionsNum === null
      ? []
      : [["forged-queue", { forgeL1TransactionsNum: forgeL1TransactionsNum + 1 }] as const],
    ...ofLast(l1UserEffects, (l1UserEffects) => ({ l1UserEffects }), (effect) => [
      ["effective-amount", { effectiveAmount: effect.effectiveAmount + 1n }],
      ["effective-deposit", { effectiveDepositAmount: effect.effectiveDepositAmount + 1n }]
    ]),
    ...ofLast(batch.l2, (l2) => ({ l2 }), (l2) => [
      ["nonce", { nonce: (l2.nonce ?? nonceMax) + 1n }],
      ["account-exists", { toAccountIndex: never, amount: l2.amount || 1n }],
      ["account-exists", { fromAccountIndex: 255 }],
      ["balance", { toAccountIndex: 1, amount: 10n ** 35n, fee: 0 }],
      ["amount", { toAccountIndex: 1, amount: 1n << 191n }]
    ]),
    ...ofLast(exits, (exits) => ({ exits }), ({ balance, merkleProof }) => [
      ["exit-balance", { balance: balance + 1n }],
      ...merkleProof === undefined
        ? []
        : [{ fnc: 1 }, { root: merkleProof.root ^ 1n }, { key: merkleProof.key + 1n }].map(
          (change) => ["exit-proof", { merkleProof: { ...merkleProof, ...change } }] as const
        )
    ]),
    ...exits?.length ? [["exit-account", { exits: exits.slice(0, -1) }] as const] : []
  ]
}
