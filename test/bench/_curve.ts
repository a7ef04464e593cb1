import {
  derivePublicKey, poseidon, signTransaction, transactionElements, verifyMessage
} from "../../adapters/crypto/mod.ts"
import type { PublicKey } from "../../core/encoding/mod.ts"
import { verifyCases } from "../vectors/mod.ts"
import { median } from "./_load.ts"
import { verifyMessageWithNoble } from "./_noble_check.ts"

type Check = (publicKey: PublicKey, message: bigint, signature: string) => boolean

interface Posted {
  readonly publicKey: PublicKey
  readonly elements: ReadonlyArray<bigint>
  readonly signature: string
}

/**
 * The full check of a posted transaction (message hash, points, equation) with our arithmetic ÷ with
 * that of @noble/curves, by turns. Both must agree on all vectors and on random signatures, valid
 * and corrupted.
 */
export const benchCurve = (count: number, rounds: number): void => {
  const posted = Array.from({ length: count }, (_, i) => sign(i))
  requireAgreement(posted)
  const checks: { readonly [name: string]: Check } = { ours: verifyMessage, noble: verifyMessageWithNoble }
  const times: { [name: string]: Array<number> } = { ours: [], noble: [] }
  for (let round = -1; round < rounds; round++) {
    for (const [name, check] of Object.entries(checks)) {
      // processor time, since other programs may take the cores
      const start = process.cpuUsage()
      for (const { elements, publicKey, signature } of posted) check(publicKey, poseidon(elements), signature)
      const { user } = process.cpuUsage(start)
      if (round >= 0) times[name]!.push(user / 1000 / count)
    }
  }
  const ratios = times.noble!.map((ms, i) => ms / times.ours![i]!)
  const { median: ratio, spread } = median(ratios)
  const ms = (name: string) => `${Math.min(...times[name]!).toFixed(2)} ms`
  const figure = `${ratio.toFixed(2)} ± ${spread.toFixed(2)}`
  console.log(`  full check, noble ÷ ours  ${figure} (ours ${ms("ours")}, noble ${ms("noble")})`)
}

const sign = (i: number): Posted => {
  const privateKey = new Uint8Array(32).fill(Math.floor(i / 10))
  const unsigned = {
    tokenId: 0, fromAccountIndex: 256 + i, toAccountIndex: 256, toAddress: null, toPublicKey: null,
    amount: 1000n, fee: 126, nonce: BigInt(i), request: null
  }
  return {
    publicKey: derivePublicKey(privateKey), elements: transactionElements(unsigned, 1337),
    signature: signTransaction(privateKey, unsigned, 1337)
  }
}

const requireAgreement = (posted: ReadonlyArray<Posted>): void => {
  const agree = (expected: boolean | undefined, ...args: Parameters<Check>) => {
    const [ours, noble] = [verifyMessage(...args), verifyMessageWithNoble(...args)]
    if (ours !== noble || ours !== (expected ?? ours)) throw new Error(`${ours} and ${noble} of ${args.join(" ")}`)
  }
  verifyCases<MessageCase>("eddsa-poseidon", 606, ({ message, publicKeyBytesHex, signature, verdict }) =>
    agree(verdict.accept, publicKeyBytesHex, BigInt(message), signature))
  for (const [i, { elements, publicKey, signature }] of posted.entries()) {
    const message = poseidon(elements)
    agree(true, publicKey, message, signature)
    agree(false, publicKey, message + 1n, signature)
    const at = (i * 7) % signature.length
    const digit = (parseInt(signature[at]!, 16) ^ (1 + i % 15)).toString(16)
    agree(false, publicKey, message, signature.slice(0, at) + digit + signature.slice(at + 1))
  }
  console.log(`  equal verdicts on 606 vectors and ${posted.length * 3} random signatures`)
}

interface MessageCase {
  readonly negative: boolean
  readonly publicKeyBytesHex: string
  readonly message: string
  readonly signature: string
  readonly verdict: { readonly accept: boolean }
}
