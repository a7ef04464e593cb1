import { exitTree } from "../../../adapters/crypto/mod.ts"
import type { ExitFeed } from "../../../core/domain/mod.ts"
import { inclusionOldLeaf } from "../../../core/encoding/mod.ts"
import type { BatchOutcome } from "../../../core/use_cases/mod.ts"
import { accountOf, type Recording, type World } from "../world/mod.ts"

/** The exits of a batch with their Merkle proofs, and the root of the exit tree. */
export interface ProvenExits {
  readonly exitRoot: bigint
  readonly exits: ReadonlyArray<ExitFeed>
}

/** Returns the exits of a batch with valid proofs. */
export function provenExits(
  recording: Recording,
  world: World,
  exits: BatchOutcome["exits"]
): ProvenExits {
  if (exits.length === 0) return { exitRoot: 0n, exits: [] }
  const leaves = exits.map(({ accountIndex, balance }) => ({
    ...accountOf(world, accountIndex)!,
    accountIndex,
    balance
  }))
  const input = leaves.map(({ accountIndex, address, balance, publicKey, tokenId }) =>
    `${accountIndex} ${tokenId} ${balance} ${publicKey} ${address}`
  )
  return parse(
    exits,
    recording.getOrCompute(`exits\n${input.join("\n")}`, () => {
      const { proofs, root } = exitTree(leaves)
      return [
        root,
        ...proofs.flatMap(({ siblings, value }) => [value, BigInt(siblings.length), ...siblings])
      ]
    })
  )
}

/** Parses the root, then for each exit the leaf, the number of siblings and the siblings. */
function parse(
  exits: BatchOutcome["exits"],
  [root, ...numbers]: ReadonlyArray<bigint>
): ProvenExits {
  let next = 0
  return {
    exitRoot: root!,
    exits: exits.map(({ accountIndex, balance }) => {
      const value = numbers[next]!
      const start = next + 2
      next = start + Number(numbers[next + 1])
      const merkleProof = {
        root: root!,
        siblings: numbers.slice(start, next),
        ...inclusionOldLeaf,
        key: BigInt(accountIndex),
        value,
        fnc: 0
      }
      return { accountIndex, balance, merkleProof }
    })
  }
}
