import {
  type BatchFeed,
  type BlockFeed,
  type Exit,
  type ExitFeed,
  inclusionOldLeaf,
  type New
} from "../../domain/mod.ts"
import type { BatchOutcome } from "../batch/mod.ts"
import { type BlockViolation, makeViolation, violationWithin } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/** Order of the scalar field of the circuits. */
const fieldOrder = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** Compares the declared exits with the computed ones, and checks the form of their proofs. */
export function checkExits(
  batch: BatchFeed,
  computed: BatchOutcome["exits"]
): BlockViolation | undefined {
  const length = Math.max(batch.exits.length, computed.length)
  if (length === 0 && batch.exitRoot !== 0n) {
    return makeViolation("exit-root", batch.exitRoot, "0, since nothing leaves", "/exitRoot")
  }
  if (length > 0 && batch.exitRoot === 0n) {
    return makeViolation(
      "exit-root",
      batch.exitRoot,
      `the root of a tree of ${computed.length} leaves`,
      "/exitRoot"
    )
  }
  for (let position = 0; position < length; position++) {
    const violation = checkExit(
      batch,
      batch.exits[position],
      computed[position],
      `/exits/${position}`
    )
    if (violation !== undefined) return violation
  }
  return undefined
}

/** Verifies the proof of each exit. It is the most expensive check and therefore runs last. */
export function checkProofs(
  { account, rules: { verifyExit } }: BlockOverlay,
  batch: BatchFeed,
  { createdAccounts }: BatchOutcome
): BlockViolation | undefined {
  if (verifyExit === undefined) return undefined
  const failed = batch.exits.findIndex((exit) => {
    // a batch can create the account
    const owner = account(exit.accountIndex) ??
      createdAccounts.find(({ index }) => index === exit.accountIndex)
    return owner === undefined ||
      !verifyExit({
        ...exit,
        tokenId: owner.tokenId,
        address: owner.address,
        publicKey: owner.publicKey
      }, batch.exitRoot)
  })
  return failed < 0 ? undefined : wrongProof(batch, failed)
}

/**
 * Returns the violation for a wrong proof. `position` counts the exits of all batches of the block,
 * in the order in which `checkProofs` verifies them.
 */
export function wrongProofOf({ batches = [] }: BlockFeed, position: number): BlockViolation {
  let before = 0
  for (const [index, batch] of batches.entries()) {
    if (position - before < batch.exits.length) {
      return violationWithin(wrongProof(batch, position - before), `/batches/${index}`)
    }
    before += batch.exits.length
  }
  throw new RangeError(`Exit ${position} of a block was judged, and it has ${before}`)
}

const wrongProof = ({ exitRoot, exits }: BatchFeed, position: number): BlockViolation =>
  makeViolation(
    "exit-proof",
    exits[position]!.accountIndex,
    `siblings and a value whose root is ${exitRoot}`,
    `/exits/${position}/merkleProof`
  )

/** Checks that both roots are elements of the scalar field. */
export function checkRoots({ exitRoot, stateRoot }: BatchFeed): BlockViolation | undefined {
  return checkElement(stateRoot, "/stateRoot") ?? checkElement(exitRoot, "/exitRoot")
}

/** Returns the rows of the exits, ascending by account index. */
export const exitRows = (overlay: BlockOverlay, batch: BatchFeed): ReadonlyArray<New<Exit>> =>
  batch.exits.flatMap(({ accountIndex, balance, merkleProof }) => {
    const account = overlay.account(accountIndex)
    return account === undefined ? [] : [{
      batchNum: batch.batchNum,
      accountIndex,
      tokenId: account.tokenId,
      address: account.address,
      publicKey: account.publicKey,
      // circuits pad the siblings to the height of the tree; the withdrawal contract expects no
      // padding
      merkleProof: {
        ...merkleProof,
        siblings: merkleProof.siblings.slice(
          0,
          merkleProof.siblings.findLastIndex((node) => node !== 0n) + 1
        )
      },
      balance,
      instantWithdrawn: null,
      delayedWithdrawRequest: null,
      delayedWithdrawn: null
    }]
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
    return makeViolation(
      "exit-account",
      declared?.accountIndex ?? null,
      expected,
      `${pointer}/accountIndex`
    )
  }
  if (declared.balance !== computed?.balance) {
    return makeViolation(
      "exit-balance",
      declared.balance,
      `${computed?.balance}, the sum of the exits of the account`,
      `${pointer}/balance`
    )
  }
  const { fnc, key, root, siblings, value } = declared.merkleProof
  if (root !== exitRoot) {
    return makeViolation(
      "exit-proof",
      root,
      `${exitRoot}, the exit root of the batch`,
      `${pointer}/merkleProof/root`
    )
  }
  if (key !== BigInt(declared.accountIndex)) {
    return makeViolation(
      "exit-proof",
      key,
      `${declared.accountIndex}, the index of the account`,
      `${pointer}/merkleProof/key`
    )
  }
  if (fnc !== 0) {
    return makeViolation("exit-proof", fnc, "0, a proof of inclusion", `${pointer}/merkleProof/fnc`)
  }
  for (const [name, expected] of Object.entries(inclusionOldLeaf)) {
    const declaredValue = declared.merkleProof[name as keyof typeof inclusionOldLeaf]
    if (declaredValue !== expected) {
      return makeViolation(
        "exit-proof",
        declaredValue,
        `${expected}, as in every proof of inclusion`,
        `${pointer}/merkleProof/${name}`
      )
    }
  }
  const outside = siblings.findIndex((sibling) => !isElement(sibling))
  return outside >= 0
    ? checkElement(siblings[outside]!, `${pointer}/merkleProof/siblings/${outside}`)
    : checkElement(value, `${pointer}/merkleProof/value`)
}

const isElement = (value: bigint): boolean => value >= 0n && value < fieldOrder

const checkElement = (value: bigint, pointer: string): BlockViolation | undefined =>
  isElement(value)
    ? undefined
    : makeViolation("field-element", value, `a value from 0 and below ${fieldOrder}`, pointer)
