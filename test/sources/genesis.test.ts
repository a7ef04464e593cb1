import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { genesisFrom } from "../../app/sources/feed_file.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { writeFeedLine } from "../../core/mod.ts"
import { fileWith } from "./_file.ts"

const { genesis, next } = simulate({ seed: 1 })
const record = writeFeedLine({ kind: "genesis", genesis })
const block = writeFeedLine(next())

/** Reads a genesis file with this text, or these bytes. */
const read = (text: string | Uint8Array) =>
  Effect.flatMap(fileWith("genesis.json", text), genesisFrom)

describe("a genesis file", () => {
  it.effect("is a genesis record on one or several lines", () =>
    Effect.gen(function*() {
      for (const text of [record, `${record}\n`, JSON.stringify(JSON.parse(record), null, 2)]) {
        assert.deepStrictEqual(yield* read(text), genesis)
      }
    }))

  it.effect("is refused with the reason if it is anything else", () =>
    Effect.gen(function*() {
      const changed = JSON.parse(record) as { genesis: { network: { chainId: number } } }
      changed.genesis.network.chainId = -1
      const cases: ReadonlyArray<readonly [string | Uint8Array, RegExp]> = [
        [Buffer.from(record.replace('"name":"', '"name":"é'), "latin1"), /: expected UTF-8$/u],
        ["", /genesis\.json", line 1: expected a genesis record in JSON, .* found the end$/u],
        ['{\n "kind"', /genesis\.json", line 2: .*, here .*, found the end$/u],
        ["hello\nworld", /genesis\.json", line 1: .*, here an object: \{, found "hello"$/u],
        ['{\n"kind":"genesis",\n}', /genesis\.json", line 3: .* found "\}"$/u],
        [block, /expected a genesis record, found a block record$/u],
        [
          `${record}\n${block}\n`,
          /expected one genesis record, found several records; use --feed to follow them$/u
        ],
        [JSON.stringify(genesis.network), /kind/u],
        [JSON.stringify(changed), /an integer from 0 to 65535.*chainId/u]
      ]
      for (const [text, expected] of cases) {
        const { message } = yield* Effect.flip(read(text))
        assert.match(message, expected)
        assert.match(message, /^Genesis "/u)
      }
    }))

  it.effect("that does not exist is reported", () =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(genesisFrom("/nowhere/genesis.json"))
      assert.match(message, /^Genesis "\/nowhere\/genesis\.json" cannot be read: ENOENT/u)
    }))
})
