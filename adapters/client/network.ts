import { sendWithRetries } from "./_exchange.ts"
import { baseUrl, type CallOptions, type ClientOptions, exchangeOptionsOf } from "./options.ts"
import type { Outcome } from "./outcome.ts"

/** The identity of a network, which wallets need to derive keys and to sign. */
export interface NetworkIdentity {
  /** The provider name of authorizations. */
  readonly name: string
  /** 0..65535 */
  readonly chainId: number
  /** The address of the rollup contract. */
  readonly rollupAddress: string
  /** The prefix of identifiers and names. */
  readonly prefix: string
  /** The revisions that the server mounts, each with its path. */
  readonly revisions: ReadonlyArray<{ readonly revision: string; readonly path: string }>
}

/**
 * Returns the identity of the network of a server, with `prefix`, which `rollupClient` takes. It
 * resolves to an answer or to a failure, as the calls of a client do.
 *
 * ```ts
 * import { getNetwork, valueOf } from "rollup-node-api/client"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const network = valueOf(await getNetwork({ url: "http://node", fetch: node.fetch }))
 * console.log(network.name, network.chainId, network.prefix) // => Rollup Network 1337 zk
 * await node.close()
 * ```
 */
export const getNetwork = async (
  options: ClientOptions,
  { signal }: CallOptions = {}
): Promise<Outcome<NetworkIdentity>> =>
  await sendWithRetries(exchangeOptionsOf(options), {
    url: `${baseUrl(options)}/network`,
    signal
  }) as Outcome<NetworkIdentity>
