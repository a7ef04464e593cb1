import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Exit } from "effect"
import { packageFiles } from "../../app/packaging/package_files.ts"
import { openNode } from "../../app/embed/mod.ts"
import { readFeedLine } from "../../core/mod.ts"
import { manifest } from "./_project.ts"

const files = packageFiles()
const lines = files["examples/feed.ndjson"]!.trim().split("\n")

describe("the generated files of the package", () => {
  it("are exported under their paths", () => {
    for (const path of Object.keys(files)) {
      assert.strictEqual(manifest.exports[`./${path}`], `./dist/${path}`)
    }
  })

  it("the same sources generate the same files", () => {
    assert.deepStrictEqual(packageFiles(), files)
  })

  it("every line of the example feed has the schema", () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
    const validate = ajv.compile(JSON.parse(files["schemas/feed.json"]!) as object)
    for (const text of [...lines, files["examples/genesis.json"]!]) {
      assert.isTrue(validate(JSON.parse(text)), ajv.errorsText(validate.errors))
    }
  })

  it("the document of the admin listener is valid OpenAPI", async () => {
    const { errors } = await new Validator().validate(files["schemas/admin.json"]!)
    assert.isUndefined(errors)
  })

  it("a node with the example genesis accepts the ten blocks of the example feed", async () => {
    const [first, ...others] = [files["examples/genesis.json"]!, ...lines.slice(1)].map((line) => {
      const record = readFeedLine(line)
      if (Exit.isFailure(record)) throw new Error(String(record.cause))
      return record.value
    })
    assert.deepStrictEqual(JSON.parse(lines[0]!), JSON.parse(files["examples/genesis.json"]!))
    if (first?.kind !== "genesis") throw new Error("Expected a genesis record")
    const node = await openNode({ genesis: first.genesis })
    for (const record of others) await node.applyRecord(record)
    assert.strictEqual(others.filter(({ kind }) => kind === "block").length, 10)
    const { snapshotId } = await node.state()
    assert.strictEqual(snapshotId.ethereumBlockNum, first.genesis.block.number + 10n)
    for (const type of ["Deposit", "CreateAccountDeposit", "Transfer"] as const) {
      const { counts } = await node.list("transactions", { filters: { type } })
      assert.isAbove(counts.totalItems, 0, type)
    }
    await node.close()
  })
})
