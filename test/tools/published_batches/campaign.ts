import { parseArgs } from "node:util"
import { differenceOf } from "../../vectors/batch_chain.ts"
import { type Counts, randomChain } from "./_random_chains.ts"
import { publishedLibraries } from "./_rollup.ts"

/*
 * Compares the state transition with the published implementation on random chains of batches:
 * state roots, exit roots, leaves, balances, nonces and effective amounts. Creation with exit is not
 * among them: the published implementation files its exit under index 0.
 *
 *     npm install --prefix FOLDER --ignore-scripts @hermeznetwork/commonjs@0.3.3
 *     node test/tools/published_batches/campaign.ts --installed FOLDER --batches 600
 */
const { values } = parseArgs({
  options: {
    installed: { type: "string" },
    batches: { type: "string", default: "600" },
    seed: { type: "string", default: "published" }
  }
})

const batchesOfChain = 6
const libraries = publishedLibraries(values.installed)
const counts: Counts = {}
const totals = { batches: 0, transactions: 0, exits: 0, emptyExits: 0, differences: 0 }
while (totals.batches < Number(values.batches)) {
  const title = `${values.seed} ${totals.batches / batchesOfChain}`
  const chain = await randomChain(libraries, title, batchesOfChain, counts)
  for (const { batch, expected } of chain.batches) {
    const { exits } = expected!
    totals.batches++
    totals.transactions += batch.queue.length + batch.coordinator.length + batch.l2.length
    totals.exits += exits.length
    totals.emptyExits += exits.filter(([, balance]) => balance === "0").length
  }
  const difference = differenceOf(chain)
  if (difference !== undefined) {
    totals.differences++
    console.log(difference)
  }
}
console.table(counts)
console.log(totals)
process.exitCode = totals.differences === 0 ? 0 : 1
