import { Effect } from "effect"
import { verifierWorkers } from "../../adapters/crypto/node.ts"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { SignatureVerifier } from "../../core/ports/mod.ts"
import { ann, bob, network, signed, transactionText } from "../submission/_wallets.ts"
import { median } from "./_load.ts"
import { startServer } from "./_servers.ts"

/**
 * Posts that are verified and stored each second over HTTP, to bare verification of the same transactions over the same
 * number of threads; and what a reader waits meanwhile. Every transaction is new, none is answered from the pool.
 */
export const benchPosts = async (options: { readonly rounds: number; readonly count: number }) => {
  const server = await startServer("./_posting_server.ts", [], "all")
  const ratios: Array<number> = []
  const idle: Array<number> = []
  const busy: Array<number> = []
  const rates: Array<number> = []
  try {
    for (let round = -1; round < options.rounds; round++) {
      const count = round < 0 ? 50 : options.count
      const first = round < 0 ? 0 : 25 + round * options.count / 2
      const transactions = Array.from({ length: count }, (_, i) => {
        const nonce = BigInt(first + (i >> 1))
        return i % 2 === 0 ? signed(ann, { nonce }) : signed(bob, { fromAccountIndex: 257, toAccountIndex: 256, nonce })
      })
      const bareMs = await bare(transactions)
      if (round >= 0) idle.push(...await readsDuring(server.port, new Promise((resolve) => setTimeout(resolve, 500))))
      const started = performance.now()
      const posting = postAll(server.port, transactions)
      const reads = await readsDuring(server.port, posting)
      await posting
      const postedMs = performance.now() - started
      if (round < 0) continue
      busy.push(...reads)
      ratios.push(bareMs / postedMs)
      rates.push(count / postedMs * 1000)
    }
  } finally {
    await server.stop()
  }
  const ratio = median(ratios)
  console.log(`  posts ÷ bare verification      ${ratio.median.toFixed(2)} ± ${ratio.spread.toFixed(2)}   (${Math.round(median(rates).median)} posts/s)`)
  const [before, during] = [median(idle).median, median(busy).median]
  console.log(`  one read meanwhile ÷ idle      ${(during / before).toFixed(2)}   (${during.toFixed(2)} ms ÷ ${before.toFixed(2)} ms; the client shares the cores)`)
}

const bare = (transactions: ReadonlyArray<PostedTransaction>): Promise<number> =>
  Effect.runPromise(Effect.gen(function*() {
    const verifier = yield* SignatureVerifier
    const verify = (transaction: PostedTransaction) =>
      verifier.transaction(transaction, transaction.fromAccountIndex === 256 ? ann.publicKey : bob.publicKey)
    yield* Effect.forEach(transactions.slice(0, 8), verify, { concurrency: "unbounded" })
    const started = performance.now()
    yield* Effect.forEach(transactions, verify, { concurrency: "unbounded", discard: true })
    return performance.now() - started
  }).pipe(Effect.provide(verifierWorkers(network))))

/** 64 at a time, as many wallets would. */
const postAll = async (port: number, transactions: ReadonlyArray<PostedTransaction>): Promise<void> => {
  const waiting = transactions.map(transactionText)
  await Promise.all(Array.from({ length: 64 }, async () => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
      const response = await fetch(`http://127.0.0.1:${port}/transactions-pool`, { method: "POST", headers: { "content-type": "application/json" }, body })
      const answer = await response.text()
      if (response.status !== 200) throw new Error(`${response.status}: ${answer}`)
    }
  }))
}

/** Milliseconds of one page after the other until something ends. */
const readsDuring = async (port: number, until: Promise<unknown>): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  const work = { done: false }
  void until.finally(() => { work.done = true }).catch(() => {})
  while (!work.done) {
    const started = performance.now()
    await (await fetch(`http://127.0.0.1:${port}/accounts`)).text()
    times.push(performance.now() - started)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return times
}
