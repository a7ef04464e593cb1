import type { L1CoordinatorFeed, TokenId } from "../../../core/domain/mod.ts"
import { accountOf, type Context, type Person, type World } from "../world/mod.ts"

/** Accounts that the coordinator opens in a batch with a queue: for users who authorized it, for internal ones, and for itself. */
export function coordinatorAccounts(
  context: Context,
  world: World
): ReadonlyArray<L1CoordinatorFeed> {
  const { agenda, people, random } = context
  if (world.users < 12) return []
  const feeds: Array<L1CoordinatorFeed> = []
  if (agenda.take("coordinatorAccount")) {
    const tokenId = random.integer(0, world.tokens.length - 1)
    feeds.push(
      feedOf(
        context,
        ownMissing(context, world) ??
          { person: people.user(random.integer(0, world.users - 1)), tokenId }
      )
    )
  }
  if (agenda.take("internalAccount")) {
    const number = 12 * random.integer(1, Math.floor(world.users / 12)) - 1
    feeds.push(
      feedOf(context, { person: people.user(number), tokenId: random.skewed(world.tokens.length) })
    )
  }
  return feeds
}

interface Opening {
  readonly person: Person
  readonly tokenId: TokenId
}

/** A token that came late, and a coordinator who collects no fees of it yet. */
function ownMissing({ people, random, settings }: Context, world: World): Opening | undefined {
  const person = people.coordinator(random.integer(0, settings.coordinators))
  const own = new Set(
    (world.feeAccounts.get(person.publicKey) ?? []).map((index) => accountOf(world, index)?.tokenId)
  )
  const tokenId = world.tokens.findIndex(({ id }) => !own.has(id))
  return tokenId < 0 ? undefined : { person, tokenId }
}

const feedOf = ({ people }: Context, { person, tokenId }: Opening): L1CoordinatorFeed => ({
  address: person.address,
  publicKey: person.publicKey,
  tokenId,
  signature: people.authorization(person)
})
