import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import type { ChainCase } from "../../vectors/batch_cases.ts"
import type { VectorCase } from "../../vectors/mod.ts"
import { minimumBidCases } from "./_auction.ts"
import { leafKeyCases } from "./_leaf_keys.ts"
import { type NamedChain, namedChains } from "./_named_chains.ts"
import { randomChain } from "./_random_chains.ts"
import { publishedLibraries, PublishedRollup } from "./_rollup.ts"

/*
 * Writes the vectors whose expected values come from the published JavaScript implementation, or
 * from a model of the contract. Nothing of `core` or `adapters` computes an expected value.
 *
 *     npm install --prefix FOLDER --ignore-scripts @hermeznetwork/commonjs@0.3.3
 *     node test/tools/published_batches/write_vectors.ts --installed FOLDER
 */
const { values: { installed } } = parseArgs({ options: { installed: { type: "string" } } })
const libraries = publishedLibraries(installed)

async function namedCase({ batches, refused, title }: NamedChain): Promise<ChainCase> {
  const rollup = await PublishedRollup.open(libraries)
  const applied: Array<ChainCase["batches"][number]> = []
  let stage = "the published roots"
  for (const [position, batch] of batches.entries()) {
    if (refused === undefined || position < batches.length - 1) {
      applied.push({ batch, expected: await rollup.apply(batch) })
      continue
    }
    applied.push({ batch, expected: null })
    stage = await rollup.apply(batch).then(
      () => `${refused} (rule of the circuit)`,
      (error: Error) => `${refused} (published: ${error.message})`
    )
  }
  const verdict = { accept: refused === undefined, stage }
  return { negative: refused !== undefined, title, verdict, batches: applied }
}

function write(
  kind: string,
  howGenerated: string,
  fields: Readonly<Record<string, string>>,
  cases: ReadonlyArray<VectorCase>
): void {
  const head = {
    kind,
    generatedWith: { commonjs: "0.3.3", circomlib: "0.5.5" },
    howGenerated,
    fields,
    count: cases.length
  }
  const rows = cases.map((each) => `  ${JSON.stringify(each)}`).join(",\n")
  writeFileSync(
    new URL(`../../vectors/${kind}.json`, import.meta.url),
    `${JSON.stringify(head, null, 1).slice(0, -2)},\n "cases": [\n${rows}\n ]\n}\n`
  )
}

const chains: Array<ChainCase> = []
for (const chain of namedChains) chains.push(await namedCase(chain))
for (let number = 0; number < 4; number++) {
  chains.push(await randomChain(libraries, `random ${number}`, 4))
}
write(
  "batches",
  "Chains of batches from the empty state, applied by RollupDB and BatchBuilder of the published @hermeznetwork/commonjs: roots, leaves, balances, nonces and effective amounts are its results. It cannot run two kinds of transactions, which it is given in another form: a creation with an exit as a creation, with the leaf of 0 inserted in its exit tree afterwards (Poseidon and tree of circomlib); a transfer of 0 to an account that does not exist as an exit of 0. Whether a batch is refused (negative) was decided by hand from the rules of contracts and circuit; verdict.stage has the error if the published implementation throws too. The random chains come from a seeded generator.",
  {
    queue: "L1 user transactions that the batch forges, by position",
    coordinator: "accounts that the coordinator creates",
    effectiveAmounts: "by position in the queue",
    accounts: "token, nonce, balance of all accounts after the batch, from index 256",
    exits: "account, balance and value of each leaf of the exit tree",
    verdict: "whether the last batch is accepted, and why",
    publicKey: "32 bytes in little-endian order, hexadecimal"
  },
  chains
)
write(
  "leaf-keys",
  "Keys as users send them, with bit 254 set or with y above the field order. Leaf by hashState of commonjs over bits 0 to 253 and bit 255; hash by buildHashSig, signature and verdict by EdDSA of circomlib with the point of the leaf's y and sign.",
  {
    y: "coordinate in the leaf: bits 0 to 253 modulo the field order",
    leaf: "hash of an account with the key",
    signed:
      "a transfer to toPublicKey, signed with the private key of publicKey; null if publicKey is no point",
    messageHash: "field element that is signed"
  },
  leafKeyCases(libraries)
)
write(
  "minimum-bids",
  "Random changes of the default minimum bids. Expected minima by a model of the auction contract, which writes the old minimum into the current slot and the closed ones unless an earlier change has.",
  {
    changes:
      "by slot; slotSet is the slot number modulo 6, closedAuctionSlots holds from the change on",
    minima: "the minimum of slots from that of the last change on"
  },
  minimumBidCases()
)
