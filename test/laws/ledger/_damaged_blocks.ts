import type { BatchFeed, BlockFeed } from "../../../core/domain/mod.ts"
import type { Invariant } from "../../../core/use_cases/mod.ts"

/** A valid block with one error, and the invariant that it violates. */
export interface InvalidBlock {
  readonly invariant: Invariant
  readonly block: BlockFeed
}

const never = 4294967295
const nonceMax = (1n << 40n) - 1n

/** Returns every change that makes a block invalid independently of the ledger. */
export function invalidBlocks(block: BlockFeed): ReadonlyArray<InvalidBlock> {
  const batches = block.batches ?? []
  return [
    { invariant: "shape", block: { ...block, confirmations: 1 } as BlockFeed },
    { invariant: "shape", block: { ...block, lastEthereumBlock: 1n << 64n } },
    ...linkDamages(block),
    { invariant: "timestamp", block: { ...block, timestampMs: 0 } },
    { invariant: "last-ethereum-block", block: { ...block, lastEthereumBlock: block.number - 1n } },
    {
      invariant: "token-id",
      block: {
        ...block,
        tokens: [...block.tokens ?? [], {
          id: never,
          ethereumAddress: `0x${"ab".repeat(20)}`,
          name: "Gap",
          symbol: "GAP",
          decimals: 0
        }]
      }
    },
    {
      invariant: "token-exists",
      block: {
        ...block,
        prices: [...block.prices ?? [], { tokenId: never, priceUSD: 1, timeMs: 0 }]
      }
    },
    {
      invariant: "bidder-registered",
      block: {
        ...block,
        bids: [...block.bids ?? [], {
          slotNum: 0,
          bidderAddr: `0x${"cd".repeat(20)}`,
          bidValue: 1n << 200n
        }]
      }
    },
    {
      invariant: "exit-exists",
      block: {
        ...block,
        withdrawals: [...block.withdrawals ?? [], {
          batchNum: never,
          accountIndex: 256,
          instant: true
        }]
      }
    },
    {
      invariant: "withdrawal-requested",
      block: {
        ...block,
        delayedWithdrawals: [...block.delayedWithdrawals ?? [], {
          owner: `0x${"ef".repeat(20)}`,
          tokenId: 0
        }]
      }
    },
    {
      invariant: "bucket-exists",
      block: {
        ...block,
        bucketUpdates: [...block.bucketUpdates ?? [], {
          bucket: 255,
          blockStamp: 0n,
          withdrawals: 0n
        }]
      }
    },
    ...bidDamages(block),
    ...withdrawalDamages(block),
    ...queueDamages(block),
    ...batches.flatMap((batch, at) =>
      batchDamages(batch).map(({ invariant, batch }) => ({
        invariant,
        block: { ...block, batches: batches.with(at, batch) }
      }))
    )
  ]
}

function linkDamages(block: BlockFeed): ReadonlyArray<InvalidBlock> {
  const { previous, ...unlinked } = block
  const damaged: ReadonlyArray<InvalidBlock> = [
    { invariant: "block-number", block: { ...unlinked, number: block.number + 1n } },
    {
      invariant: "previous-block",
      block: { ...block, previous: { number: block.number, hash: block.hash } }
    }
  ]
  if (previous === undefined) {
    return [...damaged, {
      invariant: "parent-hash",
      block: { ...block, parentHash: block.hash }
    }]
  }
  return [
    ...damaged,
    {
      invariant: "previous-block",
      block: { ...block, previous: { ...previous, hash: block.hash } }
    },
    {
      invariant: "previous-block",
      block: { ...block, previous: { ...previous, number: previous.number - 1n } }
    },
    ...previous.number === block.number - 1n
      ? []
      : [{ invariant: "block-number" as const, block: unlinked }]
  ]
}

function bidDamages(block: BlockFeed): ReadonlyArray<InvalidBlock> {
  const last = block.bids?.at(-1)
  return last === undefined
    ? []
    : [{ invariant: "bid-value", block: { ...block, bids: [...block.bids!, last] } }]
}

function withdrawalDamages(block: BlockFeed): ReadonlyArray<InvalidBlock> {
  const last = block.withdrawals?.at(-1)
  return last === undefined
    ? []
    : [{ invariant: "exit-open", block: { ...block, withdrawals: [...block.withdrawals!, last] } }]
}

function queueDamages(block: BlockFeed): ReadonlyArray<InvalidBlock> {
  const all = block.l1UserTransactions ?? []
  const last = all.at(-1)
  if (last === undefined) return []
  const change = (change: Partial<typeof last>): BlockFeed => ({
    ...block,
    l1UserTransactions: all.with(-1, { ...last, ...change })
  })
  return [
    { invariant: "queue-number", block: change({ toForgeL1TransactionsNum: never }) },
    { invariant: "queue-position", block: change({ position: last.position + 1 }) },
    { invariant: "token-exists", block: change({ tokenId: never }) },
    { invariant: "account-index", block: change({ toAccountIndex: 2 }) },
    { invariant: "account-index", block: change({ fromAccountIndex: 7 }) },
    {
      invariant: "public-key",
      block: change({ fromPublicKey: last.fromPublicKey === null ? "00".repeat(32) : null })
    },
    ...last.toAccountIndex === 1
      ? []
      : [{ invariant: "deposit-amount" as const, block: change({ depositAmount: 1n << 128n }) }]
  ]
}

function batchDamages(
  batch: BatchFeed
): ReadonlyArray<{ readonly invariant: Invariant; readonly batch: BatchFeed }> {
  const { exits = [], l1UserEffects = [] } = batch
  const effect = l1UserEffects.at(-1)
  const l2 = batch.l2.at(-1)
  const exit = exits.at(-1)
  const proof = exit?.merkleProof
  const changeL2 = (change: Partial<NonNullable<typeof l2>>) => ({
    ...batch,
    l2: batch.l2.with(-1, { ...l2!, ...change })
  })
  const changeExit = (change: Partial<NonNullable<typeof exit>>) => ({
    ...batch,
    exits: exits.with(-1, { ...exit!, ...change })
  })
  const coordinator = {
    address: `0x${"ff".repeat(20)}`,
    publicKey: "01".repeat(32),
    tokenId: never,
    signature: null
  }
  return [
    { invariant: "batch-number", batch: { ...batch, batchNum: batch.batchNum + 1 } },
    { invariant: "field-element", batch: { ...batch, stateRoot: 1n << 255n } },
    {
      invariant: "effect-count",
      batch: {
        ...batch,
        // more than a queue can hold
        l1UserEffects: Array.from(
          { length: 129 },
          () => ({ effectiveAmount: 0n, effectiveDepositAmount: 0n })
        )
      }
    },
    {
      invariant: "token-exists",
      batch: { ...batch, l1Coordinator: [...batch.l1Coordinator, coordinator] }
    },
    {
      invariant: "signature",
      batch: {
        ...batch,
        l1Coordinator: [...batch.l1Coordinator, {
          ...coordinator,
          tokenId: 0,
          signature: `0x${"00".repeat(65)}`
        }]
      }
    },
    {
      invariant: "account-exists",
      batch: { ...batch, feeAccounts: [...batch.feeAccounts.slice(0, 63), never] }
    },
    {
      invariant: "fee-account-count",
      batch: { ...batch, feeAccounts: Array.from({ length: 65 }, (_, i) => 256 + i) }
    },
    ...batch.forgeL1TransactionsNum === null
      ? []
      : [{
        invariant: "forged-queue" as const,
        batch: { ...batch, forgeL1TransactionsNum: batch.forgeL1TransactionsNum + 1 }
      }],
    ...effect === undefined ? [] : [
      {
        invariant: "effective-amount" as const,
        batch: {
          ...batch,
          l1UserEffects: l1UserEffects.with(-1, {
            ...effect,
            effectiveAmount: effect.effectiveAmount + 1n
          })
        }
      },
      {
        invariant: "effective-deposit" as const,
        batch: {
          ...batch,
          l1UserEffects: l1UserEffects.with(-1, {
            ...effect,
            effectiveDepositAmount: effect.effectiveDepositAmount + 1n
          })
        }
      }
    ],
    {
      invariant: "account-exists" as const,
      batch: { ...batch, feeAccounts: [...batch.feeAccounts.slice(0, 63), never] }
    },
    ...l2 === undefined ? [] : [
      { invariant: "nonce" as const, batch: changeL2({ nonce: (l2.nonce ?? nonceMax) + 1n }) },
      {
        invariant: "account-exists" as const,
        batch: changeL2({ toAccountIndex: never, amount: l2.amount || 1n })
      },
      { invariant: "account-exists" as const, batch: changeL2({ fromAccountIndex: 255 }) },
      {
        invariant: "balance" as const,
        batch: changeL2({ toAccountIndex: 1, amount: 10n ** 35n, fee: 0 })
      },
      { invariant: "amount" as const, batch: changeL2({ toAccountIndex: 1, amount: 1n << 191n }) }
    ],
    ...exit === undefined ? [] : [
      { invariant: "exit-balance" as const, batch: changeExit({ balance: exit.balance + 1n }) },
      { invariant: "exit-account" as const, batch: { ...batch, exits: exits.slice(0, -1) } }
    ],
    ...proof === undefined
      ? []
      : [{ fnc: 1 }, { root: proof.root ^ 1n }, { key: proof.key + 1n }].map((change) => ({
        invariant: "exit-proof" as const,
        batch: changeExit({ merkleProof: { ...proof, ...change } })
      }))
  ]
}
