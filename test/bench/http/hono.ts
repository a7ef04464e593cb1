import { Effect, ManagedRuntime } from "effect"
import { Hono } from "hono"
import { fetchHandler } from "../../../adapters/http/mod.ts"
import { memoryNode } from "../../_memory_node.ts"
import { drive, simulate } from "../../../app/simulator/mod.ts"
import { showRatio } from "../_figures.ts"

const requests = 2000

/**
 * Our fetch handler ÷ one of Hono that holds the same answers as objects, in this process without a
 * socket: each request is created, answered and read, in turn.
 */
export const benchHono = async (rounds: number): Promise<void> => {
  const simulation = simulate({ seed: 1 })
  const runtime = ManagedRuntime.make(memoryNode({ genesis: simulation.genesis }))
  try {
    await runtime.runPromise(
      Effect.scoped(drive(simulation, { transactions: 3000, paceMs: Infinity }))
    )
    const ours = await runtime.runPromise(fetchHandler)
    for (
      const [name, path] of Object.entries({
        "one token": "/tokens/0",
        "20 transactions": "/transactions-history?limit=20"
      })
    ) {
      const answer: unknown = await (await ours(new Request(`http://node.example${path}`))).json()
      const hono = new Hono().get(
        path.split("?", 1)[0]!,
        (context) => context.json(answer as object)
      )
      const perSecond = async (
        fetch: (request: Request) => Response | Promise<Response>
      ): Promise<number> => {
        const started = performance.now()
        for (let i = 0; i < requests; i++) {
          await (await fetch(new Request(`http://node.example${path}`))).text()
        }
        return requests / (performance.now() - started) * 1000
      }
      const ratios: Array<number> = []
      for (let round = -2; round < rounds; round++) {
        const first = round % 2 === 0 ? await perSecond(ours) : 0
        const theirs = await perSecond((request) => hono.fetch(request))
        const own = first === 0 ? await perSecond(ours) : first
        if (round >= 0) ratios.push(own / theirs)
      }
      showRatio({
        name: `${name}, cached, fetch ÷ Hono`,
        values: ratios,
        conditions: "in process"
      })
    }
  } finally {
    await runtime.dispose()
  }
}
