import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { readFileSync } from "node:fs"

import { defaultAdminLimits } from "../../adapters/admin/mod.ts"
import { defaultLimits } from "../../adapters/http/mod.ts"
import { defaultServerLimits } from "../../adapters/http/node/mod.ts"
import { commands } from "../../app/commands/commands.ts"
import {
  commandHelp,
  optionsOf,
  programHelp,
  type ResolvedOptions,
  settings
} from "../../app/config/mod.ts"
import { exitCodes } from "../../app/process/exit_codes.ts"
import { revisionList } from "../../core/mod.ts"
import { exitTable, readmePath, settingsTable, withTables } from "./_readme.ts"

const all = Object.values(settings.serverSettings)
const options = commands.flatMap(({ options }) => Object.values(options))

describe("the settings", () => {
  it("have unique names in flags, environment and file", () => {
    for (
      const names of [
        all.map(({ flag }) => flag),
        all.map(({ variable }) => variable),
        all.map(({ key }) => key)
      ]
    ) {
      assert.strictEqual(new Set(names).size, names.length)
    }
    // a flag means the same for every command that has it
    for (const { flag, value } of options) {
      assert.strictEqual(
        new Set(options.filter((other) => other.flag === flag).map((other) => other.value.rule))
          .size,
        1,
        `${flag} ${value.rule}`
      )
    }
  })

  it("have a path for each revision, whose document openapi prints", () => {
    const { argument } = commands.find(({ name }) => name === "openapi")!
    assert.isAbove(revisionList.length, 1)
    for (const { name, path } of revisionList) {
      const setting = all.find(({ flag }) => flag === `${name}-path`)
      assert.strictEqual(setting?.default, path)
      assert.strictEqual(argument!.value.fromText(name), name)
      assert.include(argument!.value.rule, name)
    }
  })

  it("set the options of the adapters that they name", () => {
    const { serverSettings } = settings
    const usual = Object.fromEntries(
      Object.entries(serverSettings).map(([name, setting]) => [name, setting.default])
    ) as ResolvedOptions<typeof serverSettings>
    const values = { ...usual, maxFeeUSD: undefined, connectionsMax: 9 }
    const { trustedProxies: _, ...serverLimits } = defaultServerLimits
    assert.deepStrictEqual(optionsOf("server", serverSettings, values), serverLimits)
    assert.deepStrictEqual(optionsOf("http", serverSettings, values), defaultLimits)
    assert.deepStrictEqual(optionsOf("admin", serverSettings, values), defaultAdminLimits)
    assert.strictEqual(optionsOf("database", serverSettings, values).maxConnections, 9)
    assert.notProperty(optionsOf("node", serverSettings, values), "maxFeeUSD")
  })

  it("follow the naming convention of each source", () => {
    for (const { flag, key, variable } of all) {
      assert.match(flag, /^[a-z]+\d*(-[a-z]+)*$/u)
      assert.match(key, /^[a-z]+\.[a-z]+\d*(_[a-z]+)*$/u)
      assert.match(variable, /^[A-Z]+(_[A-Z]+\d*)*$/u)
    }
  })

  it("have valid defaults, and a line of documentation without a period", () => {
    for (const { default: usual, doc, flag, value: { fromText, schema } } of options) {
      if (usual !== undefined) {
        assert.isTrue(Exit.isSuccess(Schema.decodeUnknownExit(schema)(usual)), flag)
        assert.isTrue(
          Exit.isSuccess(Schema.decodeUnknownExit(schema)(fromText(String(usual)))),
          flag
        )
      }
      assert.match(doc, /^[A-Z0-9][^\n]*[^.\n]$/u)
    }
  })

  it("name the unit of a quantity in the file", () => {
    for (const { key, value } of all.filter(({ value }) => /number/u.test(value.rule))) {
      assert.match(
        key,
        /(_ms|_seconds|_usd|_bytes_max|_bytes_min|_max|_batches|_ratio|\.(port|workers|transactions|chain_id))$/u,
        `${key}: ${value.rule}`
      )
    }
  })

  it("are in the tables of app/README.md as they are declared", () => {
    const readme = readFileSync(readmePath, "utf8")
    const rewritten = withTables(readme)
    assert.strictEqual(
      readme,
      rewritten,
      "the tables of app/README.md are out of date: run node test/config/write_readme.ts"
    )
    for (const { code } of Object.values(exitCodes)) assert.include(exitTable(), `| ${code} |`)
    for (const { key } of all) assert.include(settingsTable(settings.serverSettings), `\`${key}\``)
  })
})

describe("the help", () => {
  it("of each command lists every flag, variable and key, and has an example", () => {
    for (const command of commands) {
      const help = commandHelp(command)
      for (const option of Object.values(command.options)) {
        assert.match(help, new RegExp(`^  --(\\[no-\\])?${option.flag}\\b`, "mu"))
        if ("key" in option) {
          assert.include(
            help,
            `(${String((option as typeof all[0]).variable)}, ${String(option.key)})`
          )
        }
      }
      assert.include(help, `rollup-node ${command.name}`)
      assert.isAbove(command.examples.length, 0, command.name)
    }
  })

  it("of the program lists every command and every exit code", () => {
    const help = programHelp(commands, Object.values(exitCodes))
    for (const { name, summary } of commands) {
      assert.match(
        help,
        new RegExp(`^  ${name} +${summary.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&")}$`, "mu")
      )
    }
    for (const { code, doc } of Object.values(exitCodes)) assert.include(help, `  ${code}  ${doc}`)
  })
})
