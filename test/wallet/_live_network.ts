import { Effect, Layer, ManagedRuntime } from "effect"
import { fetchHandler } from "../../adapters/http/mod.ts"
import {
  connect,
  type ConnectOptions,
  type Rollup,
  type Wallet,
  walletFromEthereumKey
} from "../../adapters/wallet/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { defaultNetwork, driveOnce, simulate, type Simulation } from "../../app/simulator/mod.ts"
import { Monitor } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"

/** A node in memory whose simulated coordinator forges, and a connection to it. */
export interface LiveNetwork {
  readonly rollup: Rollup
  readonly simulation: Simulation
  /** The demo wallet of the simulation, which has an account with ether and one with GOV. */
  readonly demo: Wallet
  readonly fetch: (request: Request) => Promise<Response>
  /** The requests so far, as method and path. */
  readonly requests: ReadonlyArray<string>
  /** Waits for a new block. */
  readonly wait: NonNullable<ConnectOptions["wait"]>
  readonly close: () => Promise<void>
}

/** Connects to a live network again, with other options. */
export const connectTo = (
  { fetch, wait }: Pick<LiveNetwork, "fetch" | "wait">,
  options: Partial<ConnectOptions> = {}
): Promise<Rollup> => connect({ url: "http://node", fetch, wait, ...options })

/** Opens a live network. Each wait of the wallet is a new block. */
export const openLiveNetwork = async (prefix = "zk"): Promise<LiveNetwork> => {
  const simulation = simulate({
    seed: "wallet 13",
    users: 20,
    transactionsPerBlock: 4,
    rollBackPeriodBlocks: 0,
    placeholderRoots: true,
    network: { ...defaultNetwork, prefix }
  })
  const runtime = ManagedRuntime.make(
    Layer.provide(
      memoryNode({ genesis: simulation.genesis }),
      Layer.succeed(Monitor, null)
    )
  )
  const ledger = await runtime.runPromise(Ledger)
  while (simulation.demoAccounts().length < 2) {
    await Effect.runPromise(ledger.applyRecord(simulation.next()))
  }
  const handler = await runtime.runPromise(fetchHandler)
  const requests: Array<string> = []
  const fetch = (request: Request) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`)
    return handler(request)
  }
  const wait: LiveNetwork["wait"] = async (_, signal) => {
    signal?.throwIfAborted()
    await runtime.runPromise(driveOnce(simulation))
  }
  const rollup = await connectTo({ fetch, wait })
  const demo = walletFromEthereumKey(simulation.demoWallet.ethereumKey, rollup.network)
  return { rollup, simulation, demo, fetch, wait, requests, close: () => runtime.dispose() }
}
