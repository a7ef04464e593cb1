import type { BatchFeed, BlockFeed, Exit, ExitFeed, New } from "../../domain/mod.ts"
import type { BatchOutcome } from "../batch/mod.ts"
import { type BlockViolation, violation, violationWithin } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/** Order of the scalar field of the circuits. */
const fieldOrder = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** Checks that the declared exits are those that the batch yields, each with its proof. */
export function checkExits(
  batch: BatchFeed,
  computed: BatchOutcome["exits"]
): BlockViolation | undefined {
  const length = Math.max(batch.exits.length, computed.length)
  if (length === 0 && batch.exitRoot !== 0n) {
    return violation("exit-root", batch.exitRoot, "0, since nothing leaves", "/exitRoot")
  }
  if (length > 0 && batch.exitRoot === 0n) {
    return violation(
      "exit-root",
      batch.exitRoot,
      `the root of a tree of ${computed.length} leaves`,
      "/exitRoot"
    )
  }
  for (let position = 0; position < length; position++) {
    const violated = checkExit(
      batch,
      batch.exits[position],
      computed[position],
      `/exits/${position}`
    )
    if (violated !== undefined) return violated
  }
  return undefined
}

/**
 * Checks that every proof leads from the exit to the exit root. It runs last because it is the most
 * expensive check.
 */
export function checkProofs(
  { account, rules: { verifyExit } }: BlockOverlay,
  batch: BatchFeed,
  { createdAccounts }: BatchOutcome
): BlockViolation | undefined {
  if (verifyExit === undefined) return undefined
  const failed = batch.exits.findIndex((exit) => {
    // a batch can create an account and exit from it
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
 * Returns the violation for a wrong proof, given by its position over all batches of the block in
 * the order of `checkProofs`.
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
  violation(
    "exit-proof",
    exits[position]!.accountIndex,
    `siblings and a value that lead from the account's exit to the root ${exitRoot}`,
    `/exits/${position}/merkleProof`
  )

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
      // circuits pad the siblings to the height of the tree; the withdrawal contract takes them
      // unpadded
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
  place: string
): BlockViolation | undefined {
  if (declared?.accountIndex !== computed?.accountIndex || declared === undefined) {
    const expected = computed === undefined
      ? "no further exit"
      : `${computed.accountIndex}, the next account of which something leaves`
    return violation(
      "exit-account",
      declared?.accountIndex ?? null,
      expected,
      `${place}/accountIndex`
    )
  }
  if (declared.balance !== computed?.balance) {
    return violation(
      "exit-balance",
      declared.balance,
      `${computed?.balance}, the sum of what leaves the account`,
      `${place}/balance`
    )
  }
  const { fnc, key, root, siblings, value } = declared.merkleProof
  if (root !== exitRoot) {
    return violation(
      "exit-proof",
      root,
      `${exitRoot}, the exit root of the batch`,
      `${place}/merkleProof/root`
    )
  }
  if (key !== BigInt(declared.accountIndex)) {
    return violation(
      "exit-proof",
      key,
      `${declared.accountIndex}, the index of the account`,
      `${place}/merkleProof/key`
    )
  }
  if (fnc !== 0) {
    return violation("exit-proof", fnc, "0, a proof of inclusion", `${place}/merkleProof/fnc`)
  }
  const outside = siblings.findIndex((sibling) => !isElement(sibling))
  return outside >= 0
    ? checkElement(siblings[outside]!, `${place}/merkleProof/siblings/${outside}`)
    : checkElement(value, `${place}/merkleProof/value`)
}

const isElement = (value: bigint): boolean => value >= 0n && value < fieldOrder

const checkElement = (value: bigint, place: string): BlockViolation | undefined =>
  isElement(value)
    ? undefined
    : violation("field-element", value, `a value from 0 and below ${fieldOrder}`, place)
