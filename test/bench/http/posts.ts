import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import { verifierWorkers } from "../../../adapters/crypto/node.ts"
import type { PostedTransaction } from "../../../core/domain/mod.ts"
import { SignatureVerifier } from "../../../core/ports/mod.ts"
import { ann, bob, network, transactionText } from "../../submission/_wallets.ts"
import { showRatio } from "../_figures.ts"
import { median, post } from "../_load.ts"
import { requestsText } from "../_rates.ts"
import { startNode } from "../_servers.ts"
import { nextTransaction } from "./_next_transaction.ts"

const connections = 64

/**
 * Measures verified and stored posts per second over HTTP ÷ verification alone with the same number
 * of threads; and in a second half the latency of reads during the posts. Every transaction is new.
 */
export const benchPosts = async (
  { count, rounds }: { readonly rounds: number; readonly count: number }
): Promise<void> => {
  await using server = await startNode(["posts"])
  const [ratios, rates]: [Array<number>, Array<number>] = [[], []]
  const [idle, busy]: [Array<number>, Array<number>] = [[], []]
  const take = () => Array.from({ length: count }, nextTransaction)
  const postAll = (transactions: ReadonlyArray<PostedTransaction>) =>
    post(server.port, "/transactions-pool", connections, transactions.map(transactionText))
  await postAll(take())
  for (let round = 0; round < rounds; round++) {
    const transactions = take()
    const bareMs = await verifyAll(transactions)
    const started = performance.now()
    await postAll(transactions)
    const postedMs = performance.now() - started
    ratios.push(bareMs / postedMs)
    rates.push(count / postedMs * 1000)
    idle.push(await readDuring(server.port, sleep(500)))
    busy.push(await readDuring(server.port, postAll(take())))
  }
  showRatio({
    name: "posts over HTTP ÷ bare verification",
    values: ratios,
    conditions: `${requestsText(connections, 1)}, each body once; ${
      Math.round(median(rates).median)
    } posts/s`
  })
  const [before, during] = [idle, busy].map((ms) => median(ms).median.toFixed(2))
  showRatio({
    name: "one read while posts are verified ÷ idle",
    values: busy.map((ms, round) => ms / idle[round]!),
    conditions: `${requestsText(1, 1)}; ${during} ms ÷ ${before} ms; the client shares the cores`
  })
}

/** Returns the milliseconds in which the threads verify transactions, without HTTP and stores. */
const verifyAll = (transactions: ReadonlyArray<PostedTransaction>): Promise<number> =>
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

/** Returns the median of the milliseconds of consecutive reads until something ends. */
const readDuring = async (port: number, until: Promise<unknown>): Promise<number> => {
  const times: Array<number> = []
  const work = { isDone: false }
  const ended = until.finally(() => void (work.isDone = true))
  while (!work.isDone) {
    const started = performance.now()
    await (await fetch(`http://127.0.0.1:${port}/accounts`)).text()
    times.push(performance.now() - started)
    await sleep(5)
  }
  await ended
  return median(times).median
}
