import { Effect, type Exit } from "effect"
import { crc32 } from "node:zlib"
import { simulate } from "../../app/simulator/mod.ts"
import { verifyTransaction } from "../../adapters/crypto/mod.ts"
import type { HttpRequest } from "../../adapters/http/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { type SignatureVerifier, VerifierBusy } from "../../core/ports/mod.ts"
import { rememberedKeccak256 } from "../crypto/remembered.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import {
  database,
  type Disk,
  type Durable,
  journalOn,
  Node,
  type Tampering,
  FaultInjector,
  FiberSchedule
} from "./machine/mod.ts"
import type { Walk } from "./_walks.ts"
import { Promises } from "./_promises.ts"
import { type LedgerRead, type Reference, referenceOf } from "./_reference.ts"
import { Timeline, wrongSignature } from "./network/mod.ts"

/** The service broke a promise. */
export class Violation extends Error {}

/** An operation in progress. */
export interface RunningOperation {
  readonly label: string
  readonly interrupt: () => void
  /** Called if the process ends during the operation: there is no response. */
  readonly abort: () => void
}

/** A response whose version the ledger has not confirmed yet. */
export interface PendingCheck {
  readonly version: number
  readonly judge: () => void
}

const { genesis: plain } = simulate({ seed: "simulation", users: 2, tokens: 1 })
const networks: ReadonlyArray<GenesisFeed> = [plain, {
  ...plain,
  network: { ...plain.network, prefix: "hez" }
}]

export interface WorldOptions {
  readonly keepTrace?: boolean
  readonly tampering?: Tampering
  /** Opens the durable state; by default the seed chooses between database and disk. */
  readonly directory?: (name: string, genesis: GenesisFeed) => Durable
  readonly isSigned?: boolean
}

/**
 * The complete state of a simulation: a node, its storage, its clients, and the promises to them.
 */
export class World {
  readonly seed: string
  readonly scheduler: FiberSchedule
  readonly injector: FaultInjector
  readonly genesis: GenesisFeed
  readonly kind: "database" | "journal" | "directory"
  /** Whether signatures are real and verified. */
  readonly isSigned: boolean
  readonly durable: Durable
  readonly disk: Disk
  readonly timeline: Timeline
  readonly promises = new Promises()
  readonly reference: Reference
  readonly #tampering: Tampering
  readonly running = new Set<RunningOperation>()
  readonly pendingChecks: Array<PendingCheck> = []
  readonly walks: Array<Walk> = []
  /** Earlier reads, with the entity tag of the last response. */
  readonly earlierReads = new Map<
    string,
    { readonly ledgerRead: LedgerRead; readonly request: HttpRequest; readonly etag: string }
  >()
  /** The last response about a transaction in the pool. */
  readonly poolReads = new Map<string, { readonly etag: string; readonly state: string }>()
  /** The content that each entity tag stands for. */
  readonly tags = new Map<string, string>()
  /**
   * The greatest version that was shown or acknowledged: no later response may show an older one.
   */
  shownVersion = 0
  node: Node
  /** Whether the verifier refuses work. */
  isVerifierBusy = false
  readonly trace: Array<string> = []
  readonly #recorded: Array<string | Uint8Array> = []
  /** The first violation. */
  violation: string | undefined
  /** The number of events of each kind. */
  readonly tally = new Map<string, number>()
  readonly #keepTrace: boolean

  constructor(
    seed: string,
    { directory, isSigned = false, keepTrace = false, tampering = {} }: WorldOptions
  ) {
    this.seed = seed
    this.#keepTrace = keepTrace
    this.#tampering = tampering
    const random = new SeededRandom(seed)
    this.genesis = random.of(networks)
    const drawn = random.of(["database", "journal"] as const)
    this.kind = directory === undefined ? drawn : "directory"
    this.isSigned = isSigned
    this.scheduler = new FiberSchedule(random, this.genesis.block.timestampMs)
    this.injector = new FaultInjector(this.scheduler, (mishap) => this.count(mishap))
    this.disk = { synced: [], isFull: false, isHasty: tampering.isDiskHasty ?? false }
    this.durable = directory !== undefined ?
      directory(`directory ${seed}`, this.genesis) :
      this.kind === "database"
      ? database(`database ${seed}`, this.genesis, this.injector, this.scheduler)
      : journalOn(this.disk, `journal ${seed}`, this.genesis, this.injector, this.scheduler)
    this.timeline = new Timeline(this.genesis, rememberedKeccak256)
    this.reference = referenceOf(this.genesis)
    this.node = this.#start()
  }

  get random(): SeededRandom {
    return this.scheduler.random
  }

  /** Records an event and a response body for the digest; both follow from the seed. */
  tell(line: string, body: string | Uint8Array = ""): void {
    const timed = `${this.scheduler.elapsedMs} ${line}`
    this.#recorded.push(timed, body)
    if (this.#keepTrace) this.trace.push(body === "" ? timed : `${timed} ${crc32(body)}`)
  }

  /** The digest of everything recorded so far. */
  get digest(): number {
    return this.#recorded.reduce((digest, each) => crc32(each, digest), 0)
  }

  count(label: string): void {
    this.tally.set(label, (this.tally.get(label) ?? 0) + 1)
  }

  fail(message: string): never {
    this.violation ??= message
    throw new Violation(message)
  }

  /** A violation found in another fiber ends that fiber; this reports it. */
  checkTurns(): void {
    if (this.violation !== undefined) throw new Violation(this.violation)
  }

  check(holds: boolean, message: () => string): void {
    if (!holds) this.fail(message())
  }

  /**
   * Starts an effect in the process; its result goes to `ended`, or `cut` is called if the process
   * ends first.
   */
  begin<A, E>(
    label: string,
    effect: Effect.Effect<A, E>,
    ended: (exit: Exit.Exit<A, E>) => void,
    abort: () => void
  ): RunningOperation {
    const { interrupt } = this.node.start(effect, (exit) => {
      if (!this.running.delete(running)) return
      ended(exit)
    })
    const running: RunningOperation = { label, interrupt, abort }
    this.running.add(running)
    return running
  }

  /** Runs until all operations have ended. */
  quiesce(): void {
    for (let scheduler = 0; this.running.size > 0; scheduler++) {
      if ((!this.scheduler.take() && !this.durable.idle()) || scheduler > TURNS_MAX) {
        this.fail(`${[...this.running].map(({ label }) => label).join(", ")} never ends`)
      }
    }
  }

  /** Runs some steps; unfinished operations continue later. */
  passTurns(count: number): void {
    for (let left = count; left > 0 && (this.scheduler.take() || this.durable.idle()); left--) {
      continue
    }
  }

  /** Kills the process, which loses everything not durable, and starts another one. */
  restart(): void {
    this.node.life.alive = false
    this.count("restart")
    for (const running of this.running) running.abort()
    this.running.clear()
    this.disk.isFull = false
    this.#tampering.found?.(this.disk)
    this.node = this.#start()
    for (const id of this.promises.transactions.keys()) this.checkPromise(id)
    for (const address of this.promises.authorizations.keys()) this.checkAuthorization(address)
  }

  checkPromise(id: string): void {
    const broken = this.promises.broken(this.durable.pool(), id)
    if (broken !== undefined) this.fail(broken)
  }

  checkAuthorization(address: string): void {
    const broken = this.promises.brokenAuthorization(this.durable.pool(), address)
    if (broken !== undefined) this.fail(broken)
  }

  /** Checks the responses whose versions are confirmed by now. */
  judge(): void {
    for (const each of this.pendingChecks.splice(0)) {
      if (each.version > this.timeline.lastVersion) this.pendingChecks.push(each)
      else each.judge()
    }
  }

  #start(): Node {
    const { durable, genesis, scheduler } = this
    return new Node({
      durable,
      genesis,
      scheduler,
      verifier: this.#verifier(),
      tampering: this.#tampering
    })
  }

  /** Takes some time, and refuses one signature. */
  #verifier(): SignatureVerifier["Service"] {
    const verdict = (isRight: boolean) =>
      Effect.suspend(() => {
        if (this.isVerifierBusy && this.random.chance(0.5)) {
          this.injector.faults++
          return Effect.fail(new VerifierBusy({ retryAfterSeconds: 2 }))
        }
        return this.random.chance(0.3)
          ? Effect.as(Effect.sleep(1 + this.random.below(30)), isRight)
          : Effect.succeed(isRight)
      })
    const { chainId } = this.genesis.network
    return {
      transaction: (posted, key) =>
        verdict(
          this.isSigned
            ? verifyTransaction(key, posted, chainId)
            : posted.signature !== wrongSignature
        ),
      authorization: () => verdict(true)
    }
  }
}

const TURNS_MAX = 50_000
