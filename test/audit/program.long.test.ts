/* The `verify` command, as a user runs it. */
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "../postgres/mod.ts"
import { execute } from "../postgres/_statements.ts"
import { command, inDirectory, serve } from "../program/_program.ts"
import type { Verification } from "../../app/commands/verification.ts"

describe("verify", () => {
  it(
    "reports faults in a database while a server uses it, exits with its own code, and the admin listener shows the result",
    () =>
      inDirectory(async () => {
        const { url: database } = await freshDatabase()
        const server = await serve(
          "--database",
          database,
          "--simulate",
          "--empty",
          "--admin-port",
          "0"
        )
        const admin = /Health and metrics at (http:\/\/[^\s",]+)/u.exec(server.output())![1]!
        const before = await fetch(`${admin}/verification`)
        assert.strictEqual(before.status, 404)
        assert.match(await before.text(), /has not been verified yet/u)

        const sound = command("verify", "--database", database)
        assert.strictEqual(sound.status, 0, sound.output)
        assert.match(sound.output, /No violations found/u)

        await execute(database, "UPDATE ledger SET next_exit = 0, next_bid = 0")
        const unsound = command(
          "verify",
          "--database",
          database,
          "--json",
          "--violations-max",
          "1",
          "--log-level",
          "error"
        )
        assert.strictEqual(unsound.status, 6, unsound.output)
        const shown = await (await fetch(`${admin}/verification`)).json() as Verification
        assert.isFalse(shown.isSound)
        assert.deepStrictEqual(JSON.parse(unsound.output.slice(unsound.output.indexOf("{"))), shown)
        assert.deepStrictEqual(shown.violations, [{
          check: "standing",
          place: "ledger, next_exit",
          found: "0",
          expected: "1 or more, the value of block 18000000"
        }])
        assert.strictEqual(shown.checks.find(({ check }) => check === "standing")!.violations, 2)
        await server.kill()
      }),
    60_000
  )

  it("verifies one thing at a time", () => {
    const { output, status } = command("verify", "--feed", "x", "--data", "y")
    assert.strictEqual(status, 2, output)
    assert.match(
      output,
      /Only one input can be verified at a time, and several are set: the feed "x" \(--feed\), the directory "y"/u
    )
  })
})
