import { createHash } from "node:crypto"
import { INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import { SeededRandom } from "../../laws/_seeded_random.ts"
import {
  type BatchCase,
  type BatchExpectation,
  type ChainCase,
  type CoordinatorAccount,
  type RollupTransaction,
  TOKENS,
  type UserTransaction
} from "../../vectors/batch_cases.ts"
import {
  EXIT,
  FIELD_ORDER,
  FIRST_INDEX,
  keyOf,
  type Libraries,
  PublishedRollup
} from "./_rollup.ts"

interface Owner {
  readonly address: string
  readonly publicKey: string
}

/** An account of a chain. */
type Account = Owner & {
  readonly tokenId: number
  readonly nonce: number
  readonly balance: bigint
}

const hex = (text: string) => createHash("sha256").update(text).digest("hex")

/** Counts how often chains have each kind of transaction, account, key and fee account. */
export type Counts = Record<string, number>

/** Draws the batches of a chain; the published implementation says what each has changed. */
class RandomChain {
  readonly #random: SeededRandom
  readonly #seed: string
  readonly #owners: Array<Owner> = []
  #accounts: ReadonlyArray<Account> = []
  readonly #counts: Counts

  constructor(seed: string, counts: Counts) {
    this.#counts = counts
    this.#seed = seed
    this.#random = new SeededRandom(seed)
  }

  /** Returns the next batch. */
  draw(): BatchCase {
    const random = this.#random
    const queue = Array.from({ length: random.below(9) }, () => this.#userTransaction())
    const coordinator = Array.from(
      { length: random.below(3) },
      () => this.#coordinatorAccount()
    )
    for (const each of queue) {
      if (each.fromAccountIndex === 0) {
        this.#owners.push({ address: each.fromAddress, publicKey: each.fromPublicKey! })
      }
    }
    this.#owners.push(...coordinator)
    return {
      queue,
      coordinator,
      l2: this.#rollupTransactions(queue),
      feeAccounts: this.#feeAccounts()
    }
  }

  /** Takes over the state after the last drawn batch. */
  advance({ accounts }: BatchExpectation): void {
    this.#accounts = accounts.map(([tokenId, nonce, balance], position) => ({
      ...this.#owners[position]!,
      tokenId,
      nonce,
      balance: BigInt(balance)
    }))
  }

  #count(kind: string): void {
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
  }

  #indexOf(accounts: (account: Account) => boolean): number | undefined {
    const indexes = this.#accounts.flatMap((account, position) =>
      accounts(account) ? [FIRST_INDEX + position] : []
    )
    return indexes.length === 0 ? undefined : this.#random.of(indexes)
  }

  #userTransaction(): UserTransaction {
    const random = this.#random
    if (this.#accounts.length < 2 || random.chance(0.3)) return this.#creation()
    const position = random.below(this.#accounts.length)
    const { address, balance, tokenId } = this.#accounts[position]!
    const common = {
      fromAccountIndex: FIRST_INDEX + position,
      fromAddress: address,
      fromPublicKey: null,
      toAccountIndex: 0,
      tokenId,
      depositAmount: "0",
      amount: "0"
    }
    const part = rounded(balance / BigInt(2 + random.below(4)))
    const sameToken = this.#indexOf((account) => account.tokenId === tokenId)!
    const otherToken = this.#indexOf((account) => account.tokenId !== tokenId) ?? sameToken
    const receiver = random.chance(0.8) ? sameToken : otherToken
    const exit = { ...common, toAccountIndex: EXIT }
    switch (random.below(7)) {
      case 0:
        this.#count("deposit")
        return { ...common, depositAmount: this.#amount(), ...this.#wrongToken(tokenId) }
      case 1:
        this.#count("deposit and transfer")
        return {
          ...common,
          toAccountIndex: receiver,
          depositAmount: this.#amount(),
          amount: this.#amount(),
          ...this.#wrongToken(tokenId)
        }
      case 2:
        this.#count("forced transfer")
        return { ...common, toAccountIndex: receiver, amount: String(part) }
      case 3:
        this.#count("forced exit of more than the balance")
        return { ...exit, amount: String(10n ** 30n) }
      case 4:
        this.#count("forced exit by another owner")
        return { ...exit, amount: String(part), fromAddress: `0x${hex("stranger").slice(0, 40)}` }
      case 5:
        this.#count("forced exit of another token")
        return { ...exit, amount: String(part), tokenId: (tokenId + 1) % TOKENS }
      default:
        this.#count("forced exit with effect")
        return { ...exit, amount: String(part) }
    }
  }

  #wrongToken(tokenId: number): Partial<UserTransaction> {
    return this.#random.chance(0.15) ? { tokenId: (tokenId + 1) % TOKENS } : {}
  }

  #creation(): UserTransaction {
    const receiver = this.#random.chance(0.3) ? this.#indexOf(() => true) : undefined
    this.#count(receiver === undefined ? "creation" : "creation and transfer")
    return {
      fromAccountIndex: 0,
      fromAddress: this.#address(),
      fromPublicKey: this.#key(),
      toAccountIndex: receiver ?? 0,
      tokenId: this.#random.below(TOKENS),
      depositAmount: this.#amount(),
      amount: receiver === undefined ? "0" : this.#amount()
    }
  }

  #coordinatorAccount(): CoordinatorAccount {
    const tokenId = this.#random.below(TOKENS)
    if (this.#random.chance(0.5)) {
      this.#count("coordinator account")
      return { tokenId, address: this.#address(), publicKey: this.#key() }
    }
    const publicKey = this.#random.chance(0.2) ? "0".repeat(64) : this.#key()
    this.#count(publicKey === "0".repeat(64) ? "internal account with key 0" : "internal account")
    return { tokenId, address: INTERNAL_ADDRESS, publicKey }
  }

  #address(): string {
    return `0x${hex(`${this.#seed} address ${this.#random.below(6)}`).slice(0, 40)}`
  }

  /** Returns 32 bytes that need not be a point; many have bit 254 or a y above the field order. */
  #key(): string {
    const random = this.#random
    const drawn = BigInt(`0x${hex(`${this.#seed} key ${random.below(1_000_000)}`)}`)
    const y = random.chance(0.25)
      ? FIELD_ORDER + drawn % ((1n << 254n) - FIELD_ORDER)
      : drawn % FIELD_ORDER
    const isBitSet = random.chance(0.3)
    if (y >= FIELD_ORDER) this.#count("key with y above the field order")
    if (isBitSet) this.#count("key with bit 254")
    const key = y + (isBitSet ? 1n << 254n : 0n) + (random.chance(0.5) ? 1n << 255n : 0n)
    return keyOf(key)
  }

  #amount(): string {
    const { below } = this.#random
    const digits = BigInt(this.#random.below(1_000_000))
    return String(digits * 10n ** BigInt(below.call(this.#random, 12)))
  }

  /** Returns transactions that the balances before the batch allow, less what the queue may take. */
  #rollupTransactions(queue: ReadonlyArray<UserTransaction>): ReadonlyArray<RollupTransaction> {
    const random = this.#random
    const states = this.#accounts.map(({ balance, nonce }, position) => ({
      nonce,
      balance: balance - queue
        .filter(({ fromAccountIndex }) => fromAccountIndex === FIRST_INDEX + position)
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    }))
    return Array.from({ length: this.#accounts.length === 0 ? 0 : random.below(14) }).flatMap(
      () => {
        const position = random.below(states.length)
        const state = states[position]!
        const { tokenId } = this.#accounts[position]!
        const of = (amount: bigint, toAccountIndex: number, fee: number): RollupTransaction => ({
          fromAccountIndex: FIRST_INDEX + position,
          toAccountIndex,
          amount: String(amount),
          fee,
          nonce: state.nonce++
        })
        const other = this.#indexOf((account) => account.tokenId !== tokenId)
        if (other !== undefined && random.chance(0.1)) {
          this.#count("transfer of 0 to another token")
          return [of(0n, other, random.below(256))]
        }
        const amount = rounded(state.balance / BigInt(3 + random.below(20)))
        if (amount < 1n || state.balance < 2n * amount) return []
        const isExit = random.chance(0.35)
        this.#count(isExit ? "exit" : "transfer")
        const receiver = isExit ? EXIT : this.#indexOf((account) => account.tokenId === tokenId)!
        // the selector 192 charges the amount itself, and smaller ones less
        const fee = random.below(193)
        state.balance -= 2n * amount
        return [of(amount, receiver, fee)]
      }
    )
  }

  #feeAccounts(): ReadonlyArray<number> {
    const random = this.#random
    if (this.#accounts.length === 0) return []
    const length = random.chance(0.1) ? 64 : random.below(7)
    const accounts = Array.from(
      { length },
      () => FIRST_INDEX + random.below(this.#accounts.length)
    )
    const tokens = accounts.map((index) => this.#accounts[index - FIRST_INDEX]!.tokenId)
    for (const [at, index] of accounts.entries()) {
      if (accounts.indexOf(index) < at) this.#count("repeated fee account")
      else if (tokens.indexOf(tokens[at]!) < at) this.#count("second fee account of a token")
    }
    return accounts
  }
}

/** Returns a random chain with the results of the published implementation. */
export const randomChain = async (
  libraries: Libraries,
  title: string,
  length: number,
  counts: Counts = {}
): Promise<ChainCase> => {
  const rollup = await PublishedRollup.open(libraries)
  const random = new RandomChain(title, counts)
  const batches: Array<ChainCase["batches"][number]> = []
  for (let number = 0; number < length; number++) {
    const batch = random.draw()
    const expected = await rollup.apply(batch)
    random.advance(expected)
    batches.push({ batch, expected })
  }
  const verdict = { accept: true, stage: "the published roots" }
  return { negative: false, title, verdict, batches }
}

/** Returns the amount with at most ten significant digits, as a float40 has them. */
function rounded(amount: bigint): bigint {
  const digits = Math.max(0, String(amount).length - 10)
  return amount / 10n ** BigInt(digits) * 10n ** BigInt(digits)
}
