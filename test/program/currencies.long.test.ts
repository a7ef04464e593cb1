import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { read } from "../packaging/_project.ts"
import { command, inDirectory, json, serve } from "./_program.ts"

/* The file with the prices of currencies, as an operator uses it. */

const [ofManual] = /^\{\n {2}"lastUpdate"[\s\S]+?^\}$/mu.exec(read("app/README.md"))!
const short = ["--memory", "--empty", "--admin-port", "off"]

interface Currencies {
  readonly currencies: ReadonlyArray<{ readonly currency: string; readonly price: number }>
}

describe("the file with the prices of currencies", () => {
  it(
    "is that of the manual, and is read again when it changes",
    () =>
      inDirectory(async (directory) => {
        mkdirSync(directory)
        const file = join(directory, "currencies.json")
        writeFileSync(file, ofManual)
        const { output, url } = await serve(...short, "--currencies", file)
        const pricesOf = async () =>
          (await json<Currencies>(`${url}/v1/currencies`)).currencies.map(({ currency, price }) =>
            `${currency} ${price}`
          )
        assert.deepStrictEqual(await pricesOf(), [
          "CNY 6.446304",
          "EUR 0.837775",
          "GBP 0.716945",
          "JPY 110.253954"
        ])
        assert.deepStrictEqual(await json(`${url}/v1/currencies/EUR`), {
          currency: "EUR",
          baseCurrency: "USD",
          price: 0.837775,
          lastUpdate: "2021-06-01T12:00:00.000Z"
        })
        writeFileSync(file, `{"unitsPerUSD":{"EUR":0.84}}`)
        while ((await pricesOf()).join() !== "EUR 0.84") await pause()
        writeFileSync(file, `{"unitsPerUSD":{"EUR":-1}}`)
        while (!output().includes("expected a number above 0")) await pause()
        assert.deepStrictEqual(await pricesOf(), ["EUR 0.84"])

        const refused = command("serve", ...short, "--port", "0", "--currencies", file)
        assert.strictEqual(refused.status, 5)
        assert.include(
          refused.output,
          `Currencies "${file}": /unitsPerUSD/EUR has the invalid value -1: expected a number above 0`
        )
      }),
    60_000
  )

  it("needs revision v1", () => {
    const words = ["--currencies", "currencies.json", "--v1-path", "off"]
    const { output, status } = command("config", "check", ...words)
    assert.strictEqual(status, 2)
    assert.include(
      output,
      "--currencies and --v1-path: Only revision v1 shows prices of currencies"
    )
  })
})

const pause = () => new Promise((resolve) => setTimeout(resolve, 50))
