import type { BatchFeed, BlockFeed, ExitFeed, MerkleProof } from "../../core/domain/mod.ts"
import { batchOf, block103, block104, blockOf, cleo, exitOf, internal, l2Of } from "./_chain.ts"
import type { BrokenBlock } from "./_broken_blocks.ts"

const first = block104.batches![0]!
const creations = block103.batches![0]!
const nonceMax = (1n << 40n) - 1n
const fieldOrder = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** Returns block 104 with another batch 3. */
const batch = (parts: Partial<BatchFeed>): BlockFeed => ({
  ...block104,
  batches: [{ ...first, ...parts }]
})
const l2 = (...transactions: BatchFeed["l2"]): BlockFeed => batch({ l2: transactions })
const proof = (parts: Partial<MerkleProof>): BlockFeed => {
  const [exit, ...others] = first.exits!
  return batch({
    exits: [{ ...exit!, merkleProof: { ...exit!.merkleProof!, ...parts } }, ...others]
  })
}
const signature = `0x${"01".repeat(65)}`
const coordinator = {
  address: internal.address,
  publicKey: internal.key,
  tokenId: 0,
  signature: null
}

export const brokenBatches: ReadonlyArray<BrokenBlock> = [
  {
    fact: "a gap in the batch numbers is refused",
    block: batch({ batchNum: 4 }),
    refusal: ["batch-number", "/batches/0/batchNum", "4"]
  },
  {
    fact: "a batch with more than 2048 transactions is refused",
    block: l2(...Array<BatchFeed["l2"][number]>(2048).fill(l2Of(256, 257))),
    refusal: ["batch-size", "/batches/0", "2049"]
  },
  {
    fact: "a batch with more than 256 L1 transactions is refused",
    block: batch({ l1Coordinator: Array(256).fill(coordinator) }),
    refusal: ["l1-size", "/batches/0/l1Coordinator", "257"]
  },
  {
    fact: "an unknown member of an exit is refused",
    block: batch({ exits: [{ ...first.exits![0]!, nullifier: 9n } as ExitFeed, first.exits![1]!] }),
    refusal: ["shape", "/batches/0/exits/0/nullifier", "9"]
  },
  {
    fact: "a gap in the forged queues is refused",
    block: batch({ forgeL1TransactionsNum: 3 }),
    refusal: ["forged-queue", "/batches/0/forgeL1TransactionsNum", "3"]
  },
  {
    fact: "a queue that is forged again is refused",
    block: blockOf(105n, { batches: [batchOf(4, { forgeL1TransactionsNum: 2 })] }),
    refusal: ["forged-queue", "/batches/0/forgeL1TransactionsNum", "2"]
  },
  {
    fact: "a missing effect is refused",
    block: batch({ l1UserEffects: [] }),
    refusal: ["effect-count", "/batches/0/l1UserEffects", "0"]
  },
  {
    fact: "effects without a queue are refused",
    block: batch({ forgeL1TransactionsNum: null }),
    refusal: ["effect-count", "/batches/0/l1UserEffects", "1"]
  },
  {
    fact: "an effective amount that differs from the procedure is refused",
    block: batch({ l1UserEffects: [{ effectiveAmount: 0n, effectiveDepositAmount: 0n }] }),
    refusal: ["effective-amount", "/batches/0/l1UserEffects/0/effectiveAmount", "0"]
  },
  {
    fact: "an effective deposit that differs from the procedure is refused",
    block: {
      ...block103,
      batches: [{
        ...creations,
        l1UserEffects: creations.l1UserEffects!.map((effect) => ({
          ...effect,
          effectiveDepositAmount: 0n
        }))
      }]
    },
    refusal: ["effective-deposit", "/batches/0/l1UserEffects/0/effectiveDepositAmount", "0"]
  },
  {
    fact: "a coordinator account of an unknown token is refused",
    block: batch({ l1Coordinator: [{ ...coordinator, tokenId: 2 }] }),
    refusal: ["token-exists", "/batches/0/l1Coordinator/0/tokenId", "2"]
  },
  {
    fact: "a signature for an internal account is refused",
    block: batch({ l1Coordinator: [{ ...coordinator, signature: signature }] }),
    refusal: ["signature", "/batches/0/l1Coordinator/0/signature", signature]
  },
  {
    fact: "an owned account without signature is refused",
    block: batch({ l1Coordinator: [{ ...coordinator, address: cleo.address }] }),
    refusal: ["signature", "/batches/0/l1Coordinator/0/signature", "null"]
  },
  {
    fact: "a negative root is refused",
    block: batch({ stateRoot: -1n }),
    refusal: ["shape", "/batches/0/stateRoot", "-1"]
  },
  {
    fact: "a state root outside of the field is refused",
    block: batch({ stateRoot: fieldOrder }),
    refusal: ["field-element", "/batches/0/stateRoot", String(fieldOrder)]
  }
]

export const brokenTransactions: ReadonlyArray<BrokenBlock> = [
  {
    fact: "a sender that does not exist is refused",
    block: l2(l2Of(260, 257)),
    refusal: ["account-exists", "/batches/0/l2/0/fromAccountIndex", "260"]
  },
  {
    fact: "a reserved sender of L2 is refused",
    block: l2(l2Of(1, 257)),
    refusal: ["account-exists", "/batches/0/l2/0/fromAccountIndex", "1"]
  },
  {
    fact: "a receiver that does not exist is refused",
    block: l2(l2Of(256, 260)),
    refusal: ["account-exists", "/batches/0/l2/0/toAccountIndex", "260"]
  },
  {
    fact: "a reserved receiver is refused",
    block: l2(l2Of(256, 255)),
    refusal: ["account-exists", "/batches/0/l2/0/toAccountIndex", "255"]
  },
  {
    fact: "a missing receiver is refused",
    block: l2(l2Of(256, 0)),
    refusal: ["account-exists", "/batches/0/l2/0/toAccountIndex", "0"]
  },
  {
    fact: "a receiver of another token is refused",
    block: l2(l2Of(256, 258)),
    refusal: ["account-token", "/batches/0/l2/0/toAccountIndex", "258"]
  },
  {
    fact: "a used nonce is refused",
    block: l2(l2Of(256, 257), l2Of(256, 257)),
    refusal: ["nonce", "/batches/0/l2/1/nonce", "0"]
  },
  {
    fact: "a nonce too high is refused",
    block: l2(l2Of(256, 257, { nonce: 1n })),
    refusal: ["nonce", "/batches/0/l2/0/nonce", "1"]
  },
  {
    fact: "a nonce too large for a leaf is refused",
    block: l2(l2Of(257, 256, { nonce: nonceMax })),
    refusal: ["nonce", "/batches/0/l2/0/nonce", String(nonceMax)],
    prepare: (ledger) => ledger.accounts.set(257, { ...ledger.accounts.get(257)!, nonce: nonceMax })
  },
  {
    fact: "an L2 amount without a float40 encoding is refused",
    block: l2(l2Of(256, 257, { amount: (1n << 35n) + 1n })),
    refusal: ["amount", "/batches/0/l2/0/amount", "34359738369"]
  },
  {
    fact: "an amount above the balance is refused",
    block: l2(l2Of(256, 257, { amount: 901n })),
    refusal: ["balance", "/batches/0/l2/0/amount", "901"]
  },
  {
    fact: "a fee beyond the balance is refused",
    block: l2(l2Of(256, 257, { amount: 900n, fee: 126 })),
    refusal: ["balance", "/batches/0/l2/0/amount", "900"]
  },
  {
    fact: "a fee of more than 128 bits is refused",
    block: l2(l2Of(256, 257, { amount: 10n ** 39n, fee: 200 })),
    refusal: ["fee", "/batches/0/l2/0/fee", "200"]
  },
  {
    fact: "a balance too large for a leaf is refused",
    block: l2(l2Of(256, 257)),
    refusal: ["balance-limit", "/batches/0/l2/0/amount", String(1n << 192n)],
    prepare: (ledger) =>
      ledger.accounts.set(257, { ...ledger.accounts.get(257)!, balance: (1n << 192n) - 10n })
  },
  {
    fact: "more than 64 fee accounts are refused",
    block: batch({ feeAccounts: Array(65).fill(257) }),
    refusal: ["fee-account-count", "/batches/0/feeAccounts", "65"]
  },
  {
    fact: "a fee account that does not exist is refused",
    block: batch({ feeAccounts: [257, 260] }),
    refusal: ["account-exists", "/batches/0/feeAccounts/1", "260"]
  }
]

export const brokenExits: ReadonlyArray<BrokenBlock> = [
  {
    fact: "a root without exits is refused",
    block: blockOf(104n, { batches: [batchOf(3, { exitRoot: 55n })] }),
    refusal: ["exit-root", "/batches/0/exitRoot", "55"]
  },
  {
    fact: "exits without a root are refused",
    block: batch({ exitRoot: 0n }),
    refusal: ["exit-root", "/batches/0/exitRoot", "0"]
  },
  {
    fact: "a missing exit is refused",
    block: batch({ exits: first.exits!.slice(0, 1) }),
    refusal: ["exit-account", "/batches/0/exits/1/accountIndex", "null"]
  },
  {
    fact: "a surplus exit is refused",
    block: batch({ exits: [...first.exits!, exitOf(55n, 258, 1n)] }),
    refusal: ["exit-account", "/batches/0/exits/2/accountIndex", "258"]
  },
  {
    fact: "exits out of order are refused",
    block: batch({ exits: first.exits!.toReversed() }),
    refusal: ["exit-account", "/batches/0/exits/0/accountIndex", "257"]
  },
  {
    fact: "an exit of another sum is refused",
    block: batch({ exits: [exitOf(55n, 256, 99n), first.exits![1]!] }),
    refusal: ["exit-balance", "/batches/0/exits/0/balance", "99"]
  },
  {
    fact: "a proof for another root is refused",
    block: proof({ root: 56n }),
    refusal: ["exit-proof", "/batches/0/exits/0/merkleProof/root", "56"]
  },
  {
    fact: "a proof for another key is refused",
    block: proof({ key: 257n }),
    refusal: ["exit-proof", "/batches/0/exits/0/merkleProof/key", "257"]
  },
  {
    fact: "a proof of absence is refused",
    block: proof({ fnc: 1 }),
    refusal: ["exit-proof", "/batches/0/exits/0/merkleProof/fnc", "1"]
  },
  {
    fact: "a proof of inclusion with the key of an old leaf is refused",
    block: proof({ oldKey: 257n }),
    refusal: ["exit-proof", "/batches/0/exits/0/merkleProof/oldKey", "257"]
  },
  {
    fact: "a proof of inclusion with the value of an old leaf is refused",
    block: proof({ oldValue: 1n }),
    refusal: ["exit-proof", "/batches/0/exits/0/merkleProof/oldValue", "1"]
  },
  {
    fact: "a proof of inclusion with an empty old leaf is refused",
    block: proof({ isOld0: true }),
    refusal: ["exit-proof", "/batches/0/exits/0/merkleProof/isOld0", "true"]
  },
  {
    fact: "a sibling outside of the field is refused",
    block: proof({ siblings: [1n, fieldOrder] }),
    refusal: ["field-element", "/batches/0/exits/0/merkleProof/siblings/1", String(fieldOrder)]
  }
]
