import type { InputFault } from "../../core/contract/mod.ts"
import type { FeeSelector } from "../../core/encoding/mod.ts"

/** A transaction to build. */
export interface TransactionRequest {
  /**
   * An account index (`zk:ETH:300`), an Ethereum address with or without prefix, a public key
   * (`zk:…`), or `exit`. An address whose owner has posted an authorization, and any key, gets an
   * account if it has none.
   */
  readonly to: string
  /**
   * Whole tokens as a decimal number in a string (`"0.25"`), or units as a bigint. A transaction
   * contains 35 significant bits times a power of ten: see `floorAmount`.
   */
  readonly amount: string | bigint
  /** The index of the fee factor, 0..255; the fee that the coordinator recommends by default. */
  readonly fee?: FeeSelector
  /**
   * By default the lowest nonce from that of the account on that no transaction has which this
   * connection has sent.
   */
  readonly nonce?: number | bigint
}

/**
 * The transaction breaks rules, and was not sent.
 *
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 * import { connect, InvalidTransaction, walletFromSeed } from "rollup-node-api/wallet"
 *
 * const simulation = simulate({ seed: 1 })
 * const node = await openNode({ genesis: simulation.genesis })
 * while (simulation.demoAccounts().length === 0) await node.applyRecord(simulation.next())
 * const rollup = await connect({ url: "http://node", fetch: node.fetch })
 * const account = await rollup.account(walletFromSeed(simulation.demoWallet.privateKey), "ETH")
 * try {
 *   await account.transfer({ to: "zk:ETH:7", amount: "0.5", fee: 300 })
 * } catch (error) {
 *   if (!(error instanceof InvalidTransaction)) throw error
 *   console.log(error.faults.map(({ parameter }) => parameter).join(" ")) // => /fee /toAccountIndex
 * }
 * await node.close()
 * ```
 */
export class InvalidTransaction extends Error {
  readonly _tag = "InvalidTransaction"
  /** Every broken rule, with the names of the posted properties, as the server writes them. */
  readonly faults: ReadonlyArray<InputFault>

  constructor(faults: ReadonlyArray<InputFault>) {
    super(faults.map(({ message }) => message).join("; "))
    this.faults = faults
  }
}
