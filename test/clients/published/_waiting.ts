import type { Later } from "./_expected.ts"
import type { CoordinatorApi, Value } from "./_library.ts"

const timeoutMs = 180_000

/** Waits until a transaction is forged; returns its batch. */
export const waitUntilForged = async (api: CoordinatorApi, id: string) => {
  let shown: Value = {}
  await waitUntil(async () => {
    shown = await api.getPoolTransaction!(id) as Value
    if (shown.state === "invl") throw new Error(`${id} is invalid: ${JSON.stringify(shown)}`)
    return shown.state === "fged"
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(shown)}`)
  })
  return shown.batchNum
}

export const networkOf = async (later: Later) =>
  (await later("/state")).network as { readonly lastEthereumBlock: number }

export const waitUntil = async (holds: () => Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + timeoutMs; !(await holds());) {
    if (Date.now() > end) throw new Error(`Not within ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
