import { type ClientOptions, rollupClient } from "../../adapters/client/mod.ts"
import { openNode, type RollupNode } from "../../app/embed/mod.ts"
import { defaultNetwork, simulate } from "../../app/simulator/mod.ts"

/** Opens a node in memory with a network of some blocks. */
export const openedNode = async (prefix = "zk", blocks = 40): Promise<RollupNode> => {
  const network = { ...defaultNetwork, prefix }
  const simulation = simulate({
    seed: "client",
    users: 16,
    transactionsPerBlock: 5,
    rollBackPeriodBlocks: 1000,
    exitShare: 0.1,
    placeholderRoots: true,
    network
  })
  const node = await openNode({ genesis: simulation.genesis })
  for (let i = 0; i < blocks; i++) await node.applyRecord(simulation.next())
  return node
}

/** A request and its response. */
export interface RecordedRequest {
  readonly request: Request
  readonly response: Response
}

/** Returns a client of a node that records all requests. */
export const clientOf = (
  node: Pick<RollupNode, "fetch">,
  options: Partial<ClientOptions<"later", "zk">> = {}
) => {
  const seen: Array<RecordedRequest> = []
  const client = rollupClient({
    url: "http://node",
    retriesMax: 0,
    ...options,
    fetch: async (request) => {
      const response = await node.fetch(request)
      seen.push({ request, response })
      return response
    }
  })
  return { client, seen }
}

export type Scripted = () => Response | Promise<Response>

/** Returns a server with these answers, one after the other; the last one repeats. */
export const scripted = (...answers: ReadonlyArray<Scripted>) => {
  const requests: Array<Request> = []
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(request)
    return answers[Math.min(requests.length, answers.length) - 1]!()
  }
  return { requests, fetch }
}

/** Returns a refusal as the server writes it. */
export const refusal = (status: number, name: string, headers: Record<string, string> = {}) => () =>
  new Response(
    JSON.stringify({
      message: `Refused: ${name}`,
      type: `urn:rollup-node-api:problem:${name}`,
      title: name,
      status,
      detail: name,
      instance: "/"
    }),
    {
      status,
      headers: { "content-type": "application/json", "api-revision": "later", ...headers }
    }
  )

export const json = (body: string, headers: Record<string, string> = {}, status = 200) => () =>
  new Response(body, {
    status,
    headers: { "content-type": "application/json", "api-revision": "later", ...headers }
  })
