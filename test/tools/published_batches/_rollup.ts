import { createRequire } from "node:module"
import { join } from "node:path"
import type { BatchCase, BatchExpectation } from "../../vectors/batch_cases.ts"

/*
 * The published implementation of the state transition: `RollupDB` and `BatchBuilder` of
 * `@hermeznetwork/commonjs`, which has trees, leaves, fees and effective amounts of its own.
 */

export const FIRST_INDEX = 256
export const EXIT = 1
export const FIELD_ORDER =
  21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** Returns the key whose 32 bytes, in little-endian order, are these bits. */
export const keyOf = (bits: bigint): string =>
  Buffer.from(bits.toString(16).padStart(64, "0"), "hex").reverse().toString("hex")
/** Returns the bits of a key. */
export const bitsOf = (key: string | Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(key as string, "hex").reverse().toString("hex")}`)

/** Returns the published libraries in a folder with `node_modules`. They have no types. */
export const publishedLibraries = (folder: string | undefined) => {
  if (folder === undefined) throw new Error("Expected --installed FOLDER")
  const load = createRequire(join(folder, "package.json"))
  return { commonjs: load("@hermeznetwork/commonjs"), circomlib: load("circomlib") }
}
export type Libraries = ReturnType<typeof publishedLibraries>
type Untyped = Libraries["commonjs"]

/** A rollup of the published implementation, from the empty state. */
export class PublishedRollup {
  readonly #libraries
  readonly #db
  readonly #tokens: Array<number> = []

  private constructor(libraries: Libraries, db: Untyped) {
    this.#libraries = libraries
    this.#db = db
  }

  static async open(libraries: Libraries): Promise<PublishedRollup> {
    const { circomlib: { SMTMemDB }, commonjs: { RollupDB } } = libraries
    return new PublishedRollup(libraries, await RollupDB(new SMTMemDB()))
  }

  /**
   * Applies a batch. Rejects if the published implementation throws; the state is then unchanged.
   * It cannot run two kinds of transactions, which are replaced by others of the same effect:
   * a creation with an exit by a creation, with a leaf of 0 inserted in the exit tree, and a
   * transfer of 0 to an account that does not exist by an exit of 0.
   */
  async apply(batch: BatchCase): Promise<BatchExpectation> {
    const builder = await this.#db.buildBatch(2048, 32, 256, 64)
    const created = batch.queue.filter(({ fromAccountIndex }) => fromAccountIndex === 0)
    const tokens = [...this.#tokens, ...created.map(tokenOf), ...batch.coordinator.map(tokenOf)]
    const queue = batch.queue.map((each) => this.#userTransaction(each))
    for (const each of queue) builder.addTx(each)
    for (const each of batch.coordinator) builder.addTx(creation(each))
    for (const each of batch.l2) builder.addTx(this.#rollupTransaction(each, tokens))
    for (const index of batch.feeAccounts) {
      builder.addToken(tokens[index - FIRST_INDEX]!)
      builder.addFeeIdx(index)
    }
    await builder.build()
    await this.#db.consolidate(builder)
    this.#tokens.splice(0, this.#tokens.length, ...tokens)
    for (const [position, { amount, toAccountIndex }] of created.entries()) {
      if (toAccountIndex !== EXIT || amount === "0") continue
      await this.#insertEmptyExit(
        builder,
        tokens.length - created.length - batch.coordinator.length + position
      )
    }
    return {
      stateRoot: String(this.#db.getRoot()),
      exitRoot: String(builder.getNewExitRoot()),
      effectiveAmounts: queue.map(({ effectiveAmount }) => String(effectiveAmount)),
      accounts: await this.#accounts(),
      exits: await this.#exits(builder)
    }
  }

  #userTransaction(transaction: BatchCase["queue"][number]): Record<string, unknown> {
    const { fix2Float } = this.#libraries.commonjs.float40
    const { amount, depositAmount, fromAccountIndex, fromAddress, fromPublicKey, toAccountIndex } =
      transaction
    const isCreationWithExit = fromAccountIndex === 0 && toAccountIndex === EXIT
    return {
      onChain: true,
      fromIdx: fromAccountIndex,
      fromEthAddr: fromAddress,
      fromBjjCompressed: fromPublicKey === null ? "0x0" : bigEndian(fromPublicKey),
      toIdx: isCreationWithExit ? 0 : toAccountIndex,
      tokenID: transaction.tokenId,
      loadAmountF: fix2Float(BigInt(depositAmount)),
      amount: isCreationWithExit ? 0n : BigInt(amount)
    }
  }

  #rollupTransaction(
    { amount, fee, fromAccountIndex, nonce, toAccountIndex }: BatchCase["l2"][number],
    tokens: ReadonlyArray<number>
  ) {
    const isMissing = toAccountIndex !== EXIT && tokens[toAccountIndex - FIRST_INDEX] === undefined
    return {
      onChain: false,
      fromIdx: fromAccountIndex,
      toIdx: isMissing && amount === "0" ? EXIT : toAccountIndex,
      tokenID: tokens[fromAccountIndex - FIRST_INDEX],
      amount: BigInt(amount),
      userFee: fee,
      nonce
    }
  }

  async #insertEmptyExit({ exitTree, dbExit }: Untyped, position: number): Promise<void> {
    const { circomlib: { poseidon }, commonjs: { stateUtils } } = this.#libraries
    const index = FIRST_INDEX + position
    const exit = { ...await this.#db.getStateByIdx(index), balance: 0n, nonce: 0 }
    const leaf = stateUtils.hashState(exit)
    await exitTree.insert(index, leaf)
    await dbExit.multiIns([[poseidon([leaf, index]), stateUtils.state2Array(exit)]])
  }

  #accounts(): Promise<BatchExpectation["accounts"]> {
    return Promise.all(this.#tokens.map(async (_, position) => {
      const { balance, nonce, tokenID } = await this.#db.getStateByIdx(FIRST_INDEX + position)
      return [tokenID, nonce, String(balance)] as const
    }))
  }

  async #exits({ dbExit, exitTree }: Untyped): Promise<BatchExpectation["exits"]> {
    const { circomlib: { poseidon }, commonjs: { stateUtils } } = this.#libraries
    const exits: Array<BatchExpectation["exits"][number]> = []
    for (const position of this.#tokens.keys()) {
      const index = FIRST_INDEX + position
      const { found, foundValue } = await exitTree.find(index)
      if (!found) continue
      const { balance } = stateUtils.array2State(await dbExit.get(poseidon([foundValue, index])))
      exits.push([index, String(balance), String(foundValue)])
    }
    return exits
  }
}

const tokenOf = ({ tokenId }: { readonly tokenId: number }): number => tokenId

const creation = ({ address, publicKey, tokenId }: BatchCase["coordinator"][number]) => ({
  onChain: true,
  fromIdx: 0,
  fromEthAddr: address,
  fromBjjCompressed: bigEndian(publicKey),
  toIdx: 0,
  tokenID: tokenId,
  loadAmountF: 0,
  amount: 0n
})

/** Returns the number of a key, whose 32 bytes are in little-endian order. */
const bigEndian = (key: string): string => `0x${Buffer.from(key, "hex").reverse().toString("hex")}`
