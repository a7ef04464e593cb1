import { accountLeaf, merkleTree } from "../../../adapters/crypto/mod.ts"
import type { ExitFeed } from "../../../core/domain/mod.ts"
import type { BatchOutcome } from "../../../core/use_cases/mod.ts"
import { accountOf, type Recording, type World } from "../world/mod.ts"

/** The exits of a batch with their proofs, and the root that these lead to. */
export interface ProvenExits {
  readonly exitRoot: bigint
  readonly exits: ReadonlyArray<ExitFeed>
}

/** The real exit tree of a batch, so that every proof verifies. */
export function exitTree(
  recording: Recording,
  world: World,
  exits: BatchOutcome["exits"]
): ProvenExits {
  if (exits.length === 0) return { exitRoot: 0n, exits: [] }
  const leaving = exits.map(({ accountIndex, balance }) => ({
    ...accountOf(world, accountIndex)!,
    index: accountIndex,
    nonce: 0n,
    balance
  }))
  const subject = leaving.map(({ address, balance, index, publicKey, tokenId }) =>
    `${index} ${tokenId} ${balance} ${publicKey} ${address}`
  )
  return read(
    exits,
    recording.getOrCompute(`exits\n${subject.join("\n")}`, () => {
      const tree = merkleTree(
        leaving.map((account) => ({ index: account.index, leaf: accountLeaf(account) }))
      )
      return [
        tree.root,
        ...exits.flatMap(({ accountIndex }) => {
          const { siblings, value } = tree.proof(accountIndex)!
          return [value, BigInt(siblings.length), ...siblings]
        })
      ]
    })
  )
}

/** The root, then for each exit its leaf, the number of siblings and the siblings. */
function read(
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
        oldKey: 0n,
        oldValue: 0n,
        isOld0: false,
        key: BigInt(accountIndex),
        value,
        fnc: 0
      }
      return { accountIndex, balance, merkleProof }
    })
  }
}
