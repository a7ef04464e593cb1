import { Result } from "effect"
import { accountLeaf, exitTree, merkleTree } from "../../adapters/crypto/mod.ts"
import type { BatchFeed, BlockFeed } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import type { BlockViolation } from "../../core/use_cases/mod.ts"
import {
  type BatchCase,
  type BatchExpectation,
  type ChainCase,
  TOKENS
} from "./batch_cases.ts"
import { batchOf, blockOf } from "../use_cases/_chain.ts"
import { FakeLedger } from "../use_cases/_ledger.ts"
import { addressOf, rules } from "../use_cases/_network.ts"

/** The outcome of a batch in our ledger. */
export type Outcome =
  | { readonly kind: "refused"; readonly violation: BlockViolation }
  | {
    readonly kind: "stored"
    readonly expectation: BatchExpectation
    /** By position in the queue. */
    readonly amountSuccess: ReadonlyArray<boolean>
  }

/**
 * Applies the batches of a chain to a ledger that derives effects, nonces and exits: a block fills
 * the queue of a batch, and the next block forges it.
 */
export class BatchChain {
  readonly #ledger = new FakeLedger({ ...rules, buildExitTree: exitTree })
  #number = 101n

  constructor() {
    const tokens = Array.from({ length: TOKENS - 1 }, (_, position) => ({
      id: position + 1,
      ethereumAddress: addressOf(String(position + 1)),
      name: "",
      symbol: "",
      decimals: 0
    }))
    this.#ledger.apply(blockOf(this.#number++, { tokens, batches: [batchOf(1, emptyQueue)] }))
  }

  /** Queues the L1 transactions of a batch; `forge` then forges it. */
  fill({ queue }: BatchCase): void {
    const number = this.#queueNumber
    this.#ledger.apply(blockOf(this.#number++, {
      l1UserTransactions: queue.map(({ amount, depositAmount, ...each }, position) => ({
        ...each,
        toForgeL1TransactionsNum: number,
        position,
        depositAmount: BigInt(depositAmount),
        amount: BigInt(amount)
      }))
    }))
  }

  /** Returns the violation of the block that forges a batch with changed parts; null if none. */
  violation(batch: BatchCase, roots: Roots, changed: Partial<BatchFeed> = {}): string | null {
    const decided = this.#ledger.decide(this.#forging(batch, roots, changed))
    return Result.isFailure(decided) ? decided.failure.invariant : null
  }

  forge(batch: BatchCase, roots: Roots): Outcome {
    const block = this.#forging(batch, roots)
    const decided = this.#ledger.decide(block)
    if (Result.isFailure(decided)) return { kind: "refused", violation: decided.failure }
    const { exits, transactions } = this.#ledger.apply(block).batches[0]!
    const forged = transactions.flatMap(({ l1 }) => l1?.userOrigin === true ? [l1] : [])
    this.#number++
    const accounts = [...this.#ledger.accounts.values()]
    const tree = merkleTree(
      accounts.map((account) => ({ index: account.index, leaf: accountLeaf(account) }))
    )
    return {
      kind: "stored",
      amountSuccess: forged.map(({ amountSuccess }) => amountSuccess),
      expectation: {
        stateRoot: String(tree.root),
        exitRoot: roots.exitRoot,
        effectiveAmounts: batch.queue.map(({ amount }, position) =>
          forged[position]!.amountSuccess ? amount : "0"
        ),
        accounts: accounts.map(({ balance, nonce, tokenId }) => [
          tokenId,
          Number(nonce),
          String(balance)
        ]),
        exits: exits.map(({ accountIndex, balance, merkleProof }) => [
          accountIndex,
          String(balance),
          String(merkleProof.value)
        ])
      }
    }
  }

  get #queueNumber(): number {
    return (this.#ledger.lastForgedQueue ?? -1) + 1
  }

  #forging(
    { coordinator, feeAccounts, l2 }: BatchCase,
    { exitRoot, stateRoot }: Roots,
    changed: Partial<BatchFeed> = {}
  ): BlockFeed {
    const { exits: _, l1UserEffects: __, ...batch } = batchOf(this.#ledger.lastBatchNum + 1, {
      stateRoot: BigInt(stateRoot),
      exitRoot: BigInt(exitRoot),
      forgeL1TransactionsNum: this.#queueNumber,
      feeAccounts,
      l1Coordinator: coordinator.map((each) => ({
        ...each,
        signature: each.address === INTERNAL_ADDRESS ? null : SIGNATURE
      })),
      l2: l2.map((each) => ({ ...each, amount: BigInt(each.amount), nonce: BigInt(each.nonce) }))
    })
    return blockOf(this.#number, { batches: [{ ...batch, ...changed }] })
  }
}

type Roots = Pick<BatchExpectation, "stateRoot" | "exitRoot">

/** The decision of a block does not verify it. */
const SIGNATURE = `0x${"01".repeat(65)}`

const emptyQueue = { forgeL1TransactionsNum: 0 }

/** Returns the first difference between a chain and our ledger, or undefined. */
export function differenceOf(
  { batches, title }: Pick<ChainCase, "batches" | "title">
): string | undefined {
  const chain = new BatchChain()
  for (const [position, { batch, expected }] of batches.entries()) {
    chain.fill(batch)
    const outcome = chain.forge(batch, expected ?? { stateRoot: "0", exitRoot: "0" })
    const found = outcome.kind === "stored" ? outcome.expectation : null
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      const shown = outcome.kind === "stored" ? JSON.stringify(found) : outcome.violation.message
      return `Batch ${position} of ${title}: ${shown}, expected ${JSON.stringify(expected)}`
    }
  }
  return undefined
}
