/*
 * Imported first, replaces the Poseidon permutation in test processes by one with a cache, and the
 * cryptography of simulated wallets. Signing and verifying happen in one process here, trees are
 * proven where they were built, and many networks are made from the same seeds.
 */
import { registerHooks } from "node:module"
import { isMainThread } from "node:worker_threads"
import type { FixedHash } from "../../adapters/crypto/_permutation.ts"

const { url } = import.meta
const permutation = new URL("../../adapters/crypto/_permutation.ts", url).href
const wallets = new URL("../../app/simulator/world/wallets.ts", url).href
const rememberedWallets = new URL("_remembered_wallets.ts", url).href
// worker threads of the program are not changed
if (isMainThread) {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "./_permutation.ts" && context.parentURL !== url
        ? { url, shortCircuit: true }
        : specifier.endsWith("/crypto/mod.ts") && context.parentURL === wallets
        ? { url: rememberedWallets, shortCircuit: true }
        : next(specifier, context)
  })
}

const { fixedPoseidon: computed, INPUTS_MAX } = await import(permutation) as {
  readonly fixedPoseidon: (inputs: number) => FixedHash
  readonly INPUTS_MAX: number
}
export { INPUTS_MAX }

const KEPT_MAX = 50_000

export const fixedPoseidon = (inputs: number): FixedHash => {
  const hash = computed(inputs)
  const results = new Map<string, bigint>()
  return (values) => {
    const key = values.join()
    let result = results.get(key)
    if (result === undefined) {
      if (results.size >= KEPT_MAX) results.clear()
      results.set(key, result = hash(values))
    }
    return result
  }
}
