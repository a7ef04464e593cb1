import { Effect } from "effect"
import { rollupClient, valueOf } from "../../adapters/client/mod.ts"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import {
  connect,
  floorAmount,
  InvalidTransaction,
  NoAccount,
  RequestFailed,
  unitsOf,
  type WalletAccount,
  walletFromEthereumKey
} from "../../adapters/wallet/mod.ts"
import { feeUSD, hexOfBytes, type PostedTransaction, wireContext } from "../../core/mod.ts"
import type { ResolvedOptions } from "../config/mod.ts"
import { ProgramFailure } from "../process/mod.ts"
import type * as options from "./options.ts"
import { printText } from "./output.ts"
import {
  type DemoWallet,
  networkOptions,
  type NetworkSettings,
  simulate,
  type Simulation
} from "../simulator/mod.ts"

/** Shows the demo wallet of a simulated network, or sends tokens from it. */
export const wallet = (settings: Settings): Effect.Effect<void, unknown> => {
  const { send } = settings
  const simulation = simulate(networkOptions(settings))
  const { demoWallet } = simulation
  if (settings.export) return printText(`0x${hexOfBytes(demoWallet.ethereumKey)}`)
  if (send === undefined) {
    return Effect.suspend(() => printText(formatWallet(withDemoAccounts(simulation)).join("\n")))
  }
  return Effect.tryPromise({
    try: (signal) => transfer(demoWallet, { ...settings, send }, signal),
    catch: (error) => failureOf(error, settings)
  }).pipe(Effect.flatMap((sent) => printText(formatSent(sent, settings))))
}

type Settings = NetworkSettings & ResolvedOptions<typeof options.wallet>

interface Sent {
  readonly transaction: PostedTransaction
  readonly account: WalletAccount
}

/** Sends tokens. The amount is rounded down to one that a transaction can contain. */
const transfer = async (
  { ethereumKey }: DemoWallet,
  { nonce, send, to, token, url }: Settings & { readonly send: string },
  signal: AbortSignal
): Promise<Sent> => {
  const rollup = await connect({ url }, { signal })
  const account = await rollup.account(
    walletFromEthereumKey(ethereumKey, rollup.network),
    token,
    { signal }
  )
  const units = unitsOf(send, account.token.decimals)
  const transaction = await account.build({
    to: to ?? await anyReceiver(url, account, signal),
    amount: units === undefined ? send : floorAmount(units),
    ...nonce === undefined ? {} : { nonce }
  }, { signal })
  await account.post(transaction, { signal })
  return { transaction, account }
}

/** Returns the index of another account of the token. */
const anyReceiver = async (
  url: string,
  { accountIndex, token }: WalletAccount,
  signal: AbortSignal
): Promise<string> => {
  const query = { tokenIds: [token.id], limit: 2 }
  const { accounts } = valueOf(await rollupClient({ url }).getAccounts(query, { signal }))
  const other = accounts.find((account) => account.accountIndex !== accountIndex)
  if (other !== undefined) return other.accountIndex
  throw new NoAccount(`There is no other account of ${token.symbol}: name a receiver with --to`)
}

const failureOf = (error: unknown, { seed, url }: Settings): unknown => {
  const refused = (message: string) => new ProgramFailure({ exitReason: "refused", message })
  if (error instanceof RequestFailed) {
    return refused(
      error.failure._tag === "Refused"
        ? `${url} refuses the request: ${error.message}`
        : `${error.message}: start a server with npm start, or name another one with --url`
    )
  }
  if (error instanceof NoAccount) {
    return refused(`${error.message}. The wallet is that of seed "${seed}": see --seed and --token`)
  }
  return error instanceof InvalidTransaction ? refused(error.message) : error
}

const formatSent = (
  { account: { token }, transaction }: Sent,
  { send, url }: Settings
): string => {
  const { id, nonce, type } = transaction
  const fee = feeUSD(transaction, { priceUSD: token.USD, decimals: token.decimals })
  return [
    `Posted ${type} of ${send} ${token.symbol} with nonce ${nonce} and a fee of ${
      fee.toPrecision(3)
    } US dollars:`,
    id,
    "",
    "Its state in the pool: pend, then fing once the coordinator has selected it, then fged",
    `  curl ${url}/transactions-pool/${id}`,
    "In the history, once it is forged",
    `  curl ${url}/transactions-history/${id}`
  ].join("\n")
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
    "The demo wallet of the simulated network. Its keys are public: do not use them on other networks",
    "",
    `Ethereum address      ${context.address(demoWallet.address)}`,
    `Ethereum private key  0x${hexOfBytes(demoWallet.ethereumKey)}`,
    `BabyJubJub key        ${context.publicKey(demoWallet.publicKey)}`,
    `BabyJubJub private    0x${hexOfBytes(demoWallet.privateKey)}`,
    ...demoAccounts().map(({ balance, index, symbol, tokenId }) =>
      `Account               ${
        context.accountIndex(symbol, index)
      }  token ${tokenId}, funded with ${balance} units`
    )
  ]
}
