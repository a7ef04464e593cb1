/*
 * Imported first, replaces poseidon-lite in test processes by a version with a cache. Signing and
 * verifying happen in one process here, trees are proven where they were built, and many networks
 * are made from the same seeds.
 */
import { createRequire, registerHooks } from "node:module"
import { isMainThread } from "node:worker_threads"

const { url } = import.meta
// worker threads of the program are not changed
if (isMainThread) {
  registerHooks({
    resolve: (specifier, context, next) =>
      /^poseidon-lite\/poseidon\d$/u.test(specifier) && context.parentURL !== url
        ? { url, shortCircuit: true }
        : next(specifier, context)
  })
}

type Hash = (inputs: ReadonlyArray<bigint>) => bigint

const load = createRequire(url)
const KEPT_MAX = 50_000

const remembered = (inputs: 1 | 2 | 3 | 4 | 5 | 6): Hash => {
  const { [`poseidon${inputs}`]: hash } = load(`poseidon-lite/poseidon${inputs}`) as {
    readonly [name: string]: Hash
  }
  const results = new Map<string, bigint>()
  return (values) => {
    const key = values.join()
    let result = results.get(key)
    if (result === undefined) {
      if (results.size >= KEPT_MAX) results.clear()
      results.set(key, result = hash!(values))
    }
    return result
  }
}

export const poseidon1 = remembered(1)
export const poseidon2 = remembered(2)
export const poseidon3 = remembered(3)
export const poseidon4 = remembered(4)
export const poseidon5 = remembered(5)
export const poseidon6 = remembered(6)
