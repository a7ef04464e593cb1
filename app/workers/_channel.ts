import { Effect } from "effect"
import type { Downward, Upward } from "./message.ts"

type Of<Kind extends Downward["kind"]> = Extract<Downward, { readonly kind: Kind }>

/** The line of a worker to its supervisor. When it breaks, the process ends: nobody would tell it any more what it may show. */
export class Channel {
  readonly #listeners: { [Kind in Downward["kind"]]?: (message: Of<Kind>) => void } = {}
  readonly #early: Array<Downward> = []

  constructor() {
    process.on("message", (message) => this.#take(message as Downward))
  }

  /** One listener for each kind; what came before it was there is given to it at once. */
  on<Kind extends Downward["kind"]>(kind: Kind, listener: (message: Of<Kind>) => void): void {
    this.#listeners[kind] = listener as never
    for (const message of this.#early.splice(0)) this.#take(message)
  }

  /** The first message of a kind. */
  first<Kind extends Downward["kind"]>(kind: Kind): Effect.Effect<Of<Kind>> {
    return Effect.callback((resume) => this.on(kind, (message) => resume(Effect.succeed(message))))
  }

  send(message: Upward): void {
    if (process.connected) process.send!(message)
  }

  #take(message: Downward): void {
    const listener = this.#listeners[message.kind] as ((message: Downward) => void) | undefined
    if (listener === undefined) this.#early.push(message)
    else listener(message)
  }
}
