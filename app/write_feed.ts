import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { createWriteStream } from "node:fs"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as options from "./options.ts"
import { defaultNetwork, simulate, writeFeed } from "./simulator/mod.ts"

/** Writes the feed of a simulated network; `serve --feed` reads it. */
export const feed = Command.make("feed", {
  seed: options.seed, transactions: options.transactions, prefix: options.prefix, out: options.out, trueRoots: options.trueRoots
}, ({ seed, transactions, prefix, out, trueRoots }) =>
  Effect.promise(async () => {
    const simulation = simulate({ seed, network: { ...defaultNetwork, prefix }, standInRoots: !trueRoots })
    const target = Option.match(out, { onNone: () => process.stdout, onSome: (path) => createWriteStream(path) })
    await pipeline(Readable.from(writeFeed(simulation, transactions)), target, { end: Option.isSome(out) })
  })).pipe(Command.withDescription("Write the feed of a simulated network as NDJSON"))
