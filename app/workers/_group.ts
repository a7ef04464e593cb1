import cluster from "node:cluster"
import { Sequence } from "./_sequence.ts"
import { type Ending, Member } from "./_member.ts"
import { RecordStore } from "./_record_store.ts"
import type { Answer, Downward, Upward } from "./message.ts"
import { type Role, roleEnvironment } from "./role.ts"

export interface GroupOptions {
  readonly workers: number
  /** Where the data are: with a database every process opens it, otherwise one holds the stores and the others follow; in memory the records of all are kept here. */
  readonly stores: "memory" | "directory" | "database"
  /** Names the ledger to clients. */
  readonly name: string
  /** How long a follower may have something to do and do none of it. */
  readonly lagMaxMs: number
  readonly onServing: (address: string) => void
  readonly onNews: (level: "info" | "warning", news: string) => void
  /** The first process ended before anything was served, and has said why. */
  readonly onFailedStart: (ending: Ending) => void
}

/** Processes that serve one port: starts them, starts them again, and passes on what they say to each other. */
export class Group {
  readonly #options: GroupOptions
  readonly #members: ReadonlyArray<Member>
  readonly #sequence: Sequence
  readonly #records: RecordStore | undefined
  /** What each process has asked the writer for. */
  readonly #pulls = new Map<number, number>()
  #genesis: string | undefined
  #isOpened = false
  #hasServed = false
  #onEmpty: (() => void) | undefined

  constructor(options: GroupOptions) {
    this.#options = options
    const { lagMaxMs, name, stores, workers } = options
    const kind = (place: number): Role["kind"] => stores === "database" ? "peer" : place === 1 ? "writer" : "follower"
    this.#members = Array.from({ length: workers }, (_, i) => new Member({ kind: kind(i + 1), group: name, place: i + 1, workers }))
    this.#records = stores === "memory" ? new RecordStore() : undefined
    this.#sequence = new Sequence({ lagMaxMs, onShown: (last) => this.#tell(this.#members, { kind: "shown", last }), onLag: (id) => this.#drop(id) })
  }

  /** The first one alone, since it has the most to do and is waited for; the others when it serves. */
  start(): void {
    // The supervisor takes connections and deals them out in turn, a seventh of a millisecond for each. Where the system does so it costs
    // nothing, but of four processes one had 1 of 32 connections, and clients keep theirs; and a port that nobody else holds dies with a process.
    cluster.schedulingPolicy = cluster.SCHED_RR
    cluster.setupPrimary({ serialization: "advanced" })
    this.#start(this.#members[0]!)
  }

  /** Has every process answer what has come, and end: those that follow first, since they need the one that writes. Kills what takes longer. */
  async drain(boundMs: number): Promise<void> {
    for (const member of this.#members) member.cancel()
    for (const some of [this.#followers, this.#members]) {
      this.#tell(some, { kind: "drain" })
      const kill = setTimeout(() => some.forEach((member) => member.kill()), boundMs)
      await new Promise<void>((resolve) => {
        this.#onEmpty = () => some.every(({ id }) => id === undefined) && resolve()
        this.#onEmpty()
      })
      clearTimeout(kill)
    }
  }

  /** At once. */
  kill(): void {
    for (const member of this.#members) member.kill()
  }

  get #writer(): Member | undefined {
    return this.#members.find(({ role }) => role.kind === "writer")
  }
  get #followers(): ReadonlyArray<Member> {
    return this.#members.filter(({ role }) => role.kind === "follower")
  }

  #start(member: Member): void {
    member.start((role) => cluster.fork(roleEnvironment(role)), {
      message: (message) => this.#hear(member, message), ended: (ending) => this.#ended(member, ending)
    })
    if (member.role.kind === "follower" && this.#genesis !== undefined) member.send({ kind: "network", genesis: this.#genesis })
  }

  #ended(member: Member, ending: Ending): void {
    const { id, name } = member
    this.#sequence.leave(id!)
    this.#pulls.delete(id!)
    if (member.role.kind === "writer") {
      this.#isOpened = false
      this.#tell(this.#followers, { kind: "writerGone" })
    }
    if (this.#onEmpty !== undefined) return void setImmediate(this.#onEmpty)
    if (!this.#hasServed) return this.#options.onFailedStart(ending)
    const delayMs = member.restarts.ended(Date.now())
    this.#options.onNews("warning", `${name} has ended (${typeof ending === "string" ? ending : `code ${ending}`}); another one starts in ${delayMs / 1000} s`)
    member.startIn(delayMs, () => this.#start(member))
  }

  /** A follower that keeps everybody waiting. */
  #drop(id: number): void {
    const member = this.#byId(id)
    if (member === undefined) return
    this.#options.onNews("warning", `${member.name} has not followed for ${this.#options.lagMaxMs / 1000} s and is ended`)
    this.#sequence.leave(id)
    member.kill()
  }

  #hear(member: Member, message: Upward): void {
    const id = member.id!
    switch (message.kind) {
      case "serving":
        return this.#serving(member, message.address)
      case "opened":
        return this.#opened(member, message.genesis, message.head)
      case "accepted":
        this.#records?.append(message.records.entries)
        this.#tell(this.#followers, message)
        return this.#sequence.accepted(message.records.head)
      case "pull":
        if (this.#records !== undefined) return member.send({ kind: "pulled", records: this.#records.from(message.first) })
        this.#pulls.set(id, message.first)
        return this.#passOn(id, message.first)
      case "pulled":
        this.#pulls.delete(message.to)
        return this.#byId(message.to)?.send({ kind: "pulled", records: message.records })
      case "applied":
        return this.#sequence.applied(id, message.last)
      case "join":
        this.#sequence.join(id, message.last)
        return member.send({ kind: "joined", shown: this.#sequence.shown })
      case "ask":
        return this.#isOpened && this.#writer!.isServing
          ? this.#writer!.send({ ...message, of: id })
          : member.send({ kind: "answer", id: message.id, answer: unavailable })
      case "answer":
        return this.#byId(message.to)?.send({ kind: "answer", id: message.id, answer: message.answer })
    }
  }

  #serving(member: Member, address: string): void {
    member.isServing = true
    member.restarts.serving(Date.now())
    if (!this.#hasServed) this.#options.onServing(address)
    this.#options.onNews("info", `${member.name} serves`)
    if (this.#hasServed) return
    this.#hasServed = true
    for (const other of this.#members.slice(1)) if (this.#onEmpty === undefined) this.#start(other)
  }

  #opened(writer: Member, genesis: string, head: number): void {
    this.#genesis = genesis
    this.#isOpened = true
    this.#sequence.accepted(head)
    writer.send({ kind: "shown", last: this.#sequence.shown })
    this.#tell(this.#followers, { kind: "network", genesis })
    this.#tell(this.#followers, { kind: "head", head })
    for (const [id, first] of this.#pulls) this.#passOn(id, first)
  }

  #passOn(of: number, first: number): void {
    if (this.#isOpened) this.#writer?.send({ kind: "pull", of, first })
  }

  #tell(members: ReadonlyArray<Member>, message: Downward): void {
    for (const member of members) member.send(message)
  }

  #byId(id: number): Member | undefined {
    return this.#members.find((member) => member.id === id)
  }
}

const unavailable: Answer = { kind: "unavailable" }
