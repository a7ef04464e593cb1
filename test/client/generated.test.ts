import { assert, describe, it } from "@effect/vitest"
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { operations as declaredOperations } from "../../adapters/client/generated/mod.ts"
import { localName } from "../../adapters/client/local_name.ts"
import { clientTypes, writeClientTypes } from "../../app/packaging/client_types/mod.ts"
import {
  bodies,
  propertiesOf,
  offeredFilters,
  readOperationsOf,
  revisionList,
  writeOperationsOf
} from "../../core/contract/mod.ts"
import { localName as localNameOfCore } from "../../core/domain/mod.ts"
import { read } from "../packaging/_project.ts"

const types = clientTypes()
const typesOf = (revision: string): string => types.get(`revisions/${revision}.ts`)!

/** Returns the text of every file of a folder, by its path. */
const filesOf = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    globSync("**/*.ts", { cwd: folder }).map((path) =>
      [path, readFileSync(join(folder, path), "utf8")] as const
    )
  )

describe("the declarations of the client", () => {
  it("are generated from the contract before the tests", () => {
    for (const [path, text] of types) {
      assert.strictEqual(read(`adapters/client/generated/${path}`), text)
    }
  })

  it("replace missing and stale files, remove others, and leave files that match", () => {
    const folder = mkdtempSync(join(tmpdir(), "rollup-node-generated-"))
    try {
      mkdirSync(join(folder, "revisions"))
      writeFileSync(join(folder, "revisions/later.ts"), "export interface Operations {}\n")
      writeFileSync(join(folder, "revisions/removed.ts"), "export interface Operations {}\n")
      writeClientTypes(folder)
      assert.deepStrictEqual([...filesOf(folder)].sort(), [...types].sort())

      const file = join(folder, "mod.ts")
      utimesSync(file, 1, 1)
      writeClientTypes(folder)
      assert.strictEqual(statSync(file).mtimeMs, 1000)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("contain every operation and no other", () => {
    assert.deepStrictEqual(
      Object.keys(declaredOperations).sort(),
      [
        ...new Set(
          revisionList.flatMap((revision) =>
            [...readOperationsOf(revision), ...writeOperationsOf(revision)].map(([id]) => id)
          )
        )
      ].sort()
    )
  })

  it("have each filter of each revision, in its query and nowhere else", () => {
    for (const { name } of revisionList) {
      assert.match(typesOf(name), /^export interface SlotsQuery /mu)
    }
    for (const revision of revisionList) {
      for (const { filter, parameter } of offeredFilters(revision, "slots")) {
        assert.match(typesOf(revision.name), new RegExp(`readonly ${parameter}\\?: `, "u"), filter)
      }
    }
    assert.notInclude(typesOf("later"), "maxSlothNum")
    assert.match(typesOf("earlier"), /^ {2}readonly maxSlothNum\?: number$/mu)
  })

  it("use the names of another network as the core does", () => {
    const names = [
      ...[
        ...Object.values(bodies).map(({ schema }) => schema),
        ...revisionList.flatMap(({ shapes }) => Object.values(shapes).map(({ schema }) => schema))
      ].flatMap(({ ast }) => propertiesOf(ast).map(({ name }) => name)),
      ...[...typesOf("later").matchAll(/readonly (\w+)/gu)].map((match) => match[1]!)
    ]
    assert.include(names, "requestToZkEthereumAddress")
    for (const prefix of ["zk", "hez", "z", "rollup2"]) {
      for (const name of names) {
        assert.strictEqual(
          localName(prefix, name),
          localNameOfCore({ prefix }, name),
          `${prefix} ${name}`
        )
      }
    }
  })
})
