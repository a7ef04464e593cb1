import { Effect } from "effect"
import type { HttpRequest } from "../../adapters/http/mod.ts"
import { bodyWriter, later, type Revision, revisionList } from "../../core/contract/mod.ts"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { formatPrefixedAddress } from "../../core/encoding/mod.ts"
import { mountOf } from "../_mounts.ts"
import type { Facts } from "../laws/mod.ts"
import { contextOf } from "./machine/mod.ts"
import {
  destinationOf,
  drawAuthorization,
  drawTransaction,
  signed,
  wrongSignature
} from "./network/mod.ts"
import { isSame } from "./_promises.ts"
import { send } from "./_requests.ts"
import type { World } from "./_world.ts"
import { textOf } from "../_answers.ts"

const encoder = new TextEncoder()

const drawRevision = ({ random }: World): Revision =>
  random.chance(0.6) ? later : random.of(revisionList)

/** The body may arrive slowly. */
const post = (world: World, revision: Revision, url: string, text: string): HttpRequest => {
  const bytes = encoder.encode(text)
  const body = () =>
    Effect.suspend(() =>
      world.random.chance(0.2)
        ? Effect.as(Effect.sleep(1 + world.random.below(40)), bytes)
        : Effect.succeed(bytes)
    )
  return {
    method: "POST",
    url: mountOf(revision) + url,
    headers: { "content-type": "application/json", "content-length": String(bytes.length) },
    body
  }
}

/** A wallet posts a new transaction, repeats one, or posts another one under the same id. */
export function postTransaction(world: World): void {
  const { random, genesis: { network }, promises, timeline } = world
  const { facts } = timeline
  if (facts.accounts.length === 0) return
  const [known] = promises.posted.size > 0 && random.chance(0.25)
    ? random.of([...promises.posted.values()])
    : []
  const drawn = known === undefined
    ? drawTransaction(random, facts)
    : random.chance(0.7)
    ? known
    : { ...known, ...destinationOf(random, facts, known.tokenId) }
  const sender = facts.accounts.find(({ index }) => index === drawn.fromAccountIndex)
  const posted =
    world.isSigned && sender !== undefined && drawn !== known && drawn.signature !== wrongSignature
      ? signed(drawn, sender.publicKey, network.chainId)
      : drawn
  const earlierPosts = [...promises.posted.get(posted.id) ?? []]
  const wasAcknowledged = isHeld(world, posted)
  const before = {
    facts,
    open: timeline.open,
    version: timeline.lastVersion,
    count: world.promises.posted.size
  }
  promises.post(posted)
  const hasWrongSymbol = sender !== undefined && random.chance(0.05)
  const symbolOf = (index: number) =>
    hasWrongSymbol && index === sender.index ? "WRONG" : symbolIn(facts, index)
  const revision = drawRevision(world)
  const label = `POST ${
    posted.id.slice(0, 14)
  } nonce ${posted.nonce} of ${posted.fromAccountIndex} to ${
    posted.toAccountIndex ?? posted.toPublicKey ?? posted.toAddress
  }`
  send(
    world,
    label,
    post(
      world,
      revision,
      "/transactions-pool",
      bodyWriter(revision.bodies.transaction, contextOf(world.genesis), symbolOf)(posted)
    ),
    (outcome) => {
      if (outcome === "gone" || outcome.status >= 500) return
      const standsStill = before.open === undefined && timeline.open === undefined &&
        before.version === timeline.lastVersion
      if (outcome.status === 200) {
        world.check(
          !hasWrongSymbol || !standsStill || revision.symbols !== undefined,
          () => `${label} is acknowledged, with a wrong symbol`
        )
        const broken = promises.acknowledge(posted)
        if (broken !== undefined) world.fail(broken)
        world.count("acknowledged")
        return world.checkPromise(posted.id)
      }
      const body = textOf(outcome)
      // a rollback can give the number of an account to one of another token
      if (hasWrongSymbol || (!standsStill && body.includes("the account with this number"))) return
      world.check(
        !wasAcknowledged || !isHeld(world, posted),
        () => `${label} was acknowledged, and is refused: ${body}`
      )
      if (body.includes("problem:conflict")) {
        const others = promises.posted.get(posted.id)!.filter((other) => !isSame(other, posted))
        return world.check(others.length > 0, () => `${label} conflicts with nothing: ${body}`)
      }
      if (standsStill && earlierPosts.length === 0) {
        world.check(
          !isRight(before.facts, posted) || body.includes("fewer than"),
          () => `${label} is right, and is refused: ${body}`
        )
      }
    },
    { conflictStatus: revision.conflictStatus }
  )
}

/** Returns the symbol of an account; any for one that does not exist, and for the exit. */
const symbolIn = (facts: Facts, index: number): string => {
  const account = facts.accounts.find((each) => each.index === index)
  return facts.tokens.find(({ id }) => id === account?.tokenId)?.symbol ?? "EXIT"
}

const isHeld = ({ promises }: World, posted: PostedTransaction): boolean => {
  const known = promises.transactions.get(posted.id)
  return known !== undefined && isSame(known, posted) && !promises.removed.has(posted.id)
}

/** Returns whether a transaction is valid, apart from the limits of the pool. */
function isRight(
  facts: Facts,
  { fromAccountIndex, nonce, signature, toAccountIndex, tokenId }: PostedTransaction
): boolean {
  const find = (of: number | null) => facts.accounts.find(({ index }) => index === of)
  const sender = find(fromAccountIndex)
  const receiver = toAccountIndex === null || toAccountIndex === 1 ? sender : find(toAccountIndex)
  return signature !== wrongSignature && sender?.tokenId === tokenId && nonce >= sender.nonce &&
    receiver?.tokenId === tokenId
}

export function postAuthorization(world: World): void {
  const { random, promises } = world
  const posted = drawAuthorization(random)
  const { address, publicKey } = posted
  const promised = promises.authorizations.get(address)
  const revision = drawRevision(world)
  const body = bodyWriter(revision.bodies.authorization, contextOf(world.genesis))(posted)
  const label = `POST authorization of ${address.slice(0, 10)} for ${publicKey.slice(0, 8)}`
  send(
    world,
    label,
    post(world, revision, "/account-creation-authorization", body),
    (outcome) => {
      if (outcome === "gone" || outcome.status >= 500) return
      const known = promises.authorizations.get(address)
      if (outcome.status === 200) {
        world.check(
          known === undefined || known.publicKey === publicKey,
          () => `${label} is acknowledged, and so is another key`
        )
        promises.authorizations.set(address, posted)
        return world.checkAuthorization(address)
      }
      world.check(
        promised === undefined || promised.publicKey !== publicKey,
        () => `${label} was acknowledged, and is refused: ${textOf(outcome)}`
      )
    },
    { conflictStatus: revision.conflictStatus }
  )
}

/** Reads a posted transaction, sometimes with the entity tag of the last answer. */
export function readPosted(world: World, id = anyPosted(world)): void {
  const { random, poolReads, promises } = world
  const promised = promises.transactions.get(id)
  const mayBeGone = promises.removed.has(id)
  const url = `/transactions-pool/${id}`
  const last = poolReads.get(id)
  const before = stateOf(world, id)
  const headers = last !== undefined && random.chance(0.5) ? { "if-none-match": last.etag } : {}
  send(world, `GET ${url.slice(0, 34)}`, { method: "GET", url, headers }, (outcome) => {
    if (outcome === "gone" || outcome.status >= 500) return
    const body = textOf(outcome)
    const after = stateOf(world, id)
    if (outcome.status === 404) {
      return world.check(
        (promised === undefined || mayBeGone || promises.removed.has(id)) &&
          (before === "" || after === ""),
        () => `GET ${url} is answered with 404, though it is in the pool`
      )
    }
    if (outcome.status === 304) {
      return world.check(
        before !== after || last?.state === before,
        () => `GET ${url} is not modified since it was ${last?.state}, though it is ${before}`
      )
    }
    const found = JSON.parse(body) as {
      readonly signature: string
      readonly amount: string
      readonly nonce: number
      readonly state: string
      readonly batchNum: number | null
    }
    const state = `${found.state} ${found.batchNum}`
    world.check(
      before !== after || state === before,
      () => `GET ${url} shows that it is ${state}, though it is ${before}`
    )
    if (outcome.headers.etag !== undefined) poolReads.set(id, { state, etag: outcome.headers.etag })
    const shown = (promises.posted.get(id) ?? []).find(({ amount, nonce, signature }) =>
      signature === found.signature && String(amount) === found.amount &&
      Number(nonce) === found.nonce
    )
    world.check(
      shown !== undefined,
      () => `GET ${url} shows a transaction that was never posted: ${body}`
    )
    world.check(
      promised === undefined || mayBeGone || promised.signature === found.signature,
      () => `GET ${url} shows another content than was acknowledged: ${body}`
    )
  }, { isExcused: () => isTokenGone(world, id) })
}

/** Prefers one that was read before, which may have changed. */
const anyPosted = ({ random, poolReads, promises }: World): string =>
  random.of([
    ...poolReads.size > 0 && random.chance(0.6) ? poolReads.keys() : promises.posted.keys()
  ])

/**
 * Returns state and batch of a transaction, read without injected faults; empty if it is not in the
 * pool.
 */
const stateOf = ({ durable }: World, id: string): string => {
  const found = Effect.runSync(Effect.orDie(durable.pool().transaction(id)))
  // the number of a batch is shown once it has forged the transaction
  return found === null
    ? ""
    : `${found.state} ${found.state === "fged" ? found.batchNum : null}`
}

/** A transaction cannot be shown while its token is rolled back. */
const isTokenGone = ({ promises, timeline }: World, id: string): boolean =>
  [timeline.facts, ...timeline.open === undefined ? [] : [timeline.ahead]].some(({ tokens }) =>
    (promises.posted.get(id) ?? []).some(({ tokenId }) => tokenId >= tokens.length)
  )

export function readAuthorization(world: World, address: string): void {
  const url = `/account-creation-authorization/${
    formatPrefixedAddress(world.genesis.network.prefix, address)
  }`
  const promised = world.promises.authorizations.get(address)
  send(world, `GET ${url}`, { method: "GET", url, headers: {} }, (outcome) => {
    if (outcome === "gone" || outcome.status >= 500) return
    world.check(
      outcome.status === 200 || promised === undefined,
      () => `GET ${url} is answered with ${outcome.status}, though it was acknowledged`
    )
    if (outcome.status === 200 && promised !== undefined) {
      world.check(
        textOf(outcome).includes(promised.signature),
        () => `GET ${url} shows another content than was acknowledged: ${textOf(outcome)}`
      )
    }
  })
}
