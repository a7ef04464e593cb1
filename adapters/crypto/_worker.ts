import { parentPort, workerData } from "node:worker_threads"
import type { Network } from "../../core/domain/mod.ts"
import { answer, type Question } from "./_question.ts"

/* Runs in a worker thread: answers batches of questions in the order in which they come. */

const network = workerData as Network

parentPort?.on("message", (questions: ReadonlyArray<Question>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(questions.map((question) => answer(question, network)))
})
