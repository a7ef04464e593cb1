import { Console, Effect } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { wireContext } from "../../core/mod.ts"
import { defaultNetwork, simulate, type Simulation } from "../simulator/mod.ts"
import { transfer, TransferFailed } from "./transfer.ts"

/** Shows the demo wallet of a simulated network, or sends tokens from it. */
export const wallet = ({ nonce, prefix, seed, send, to, token, url }: Settings) =>
  Effect.gen(function*() {
    const network = { ...defaultNetwork, prefix }
    const simulation = withDemoAccounts(simulate({ seed, network }))
    if (send === undefined) return yield* Console.log(formatWallet(simulation).join("\n"))
    const account = simulation.demoAccounts().find(({ symbol }) => symbol === token)
    if (account === undefined) {
      const symbols = simulation.demoAccounts().map(({ symbol }) => symbol).join(" and ")
      return yield* new TransferFailed({
        message: `The demo wallet has no "${token}": expected ${symbols}`
      })
    }
    const { feeUSD, id, posted } = yield* transfer({
      url,
      network,
      privateKey: simulation.demoWallet.privateKey,
      accountIndex: account.index,
      symbol: token,
      amount: send,
      to,
      nonce
    })
    yield* Console.log([
      `Posted ${posted.type} of ${send} ${token} with nonce ${posted.nonce} and a fee of ${
        feeUSD.toPrecision(3)
      } US dollars:`,
      id,
      "",
      "Its state in the pool: pend, then fing once the coordinator has selected it, then fged",
      `  curl ${url}/transactions-pool/${id}`,
      "In the history, once it is forged",
      `  curl ${url}/transactions-history/${id}`
    ].join("\n"))
  })

interface Settings {
  readonly seed: string
  readonly prefix: string
  readonly url: string
  /** Amount in whole tokens, as a decimal number; undefined to show the wallet. */
  readonly send: string | undefined
  readonly to: string | undefined
  readonly token: string
  readonly nonce: number | undefined
}

/** Advances the simulation until the demo accounts exist. */
function withDemoAccounts(simulation: Simulation): Simulation {
  while (simulation.demoAccounts().length < 2) simulation.next()
  return simulation
}

function formatWallet(
  { demoAccounts, demoWallet, genesis: { network } }: Simulation
): ReadonlyArray<string> {
  const context = wireContext(network, keccak256)
  return [
    "The demo wallet of the simulated network. Its keys are public: use them nowhere else",
    "",
    `Ethereum address      ${context.address(demoWallet.address)}`,
    `Ethereum private key  0x${hex(demoWallet.ethereumKey)}`,
    `BabyJubJub key        ${context.publicKey(demoWallet.publicKey)}`,
    `BabyJubJub private    0x${hex(demoWallet.privateKey)}`,
    ...demoAccounts().map(({ balance, index, symbol, tokenId }) =>
      `Account               ${
        context.accountIndex(symbol, index)
      }  token ${tokenId}, funded with ${balance} units`
    )
  ]
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
