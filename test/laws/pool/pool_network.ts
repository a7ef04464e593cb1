import type { BatchFeed, BlockFeed, GenesisFeed, L1UserFeed } from "../../../core/domain/mod.ts"

const owners: Array<ReturnType<typeof makeOwner>> = []

/** Returns the owner with this number: an address, a key and a signature. */
export const ownerOf = (number: number) => owners[number] ??= makeOwner(number)

function makeOwner(number: number) {
  const digits = (number + 10).toString(16).padStart(4, "0")
  return {
    address: `0x${digits.repeat(10)}`,
    publicKey: digits.repeat(16),
    signature: `0x${digits.repeat(33).slice(0, 130)}`
  }
}

/** The accounts that the first blocks create, from index 256: four of ether, two of token 1. */
export const firstAccounts = [0, 0, 0, 0, 1, 1].map((tokenId, number) => ({
  tokenId,
  ...ownerOf(number)
}))

/** A chain of blocks without checks. A block that replaces another one has another hash. */
export class PoolChain {
  readonly #genesis: GenesisFeed["block"]
  readonly blocks: Array<BlockFeed> = []
  #made = 0

  constructor({ block }: GenesisFeed) {
    this.#genesis = block
  }

  get tip(): bigint {
    return this.blocks.at(-1)?.number ?? this.#genesis.number
  }

  /** Appends a block and returns it. */
  grow(parts: Partial<BlockFeed>): BlockFeed {
    const parent = this.blocks.at(-1) ?? this.#genesis
    const number = parent.number + 1n
    const hash = `0x${number.toString(16).padStart(32, "0")}${
      (++this.#made).toString(16).padStart(32, "0")
    }`
    const block = {
      number,
      hash,
      parentHash: parent.hash,
      timestampMs: this.#genesis.timestampMs + Number(number - this.#genesis.number) * 15_000,
      ...parts
    }
    this.blocks.push(block)
    return block
  }

  /** Removes the last blocks; returns them and the number of the block before them. */
  cut(count: number): { readonly toBlock: bigint; readonly dropped: ReadonlyArray<BlockFeed> } {
    const dropped = this.blocks.splice(this.blocks.length - count)
    return { toBlock: this.tip, dropped }
  }

  /** Appends removed blocks again. */
  restore(blocks: ReadonlyArray<BlockFeed>): void {
    this.blocks.push(...blocks)
  }

  /** Appends and returns blocks that register a token and create the first accounts. */
  opening(): ReadonlyArray<BlockFeed> {
    const { timestampMs: timeMs } = this.#genesis
    const creations = firstAccounts.map((
      { address, publicKey, tokenId },
      position
    ): L1UserFeed => ({
      toForgeL1TransactionsNum: 1,
      position,
      fromAddress: address,
      fromPublicKey: publicKey,
      fromAccountIndex: 0,
      toAccountIndex: 0,
      tokenId,
      depositAmount: 10n ** 12n,
      amount: 0n
    }))
    return [
      this.grow({
        tokens: [{
          id: 1,
          ethereumAddress: `0x${"e".repeat(40)}`,
          name: "One",
          symbol: "ONE",
          decimals: 6
        }],
        prices: [{ tokenId: 0, priceUSD: 1_000_000, timeMs }, {
          tokenId: 1,
          priceUSD: 0.7,
          timeMs
        }],
        l1UserTransactions: creations
      }),
      this.grow({ batches: [batchOf(1, { forgeL1TransactionsNum: 0 })] }),
      this.grow({
        batches: [batchOf(2, {
          forgeL1TransactionsNum: 1,
          l1UserEffects: creations.map(({ amount, depositAmount }) => ({
            effectiveDepositAmount: depositAmount,
            effectiveAmount: amount
          }))
        })]
      })
    ]
  }
}

/**
 * Returns a batch with the exits of its L2 transactions. The proofs are not valid; the laws of the
 * pool do not check them.
 */
export const batchOf = (batchNum: number, parts: Partial<BatchFeed>): BatchFeed => {
  const leaving = new Map<number, bigint>()
  for (const { amount, fromAccountIndex, toAccountIndex } of parts.l2 ?? []) {
    if (toAccountIndex === 1 && amount > 0n) {
      leaving.set(fromAccountIndex, (leaving.get(fromAccountIndex) ?? 0n) + amount)
    }
  }
  const exitRoot = leaving.size === 0 ? 0n : BigInt(batchNum)
  const exits = [...leaving].sort(([one], [other]) => one - other).map((
    [accountIndex, balance]
  ) => ({
    accountIndex,
    balance,
    merkleProof: {
      root: exitRoot,
      siblings: [],
      oldKey: 0n,
      oldValue: 0n,
      isOld0: false,
      key: BigInt(accountIndex),
      value: 1n,
      fnc: 0
    }
  }))
  return {
    batchNum,
    forgerAddr: `0x${"f".repeat(40)}`,
    stateRoot: 0n,
    exitRoot,
    feeAccounts: [],
    forgeL1TransactionsNum: null,
    l1UserEffects: [],
    l1Coordinator: [],
    l2: [],
    exits,
    ...parts
  }
}
