import { Effect, type Exit } from "effect"
import { crc32 } from "node:zlib"
import { simulate } from "../../app/simulator/mod.ts"
import { verifyTransaction } from "../../adapters/crypto/mod.ts"
import type { HttpAnswer, HttpRequest } from "../../adapters/http/mod.ts"
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
  Turns,
  Weather
} from "./machine/mod.ts"
import type { Walk } from "./_walks.ts"
import { Promises } from "./_promises.ts"
import { type Question, type Reference, referenceOf } from "./_reference.ts"
import { Timeline, wrongSignature } from "./network/mod.ts"

/** The service did what it must never do. */
export class Violation extends Error {}

/** Something that was begun and has not ended. */
export interface Running {
  readonly what: string
  readonly interrupt: () => void
  /** The process ends in the middle of it: nobody is answered. */
  readonly cut: () => void
}

/** An answer whose version the ledger has not told yet. */
export interface Unjudged {
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
  /** Opens what outlives the processes, in place of what the seed chooses. */
  readonly directory?: (name: string, genesis: GenesisFeed) => Durable
  readonly isSigned?: boolean
}

/** Everything there is in one simulation: a node, what it stands on, those who use it, and what they were told. */
export class World {
  readonly seed: string
  readonly turns: Turns
  readonly weather: Weather
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
  readonly running = new Set<Running>()
  readonly unjudged: Array<Unjudged> = []
  readonly walks: Array<Walk> = []
  /** What was asked before, with the tag of its last answer. */
  readonly asked = new Map<
    string,
    { readonly question: Question; readonly request: HttpRequest; readonly etag: string }
  >()
  /** The last answer about a transaction in the pool. */
  readonly looked = new Map<string, { readonly etag: string; readonly state: string }>()
  /** Of every tag that was given: what it stood for. */
  readonly tags = new Map<string, string>()
  /** Greatest version that somebody was shown or told: nobody is shown an older one from then on. */
  floor = 0
  node: Node
  starts = 0
  /** How the verifier feels. */
  isVerifierBusy = false
  readonly trace: Array<string> = []
  readonly #told: Array<string | Uint8Array> = []
  /** The first one. */
  violation: string | undefined
  /** What happened how often. */
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
    this.turns = new Turns(random, this.genesis.block.timestampMs)
    this.weather = new Weather(this.turns, (mishap) => this.count(mishap))
    this.disk = { synced: [], isFull: false, isHasty: tampering.isDiskHasty ?? false }
    this.durable = directory !== undefined ?
      directory(`directory ${seed}`, this.genesis) :
      this.kind === "database"
      ? database(`database ${seed}`, this.genesis, this.weather, this.turns)
      : journalOn(this.disk, `journal ${seed}`, this.genesis, this.weather, this.turns)
    this.timeline = new Timeline(this.genesis, rememberedKeccak256)
    this.reference = referenceOf(this.genesis)
    this.node = this.#start()
  }

  get random(): SeededRandom {
    return this.turns.random
  }

  /** One line of what happened, and what somebody was answered; everything in it follows from the seed. */
  tell(line: string, body: string | Uint8Array = ""): void {
    const timed = `${this.turns.elapsedMs} ${line}`
    this.#told.push(timed, body)
    if (this.#keepTrace) this.trace.push(body === "" ? timed : `${timed} ${crc32(body)}`)
  }

  /** Of all that was told until now. */
  get digest(): number {
    return this.#told.reduce((digest, each) => crc32(each, digest), 0)
  }

  count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1)
  }

  fail(message: string): never {
    this.violation ??= message
    throw new Violation(message)
  }

  /** A violation that was noticed in the middle of somebody else's turn has ended that turn, and no more. */
  checkTurns(): void {
    if (this.violation !== undefined) throw new Violation(this.violation)
  }

  check(holds: boolean, message: () => string): void {
    if (!holds) this.fail(message())
  }

  /** Begins something in the process; what ends with it is told to `ended`, a process that ends before to `cut`. */
  begin<A, E>(
    what: string,
    effect: Effect.Effect<A, E>,
    ended: (exit: Exit.Exit<A, E>) => void,
    cut: () => void
  ): Running {
    const { interrupt } = this.node.start(effect, (exit) => {
      if (!this.running.delete(running)) return
      ended(exit)
    })
    const running: Running = { what, interrupt, cut }
    this.running.add(running)
    return running
  }

  /** Until everybody is answered. */
  quiesce(): void {
    for (let turns = 0; this.running.size > 0; turns++) {
      if ((!this.turns.take() && !this.durable.idle()) || turns > TURNS_MAX) {
        this.fail(`${[...this.running].map(({ what }) => what).join(", ")} never ends`)
      }
    }
  }

  /** Some turns, and whoever is not done by then goes on later. */
  passTurns(count: number): void {
    for (let left = count; left > 0 && (this.turns.take() || this.durable.idle()); left--) continue
  }

  /** The process is killed; what it had not made durable is lost, and another one takes its place. */
  restart(): void {
    this.node.life.alive = false
    this.count("restart")
    for (const running of this.running) running.cut()
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

  /** Judges what was answered of versions that are known by now. */
  judge(): void {
    for (const each of this.unjudged.splice(0)) {
      if (each.version > this.timeline.lastVersion) this.unjudged.push(each)
      else each.judge()
    }
  }

  #start(): Node {
    this.starts++
    const { durable, genesis, turns } = this
    return new Node({
      durable,
      genesis,
      turns,
      verifier: this.#verifier(),
      tampering: this.#tampering
    })
  }

  /** Takes its time, and knows one wrong signature. */
  #verifier(): SignatureVerifier["Service"] {
    const verdict = (isRight: boolean) =>
      Effect.suspend(() => {
        if (this.isVerifierBusy && this.random.chance(0.5)) {
          this.weather.faults++
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

const decoder = new TextDecoder()
export const bodyOf = ({ body }: HttpAnswer): string =>
  typeof body === "string" ? body : decoder.decode(body)
