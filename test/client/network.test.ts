import { assert, describe, it } from "@effect/vitest"
import { getNetwork, valueOf } from "../../adapters/client/mod.ts"
import { defaultNetwork } from "../../app/simulator/mod.ts"
import { revisionList } from "../../core/contract/mod.ts"
import { openedNode, refusal, scripted } from "./_node.ts"

describe("the network of a server", () => {
  it("is known before its prefix is", async () => {
    const node = await openedNode("hez", 0)
    const options = { url: "http://node/earlier/", revision: "earlier", fetch: node.fetch } as const
    assert.deepStrictEqual(valueOf(await getNetwork(options)), {
      ...defaultNetwork,
      prefix: "hez",
      revisions: revisionList.map(({ name, path }) => ({ revision: name, path }))
    })
    await node.close()
  })

  it("is a failure as data if the server has no such path", async () => {
    const { fetch, requests } = scripted(refusal(404, "unknown-path"))
    const outcome = await getNetwork({ url: "http://node/api", fetch })
    assert.deepStrictEqual([outcome.ok, requests.map(({ url }) => url)], [
      false,
      ["http://node/api/network"]
    ])
  })
})
