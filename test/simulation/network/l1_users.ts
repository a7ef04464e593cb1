import type { Account, L1UserFeed } from "../../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import type { SeededRandom } from "../../laws/_seeded_random.ts"
import type { Facts } from "../../laws/mod.ts"
import { PEOPLE, personOf, withBit254 } from "./accounts.ts"

/** Returns transactions for a queue: of every type, and with amounts that have no effect. */
export function l1Users(
  random: SeededRandom,
  facts: Facts,
  from: number
): ReadonlyArray<L1UserFeed> {
  const queue = Math.max(from, ...facts.queued.map(({ l1 }) => l1!.toForgeL1TransactionsNum!))
  const position = facts.queued.filter(({ l1 }) => l1!.toForgeL1TransactionsNum === queue).length
  const requests = Array.from({ length: 1 + random.below(3) }, () => drawUser(random, facts))
    .flatMap((request) => random.chance(0.5) ? [request, ...exitBeside(request)] : [request])
  return requests.map((request, more) => ({
    toForgeL1TransactionsNum: queue,
    position: position + more,
    ...request
  }))
}

/** Returns a small exit of the account that a forced exit names. */
const exitBeside = (request: Request): ReadonlyArray<Request> =>
  request.toAccountIndex === 1 && request.fromAccountIndex > 0 ? [{ ...request, amount: 5n }] : []

type Request = Omit<L1UserFeed, "toForgeL1TransactionsNum" | "position">

function drawUser(random: SeededRandom, facts: Facts): Request {
  if (facts.accounts.length > 0 && (facts.accounts.length > 14 || random.chance(0.5))) {
    const account = random.of(facts.accounts)
    if (account.address !== INTERNAL_ADDRESS) return ofAccount(random, facts, account)
  }
  const { address, publicKey } = personOf(random.below(PEOPLE))
  const isExit = random.chance(0.15)
  return {
    fromAddress: address,
    fromPublicKey: random.chance(0.2) ? withBit254(publicKey) : publicKey,
    fromAccountIndex: 0,
    toAccountIndex: isExit ? 1 : 0,
    tokenId: random.below(facts.tokens.length),
    depositAmount: isExit ? 0n : deposit(random),
    amount: isExit && random.chance(0.7) ? deposit(random) : 0n
  }
}

const deposit = (random: SeededRandom): bigint => BigInt(1 + random.below(1000)) * 10n ** 9n

/** More than any account has. */
const TOO_MUCH = 10n ** 30n

function ofAccount(
  random: SeededRandom,
  facts: Facts,
  { address, index, tokenId }: Account
): Request {
  const common = {
    fromAddress: address,
    fromPublicKey: null,
    fromAccountIndex: index,
    toAccountIndex: 0,
    tokenId,
    depositAmount: 0n,
    amount: 0n
  }
  const exit = { ...common, toAccountIndex: 1, amount: BigInt(1 + random.below(1000)) * 10n ** 6n }
  const receiver = random.of(facts.accounts).index
  switch (random.below(10)) {
    case 0:
      return { ...exit, amount: TOO_MUCH }
    case 1:
      return { ...exit, fromAddress: `0x${"5".repeat(40)}` }
    case 2:
      return { ...exit, tokenId: (tokenId + 1) % facts.tokens.length }
    case 3:
      return random.chance(0.3) ? { ...exit, amount: 0n } : exit
    case 4:
      return { ...common, toAccountIndex: receiver, amount: deposit(random) }
    case 5:
      return {
        ...common,
        toAccountIndex: receiver,
        depositAmount: deposit(random),
        amount: deposit(random)
      }
    default:
      return { ...common, depositAmount: deposit(random) }
  }
}
