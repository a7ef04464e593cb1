import { Struct } from "effect"
import {
  type BatchFeed,
  type Exit,
  type ExitFeed,
  type MerkleProof,
  type New
} from "../../domain/mod.ts"
import {
  type AccountIndex,
  FIELD_ORDER,
  inclusionOldLeaf,
  isFieldElement
} from "../../encoding/mod.ts"
import type { BatchOutcome } from "../batch/mod.ts"
import { type BlockViolation, makeViolation, violationsIn } from "../violation/mod.ts"
import type { StagedBlock } from "./_staged_block.ts"

/**
 * Compares the exits that the feed declares with the computed ones, and checks the form of their
 * proofs.
 */
export function checkExits(
  batch: BatchFeed,
  computed: BatchOutcome["exits"]
): BlockViolation | undefined {
  const declared: ReadonlyArray<ExitFeed> = batch.exits ?? computed
  const length = Math.max(declared.length, computed.length)
  const refuse = violationsIn(batch, "")
  if (length === 0 && batch.exitRoot !== 0n) {
    return refuse("exit-root", "exitRoot", "0, since nothing leaves")
  }
  if (length > 0 && batch.exitRoot === 0n) {
    return refuse("exit-root", "exitRoot", `the root of a tree of ${computed.length} leaves`)
  }
  for (let position = 0; position < length; position++) {
    const violation = checkExit(batch, declared[position], computed[position], `/exits/${position}`)
    if (violation !== undefined) return violation
  }
  return undefined
}

/** Checks that both roots are elements of the scalar field. */
export function checkRoots({ exitRoot, stateRoot }: BatchFeed): BlockViolation | undefined {
  return checkElement(stateRoot, "/stateRoot") ?? checkElement(exitRoot, "/exitRoot")
}

/**
 * Returns the rows of the exits, ascending by account index. A row without a proof in the feed has
 * `unknownProof`.
 */
export const exitRows = (
  staged: StagedBlock,
  { batchNum, exits }: BatchFeed,
  computed: BatchOutcome["exits"]
): ReadonlyArray<New<Exit>> =>
  computed.flatMap(({ accountIndex, balance }, position) => {
    const account = staged.account(accountIndex)
    const proof = exits?.[position]?.merkleProof
    return account === undefined ? [] : [{
      batchNum,
      accountIndex,
      tokenId: account.tokenId,
      address: account.address,
      publicKey: account.publicKey,
      merkleProof: proof === undefined ? unknownProof : withoutPadding(proof),
      balance,
      instantWithdrawn: null,
      delayedWithdrawRequest: null,
      delayedWithdrawn: null
    }]
  })

/** Stands for a proof that the feed does not have, until the exit tree of the batch is built. */
export const unknownProof: MerkleProof = {
  root: 0n,
  siblings: [],
  ...inclusionOldLeaf,
  key: 0n,
  value: 0n,
  fnc: 0
}

/**
 * Returns the proof as the withdrawal contract expects it: circuits pad the siblings to the height
 * of the tree.
 */
const withoutPadding = (proof: MerkleProof): MerkleProof => ({
  ...proof,
  siblings: proof.siblings.slice(0, proof.siblings.findLastIndex((node) => node !== 0n) + 1)
})

function checkExit(
  { exitRoot }: BatchFeed,
  declared: ExitFeed | undefined,
  computed: BatchOutcome["exits"][number] | undefined,
  pointer: string
): BlockViolation | undefined {
  if (declared?.accountIndex !== computed?.accountIndex || declared === undefined) {
    const expected = computed === undefined
      ? "no further exit"
      : `${computed.accountIndex}, the next account with an exit`
    const found = declared?.accountIndex ?? null
    return makeViolation("exit-account", found, expected, `${pointer}/accountIndex`)
  }
  if (declared.balance !== computed?.balance) {
    const expected = `${computed?.balance}, the sum of the exits of the account`
    return makeViolation("exit-balance", declared.balance, expected, `${pointer}/balance`)
  }
  return declared.merkleProof === undefined
    ? undefined
    : checkProof(exitRoot, declared.accountIndex, declared.merkleProof, `${pointer}/merkleProof`)
}

/** Checks the form of a proof. */
function checkProof(
  exitRoot: bigint,
  accountIndex: AccountIndex,
  proof: MerkleProof,
  pointer: string
): BlockViolation | undefined {
  const { fnc, key, root, siblings, value } = proof
  const refuse = violationsIn(proof, pointer)
  if (root !== exitRoot) {
    return refuse("exit-proof", "root", `${exitRoot}, the exit root of the batch`)
  }
  if (key !== BigInt(accountIndex)) {
    return refuse("exit-proof", "key", `${accountIndex}, the index of the account`)
  }
  if (fnc !== 0) return refuse("exit-proof", "fnc", "0, a proof of inclusion")
  for (const name of Struct.keys(inclusionOldLeaf)) {
    const expected = inclusionOldLeaf[name]
    if (proof[name] !== expected) {
      return refuse("exit-proof", name, `${expected}, as in every proof of inclusion`)
    }
  }
  const outside = siblings.findIndex((sibling) => !isFieldElement(sibling))
  return outside >= 0
    ? checkElement(siblings[outside]!, `${pointer}/siblings/${outside}`)
    : checkElement(value, `${pointer}/value`)
}

const checkElement = (value: bigint, pointer: string): BlockViolation | undefined =>
  isFieldElement(value)
    ? undefined
    : makeViolation("field-element", value, `a value from 0 and below ${FIELD_ORDER}`, pointer)
