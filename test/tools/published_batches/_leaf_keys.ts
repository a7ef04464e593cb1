import { createHash } from "node:crypto"
import { SeededRandom } from "../../laws/_seeded_random.ts"
import type { LeafKeyCase } from "../../vectors/batch_cases.ts"
import { bitsOf, FIELD_ORDER, keyOf, type Libraries } from "./_rollup.ts"

const Y_LIMIT = 1n << 254n
const CHAIN_ID = 5
const INTERNAL = `0x${"f".repeat(40)}`

/** Returns y and sign of the leaf of a key. */
const leafOf = (bits: bigint) => ({ y: bits % Y_LIMIT % FIELD_ORDER, sign: bits >> 255n === 1n })

/** Returns keys of each form: of wallets, which sign, and bits that are no point. */
export function leafKeyCases(libraries: Libraries): ReadonlyArray<LeafKeyCase> {
  const random = new SeededRandom("leaf keys")
  const { babyJub, eddsa } = libraries.circomlib
  const signed = Array.from({ length: 9 }, (_, number) => {
    const secret = createHash("sha256").update(`secret ${number}`).digest()
    const own = bitsOf(babyJub.packPoint(eddsa.prv2pub(secret)))
    return formsOf(own).flatMap((bits) => [
      caseOf(libraries, random, bits, secret),
      ...random.chance(0.3) ? [altered(libraries, caseOf(libraries, random, bits, secret))] : []
    ])
  }).flat()
  const unsigned = [0n, 1n, FIELD_ORDER, Y_LIMIT - 1n, Y_LIMIT, (1n << 256n) - 1n]
    .map((bits) => caseOf(libraries, random, bits))
  return [...signed, ...unsigned]
}

/** Returns the keys with the same leaf as this one. */
const formsOf = (
  bits: bigint
): ReadonlyArray<bigint> => [
  bits,
  bits + Y_LIMIT,
  ...bits % Y_LIMIT + FIELD_ORDER < Y_LIMIT
    ? [bits + FIELD_ORDER, bits + FIELD_ORDER + Y_LIMIT]
    : []
]

function caseOf(
  libraries: Libraries,
  random: SeededRandom,
  bits: bigint,
  secret?: Uint8Array
): LeafKeyCase {
  const { y, sign } = leafOf(bits)
  const account = {
    tokenId: random.below(1000),
    nonce: random.below(1000),
    balance: String(random.below(1_000_000)),
    address: random.chance(0.5) ? INTERNAL : `0x${"a1".repeat(20)}`
  }
  const publicKey = keyOf(bits)
  const leaf = libraries.commonjs.stateUtils.hashState({
    tokenID: account.tokenId,
    nonce: account.nonce,
    sign: sign ? 1 : 0,
    balance: BigInt(account.balance),
    ay: y.toString(16),
    ethAddr: account.address
  })
  return {
    negative: false,
    publicKey,
    y: String(y),
    sign,
    account,
    leaf: String(leaf),
    signed: secret === undefined ? null : signedBy(libraries, random, bits, secret)
  }
}

function signedBy(
  libraries: Libraries,
  random: SeededRandom,
  bits: bigint,
  secret: Uint8Array
): NonNullable<LeafKeyCase["signed"]> {
  const { eddsa } = libraries.circomlib
  // the sender pays to its own key, so that the form of the key is in the message too
  const transfer = {
    chainId: CHAIN_ID,
    fromAccountIndex: 256 + random.below(1000),
    toPublicKey: keyOf(bits),
    amount: String(random.below(1_000_000)),
    fee: random.below(256)
  }
  const hash = hashOf(libraries, transfer)
  const signature = eddsa.signPoseidon(secret, hash)
  return {
    ...transfer,
    messageHash: String(hash),
    signature: Buffer.from(eddsa.packSignature(signature)).toString("hex"),
    verdict: { accept: isAccepted(libraries, bits, hash, signature) }
  }
}

type Transfer = Pick<
  NonNullable<LeafKeyCase["signed"]>,
  "chainId" | "fromAccountIndex" | "toPublicKey" | "amount" | "fee"
>

function hashOf(
  { commonjs }: Libraries,
  { amount, chainId, fee, fromAccountIndex, toPublicKey }: Transfer
): bigint {
  const { sign, y } = leafOf(bitsOf(toPublicKey))
  return commonjs.txUtils.buildHashSig({
    chainID: chainId,
    fromIdx: fromAccountIndex,
    toIdx: 0,
    tokenID: 0,
    nonce: 0,
    userFee: fee,
    toBjjSign: sign,
    toEthAddr: INTERNAL,
    amount: BigInt(amount),
    toBjjAy: y.toString(16)
  })
}

function isAccepted(
  { circomlib: { babyJub, eddsa } }: Libraries,
  bits: bigint,
  hash: bigint,
  signature: unknown
): boolean {
  const { sign, y } = leafOf(bits)
  const point = babyJub.unpackPoint(Buffer.from(keyOf(y + (sign ? 1n << 255n : 0n)), "hex"))
  return point !== null && eddsa.verifyPoseidon(hash, signature, point)
}

/** Returns the case with the signature of a transfer, under which another amount is claimed. */
function altered(libraries: Libraries, vector: LeafKeyCase): LeafKeyCase {
  const signed = vector.signed!
  const changed = { ...signed, amount: String(BigInt(signed.amount) + 1n) }
  const hash = hashOf(libraries, changed)
  const signature = libraries.circomlib.eddsa.unpackSignature(
    Buffer.from(signed.signature, "hex")
  )
  const accept = isAccepted(
    libraries,
    bitsOf(vector.publicKey),
    hash,
    signature
  )
  return {
    ...vector,
    negative: true,
    signed: { ...changed, messageHash: String(hash), verdict: { accept } }
  }
}
