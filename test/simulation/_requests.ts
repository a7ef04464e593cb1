import { Cause, Exit } from "effect"
import type { HttpAnswer, HttpRequest } from "../../adapters/http/mod.ts"
import { mountOf } from "../_mounts.ts"
import type { Revision } from "../../core/contract/mod.ts"
import { difference } from "../laws/law.ts"
import { averagesTolerance } from "../laws/ledger/mod.ts"
import { lastBlock } from "../laws/naive/mod.ts"
import { drawRead, urlOf } from "./_reads.ts"
import type { LedgerRead } from "./_reference.ts"
import type { World } from "./_world.ts"
import { textOf } from "../_answers.ts"

/** The outcome of a request: a response, or none. */
export type Outcome = HttpAnswer | "gone"

export interface SendOptions {
  /** Whether the response names the version that it shows. */
  readonly isOfLedger?: boolean
  /** Whether a temporary refusal is acceptable. */
  readonly isExcused?: () => boolean
  /** The status of another content under a known identifier, if that is not 400. */
  readonly conflictStatus?: Revision["conflictStatus"]
}

/** Sends a request, and checks what must hold of every response. */
export function send(
  world: World,
  label: string,
  request: HttpRequest,
  then: (outcome: Outcome) => void,
  { isOfLedger = false, isExcused = () => false, conflictStatus }: SendOptions = {}
): void {
  const { shownVersion, node, injector } = world
  const faults = injector.faults
  const wasRough = !injector.isCalm || world.isVerifierBusy
  const gone = () => {
    world.tell(`${label} gone`)
    world.count("no answer")
    then("gone")
  }
  world.begin(label, node.services.handle(request), (exit) => {
    if (Exit.isFailure(exit)) {
      if (!Cause.hasInterruptsOnly(exit.cause)) {
        world.fail(`${label} is a defect: ${Cause.pretty(exit.cause)}`)
      }
      return gone()
    }
    const answer = exit.value
    const { headers, status } = answer
    const version = headers["ledger-version"]
    world.tell(`${label} ${status} ${version}`, textOf(answer))
    world.count(`${request.method} ${status}`)
    if (isOfLedger && status !== 400 && status < 500) {
      world.check(
        version !== undefined && Number(version) >= shownVersion,
        () => `${label} shows version ${version}, and ${shownVersion} was shown before it was asked`
      )
      // a version that was shown once is never taken back
      world.shownVersion = Math.max(world.shownVersion, Number(version))
    }
    if (status === 503) {
      const full = textOf(answer).includes("problem:pool-full")
      world.check(
        request.method === "POST" || !textOf(answer).includes("disk space"),
        () => `${label} is refused because the disk is full`
      )
      world.check(
        Number(headers["retry-after"]) >= 1,
        () => `${label} is refused for now without Retry-After`
      )
      world.check(
        full || isExcused() || wasRough || injector.faults > faults,
        () => `${label} is refused, and nothing was wrong: ${textOf(answer)}`
      )
    } else if (status === 500) {
      world.check(world.durable.isBroken(), () => `${label} fails: ${textOf(answer)}`)
    } else {
      world.check(
        [200, 304, 400, 404, conflictStatus].includes(status),
        () => `${label} is answered with ${status}: ${textOf(answer)}`
      )
    }
    if (status >= 400 && request.method !== "HEAD") {
      world.check(
        /^\{"message":"[A-Z0-9]/u.test(textOf(answer)),
        () => `${label} is refused with ${textOf(answer)}`
      )
    }
    then(answer)
  }, gone)
}

/** Sends a new read, or repeats one with the entity tag of its last response. */
export function ask(world: World): void {
  const { earlierReads, random, genesis, timeline } = world
  if (earlierReads.size > 0 && random.chance(0.5)) {
    const { etag, ledgerRead, request } = random.of([...earlierReads.values()])
    const tag = random.chance(0.7) ? etag : random.of(["*", `W/${etag}`, '"other"', `"x", ${etag}`])
    return read(
      world,
      ledgerRead,
      random.chance(0.75)
        ? { ...request, headers: { ...request.headers, "if-none-match": tag } }
        : request
    )
  }
  const ledgerRead = drawRead(random, timeline.facts, genesis.network)
  const url = urlOf(ledgerRead)
  const { revision } = ledgerRead
  const byHeader = mountOf(revision) !== "" && random.chance(0.2)
  read(
    world,
    ledgerRead,
    byHeader
      ? {
        method: "GET",
        url: url.slice(mountOf(revision).length),
        headers: { "api-revision": revision.name }
      }
      : { method: random.chance(0.04) ? "HEAD" : "GET", url, headers: {} }
  )
}

/**
 * Reads from the ledger, and compares the response with that of the naive model at the same
 * version.
 */
export function read(
  world: World,
  ledgerRead: LedgerRead,
  request: HttpRequest,
  then: (answer: HttpAnswer) => void = () => {},
  ended: () => void = () => {}
): void {
  const label = `${request.method} ${request.url}${
    request.headers["if-none-match"] === undefined ? "" : " if it is not the same"
  }`
  send(world, label, request, (outcome) => {
    ended()
    if (outcome === "gone" || outcome.status >= 500) return
    const { headers, status } = outcome
    const judge = () => judgeAnswer(world, ledgerRead, request, outcome)
    const version = Number(headers["ledger-version"])
    // a refusal may name no snapshot if the store did not report one
    if (status === 400) {
      world.check(
        world.reference.answer(world.timeline.facts, ledgerRead).status === 400,
        () => `${label} is refused: ${textOf(outcome)}`
      )
    } else if (world.timeline.at(version) !== undefined) judge()
    else world.pendingChecks.push({ version, judge })
    if (status === 200 && headers.etag !== undefined) {
      const { "if-none-match": _, ...own } = request.headers
      world.earlierReads.set(keyOf({ ...request, headers: own }), {
        ledgerRead,
        request: { ...request, headers: own },
        etag: headers.etag
      })
    }
    then(outcome)
  }, { isOfLedger: true })
}

function judgeAnswer(
  world: World,
  ledgerRead: LedgerRead,
  request: HttpRequest,
  answer: HttpAnswer
): void {
  const { headers, status } = answer
  const version = Number(headers["ledger-version"])
  const facts = world.timeline.at(version)
  const describeRead = () => `${request.method} ${request.url} at version ${version}`
  if (facts === undefined) return world.fail(`${describeRead()}: there is no such version`)
  const expected = world.reference.answer(facts, ledgerRead)
  const expectedStatus = status === 304 && expected.status === 200 ? 304 : expected.status
  world.check(
    status === expectedStatus,
    () =>
      `${describeRead()} is answered with ${status}, expected ${expected.status}: ${textOf(answer)}`
  )
  if (headers["ledger-ethereum-block"] !== undefined) {
    const [block, batch] = [String(lastBlock(facts).number), facts.batches.at(-1)?.batchNum]
    world.check(
      headers["ledger-ethereum-block"] === block &&
        headers["ledger-batch"] === (batch === undefined ? undefined : String(batch)),
      () =>
        `${describeRead()} names block ${headers["ledger-ethereum-block"]} and batch ${
          headers["ledger-batch"]
        }, expected ${block} and ${batch}`
    )
  }
  const { json } = expected
  if (json === undefined) return
  world.count("answers compared")
  const etag = headers.etag!
  if (status === 304) {
    const condition = String(request.headers["if-none-match"])
    if (condition.includes("*")) return
    world.check(
      condition.includes(etag),
      () => `${describeRead()} is not modified for ${condition}, though its tag is ${etag}`
    )
    world.check(
      world.tags.get(tagKey(request, etag)) === json,
      () => `${describeRead()} is not modified, though tag ${etag} stood for something else`
    )
    return
  }
  const known = world.tags.get(tagKey(request, etag))
  world.check(
    known === undefined || known === json,
    () => `${describeRead()}: tag ${etag} stood for something else before`
  )
  world.tags.set(tagKey(request, etag), json)
  if (request.method === "HEAD") {
    return ledgerRead.operation === "getState"
      ? undefined
      : world.check(
        Number(headers["content-length"]) === Buffer.byteLength(json),
        () => `${describeRead()} has another length`
      )
  }
  const body = textOf(answer)
  if (ledgerRead.operation === "getState") {
    const at = difference(ofLedger(body), ofLedger(json), { tolerance: averagesTolerance })
    world.check(at === undefined, () => `${describeRead()}: ${at}`)
    return
  }
  world.check(body === json, () => `${describeRead()} is answered with\n${body}\nexpected\n${json}`)
}

/** Returns a state without its part `node`, which is not read from the ledger. */
const ofLedger = (text: string): object => {
  const { node: _, ...state } = JSON.parse(text) as { readonly node?: unknown }
  return state
}

const keyOf = ({ headers, method, url }: HttpRequest): string =>
  `${method} ${String(headers["api-revision"] ?? "")} ${url}`
const tagKey = ({ headers, url }: HttpRequest, etag: string): string =>
  `${etag} ${String(headers["api-revision"] ?? "")} ${url}`
