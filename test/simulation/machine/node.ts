import {
  Clock,
  Context,
  Effect,
  Exit,
  type Fiber,
  Layer,
  Logger,
  References,
  Scheduler,
  Scope
} from "effect"
import { Application } from "../../../adapters/http/mod.ts"
import { wireContext } from "../../../core/contract/mod.ts"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import {
  LedgerReader,
  LatestLedgerVersion,
  LedgerWriter,
  PoolStore,
  LatestPoolVersion,
  SignatureVerifier
} from "../../../core/ports/mod.ts"
import { Ledger, Pool, pooledLedger, Submission } from "../../../core/use_cases/mod.ts"
import { rememberedKeccak256 } from "../../crypto/remembered.ts"
import { rememberedExitTrees } from "../../derived/_stripped.ts"
import type { Durable, Ports } from "./database.ts"
import type { Disk } from "./disk.ts"
import type { ProcessLife, FiberSchedule } from "./schedule.ts"

/** The services that a coordinator's host and its clients call. */
export interface Services {
  readonly handle: Application["Service"]["handle"]
  readonly ledger: Ledger["Service"]
  readonly pool: Pool["Service"]
}

/** Ways to break a node on purpose. */
export interface Tampering {
  readonly isDiskHasty?: boolean
  /** Changes the disk before a process starts. */
  readonly found?: (disk: Disk) => void
  readonly ports?: (ports: Ports) => Ports
  readonly services?: (services: Services) => Services
}

export interface NodeOptions {
  readonly genesis: GenesisFeed
  readonly durable: Durable
  readonly verifier: SignatureVerifier["Service"]
  readonly scheduler: FiberSchedule
  readonly tampering: Tampering
}

/** Limits that some seeds reach. */
const limits = {
  pendingMax: 25,
  pendingPerAccountMax: 6,
  forgingMaxMs: 3_600_000,
  answersBytesMax: 300_000
}

/** The texts of addresses and keys are the same for all nodes of a network. */
const contexts = new Map<string, ReturnType<typeof wireContext>>()
export const contextOf = ({ network }: GenesisFeed) => {
  const key = JSON.stringify(network)
  const known = contexts.get(key) ?? wireContext(network, rememberedKeccak256)
  contexts.set(key, known)
  return known
}

/**
 * A process: the whole node as `nodeOver` composes it, from its HTTP interface to the ports of its
 * stores, until it is killed. Exit proofs are not verified, because that takes too long.
 */
export class Node {
  readonly life: ProcessLife = { alive: true }
  readonly services: Services
  readonly #run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly #scheduler: FiberSchedule

  constructor({ durable, genesis, tampering, scheduler, verifier }: NodeOptions) {
    this.#scheduler = scheduler
    const opened = durable.open(this.life)
    const ports = tampering.ports?.(opened) ?? opened
    const environment = Context.empty().pipe(
      Context.add(Scheduler.Scheduler, scheduler.schedulerOf(this.life)),
      Context.add(Clock.Clock, scheduler.clockOf(this.life)),
      Context.add(Logger.CurrentLoggers, new Set()),
      Context.add(References.MinimumLogLevel, "None")
    )
    const stores = Context.make(LedgerReader, ports.reader).pipe(
      Context.add(LedgerWriter, ports.writer),
      Context.add(PoolStore, ports.pool),
      Context.add(LatestLedgerVersion, ports.tip),
      Context.add(LatestPoolVersion, ports.latestPoolVersion),
      Context.add(SignatureVerifier, verifier)
    )
    const application = Application.layer({
      context: contextOf(genesis),
      constants: genesis.constants,
      answersBytesMax: limits.answersBytesMax
    })
    const node = Layer.merge(
      application,
      pooledLedger(genesis, rememberedKeccak256, { buildExitTrees: rememberedExitTrees })
    ).pipe(
      Layer.provideMerge(Layer.merge(
        Submission.layer({ network: genesis.network, keccak256: rememberedKeccak256, ...limits }),
        Pool.layer({ keccak256: rememberedKeccak256, forgingMaxMs: limits.forgingMaxMs })
      )),
      Layer.provide(Layer.succeedContext(stores))
    )
    const built = Effect.runSync(Layer.buildWithScope(Layer.fresh(node), Scope.makeUnsafe()))
    const services = {
      handle: Context.get(built, Application).handle,
      ledger: Context.get(built, Ledger),
      pool: Context.get(built, Pool)
    }
    this.services = tampering.services?.(services) ?? services
    this.#run = Effect.runForkWith(environment)
  }

  /** Starts the effect as soon as its fiber is scheduled. */
  start<A, E>(
    effect: Effect.Effect<A, E>,
    ended: (exit: Exit.Exit<A, E>) => void
  ): { readonly interrupt: () => void } {
    let fiber: Fiber.Fiber<A, E> | undefined
    let gone = false
    this.#scheduler.later(this.life, () => {
      if (gone) return ended(Exit.interrupt())
      fiber = this.#run(effect)
      fiber.addObserver(ended)
    })
    return {
      interrupt: () => {
        gone = true
        fiber?.interruptUnsafe()
      }
    }
  }
}
