import { assert, describe, it } from "@effect/vitest"
import { makeNegotiator } from "../../../adapters/http/compression/mod.ts"

const codings = ["zstd", "br", "gzip"].map((name) => ({
  name,
  compress: (body: Uint8Array) => Promise.resolve(body)
}))
const negotiate = makeNegotiator(codings)
const namesOf = (header: string | undefined) =>
  negotiate(header).map((coding) => coding?.name ?? "identity").join(" ")

describe("Accept-Encoding", () => {
  const cases: ReadonlyArray<readonly [header: string | undefined, accepted: string]> = [
    [undefined, "identity"],
    ["", "identity"],
    ["gzip", "gzip identity"],
    ["gzip, br", "br gzip identity"],
    ["gzip, deflate, br, zstd", "zstd br gzip identity"],
    ["GZip", "gzip identity"],
    ["x-gzip", "gzip identity"],
    ["gzip;q=1.0, br;q=0.5", "gzip br identity"],
    ["br ; q=0.2 , gzip ;q=0.8", "gzip br identity"],
    ["gzip;q=0", "identity"],
    ["gzip;q=0, *", "zstd br identity"],
    ["*", "zstd br gzip identity"],
    ["*;q=0.1, br", "br zstd gzip identity"],
    ["identity", "identity"],
    ["identity;q=1, gzip;q=0.5", "identity gzip"],
    ["identity;q=0.5, gzip;q=1", "gzip identity"],
    ["identity;q=0, gzip", "gzip"],
    ["*;q=0, gzip", "gzip"],
    ["*;q=0, identity;q=0.1", "identity"],
    // nothing is accepted: the header is disregarded
    ["identity;q=0", "identity"],
    ["*;q=0", "identity"],
    ["compress, deflate", "identity"],
    ["lzma, gzip", "gzip identity"],
    ["gzip;q=2, br;q=high, zstd;q=-1", "identity"],
    ["gzip;q=0.1234", "identity"],
    [",, ;q=1, gzip ,", "gzip identity"]
  ]
  for (const [header, accepted] of cases) {
    it(`${JSON.stringify(header)} accepts ${accepted}`, () => {
      assert.strictEqual(namesOf(header), accepted)
      // remembered
      assert.strictEqual(namesOf(header), accepted)
    })
  }

  it("any number of different headers is negotiated", () => {
    for (let i = 0; i < 2000; i++) {
      assert.strictEqual(namesOf(`gzip;q=0.${i % 1000}, br;q=0, x${i}`).includes("br"), false)
    }
    assert.strictEqual(namesOf("gzip, br;q=0.9"), "gzip br identity")
  })
})
