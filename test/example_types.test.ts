import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeExamples } from "./_examples.ts"
import { root } from "./packaging/_project.ts"

/* Compiles the examples that `examples.test.ts` executes, with the settings of this project. */

const folder = join(root, "test/.examples_types")
const compiler = join(root, "node_modules/typescript/bin/tsc")

/** Returns what the compiler reports for the project in a folder; empty if it finds no error. */
const compile = (project: string): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, [compiler, "-p", project], { cwd: project }, (_, output) => {
      resolve(output)
    })
  })

describe("the types of the examples", () => {
  it("have no errors", async () => {
    const examples = writeExamples(folder)
    writeFileSync(
      join(folder, "tsconfig.json"),
      `{ "extends": "../../tsconfig.json", "include": ["*.ts"] }`
    )
    // express has no types of its own
    writeFileSync(join(folder, "untyped.d.ts"), `declare module "express"`)
    const named = (await compile(folder)).replaceAll(
      /^example_(\d+)\.ts/gmu,
      (_, i) => examples[Number(i)]!.title
    )
    assert.strictEqual(named, "")
    assert.isAbove(examples.length, 250)
  })
})
