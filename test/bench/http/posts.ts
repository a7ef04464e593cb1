import { Effect } from "effect"
import { verifierWorkers } from "../../../adapters/crypto/node.ts"
import type { PostedTransaction } from "../../../core/domain/mod.ts"
import { SignatureVerifier } from "../../../core/ports/mod.ts"
import { ann, bob, network, signed, transactionText } from "../../submission/_wallets.ts"
import { showFigure, showRatio } from "../_figures.ts"
import { median, post } from "../_load.ts"
import { startServer } from "../_servers.ts"

/**
 * Measures verified and stored posts per second over HTTP ÷ verification alone with the same number
 * of threads; and in a second half the latency of reads during the posts. Every transaction is new.
 */
export const benchPosts = async (options: { readonly rounds: number; readonly count: number }) => {
  const server = await startServer(import.meta.resolve("./_posting_server.ts"), [], "all")
  const ratios: Array<number> = []
  const idle: Array<number> = []
  const busy: Array<number> = []
  const rates: Array<number> = []
  let nonces = 0
  // two wallets post in turn
  const take = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const nonce = BigInt(nonces + (i >> 1))
      if (i === count - 1) nonces += count / 2
      return i % 2 === 0
        ? signed(ann, { nonce })
        : signed(bob, { fromAccountIndex: 257, toAccountIndex: 256, nonce })
    })
  const postAll = (transactions: ReadonlyArray<PostedTransaction>) =>
    post({
      port: server.port,
      path: "/transactions-pool",
      connections: 64,
      bodies: transactions.map(transactionText)
    })
  try {
    await postAll(take(100))
    for (let round = 0; round < options.rounds; round++) {
      const transactions = take(options.count)
      const bareMs = await bare(transactions)
      const started = performance.now()
      await postAll(transactions)
      const postedMs = performance.now() - started
      ratios.push(bareMs / postedMs)
      rates.push(options.count / postedMs * 1000)
      idle.push(
        ...await readsDuring(server.port, new Promise((resolve) => setTimeout(resolve, 500)))
      )
      busy.push(...await readsDuring(server.port, postAll(take(options.count))))
    }
  } finally {
    await server.stop()
  }
  showRatio({
    name: "posts over HTTP ÷ bare verification",
    values: ratios,
    conditions: `64 connections; ${Math.round(median(rates).median)} posts/s`
  })
  const [before, during] = [median(idle).median, median(busy).median]
  showFigure({
    name: "one read while posts are verified ÷ idle",
    measured: (during / before).toFixed(2),
    conditions: `${during.toFixed(2)} ms ÷ ${before.toFixed(2)} ms; the client shares the cores`
  })
}

const bare = (transactions: ReadonlyArray<PostedTransaction>): Promise<number> =>
  Effect.runPromise(
    Effect.gen(function*() {
      const verifier = yield* SignatureVerifier
      const verify = (transaction: PostedTransaction) =>
        verifier.transaction(
          transaction,
          transaction.fromAccountIndex === 256 ? ann.publicKey : bob.publicKey
        )
      yield* Effect.forEach(transactions.slice(0, 8), verify, { concurrency: "unbounded" })
      const started = performance.now()
      yield* Effect.forEach(transactions, verify, { concurrency: "unbounded", discard: true })
      return performance.now() - started
    }).pipe(Effect.provide(verifierWorkers(network)))
  )

/** Returns the milliseconds of consecutive reads until something ends. */
const readsDuring = async (
  port: number,
  until: Promise<unknown>
): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  const work = { done: false }
  void until.finally(() => {
    work.done = true
  }).catch(() => {})
  while (!work.done) {
    const started = performance.now()
    await (await fetch(`http://127.0.0.1:${port}/accounts`)).text()
    times.push(performance.now() - started)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return times
}
