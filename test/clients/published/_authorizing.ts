import { randomBytes } from "node:crypto"
import { assertShows, type Checks, refusalOf, rule } from "./_checks.ts"
import type { LibraryWallet, LoadedLibrary, Signer } from "./_library.ts"

export const walletSigner = (key: string): Signer => ({ type: "WALLET", privateKey: key })

/** Authorizes the creation of accounts for a new address. */
export const newAuthorization = async (
  { library, posts }: LoadedLibrary,
  ethereumUrl: string,
  checks: Checks
): Promise<LibraryWallet> => {
  const { CoordinatorAPI: api, HermezWallet } = library
  const signer = walletSigner(`0x${randomBytes(32).toString("hex")}`)
  const { hermezWallet: wallet } = await HermezWallet.createWalletFromEtherAccount(
    ethereumUrl,
    signer
  )
  const { hermezEthereumAddress, publicKeyBase64 } = wallet
  await checks.run(
    "getCreateAccountAuthorization",
    "is 404 before it is posted",
    async () =>
      assertShows(await refusalOf(api.getCreateAccountAuthorization!(hermezEthereumAddress)), {
        status: 404,
        code: 4
      })
  )
  await checks.run("postCreateAccountAuthorization", "is accepted, posted once", async () => {
    const signature = await wallet.signCreateAccountAuthorization(ethereumUrl, signer)
    const before = posts.length
    const answer = await api.postCreateAccountAuthorization!(
      hermezEthereumAddress,
      publicKeyBase64,
      signature
    )
    assertShows(answer, { status: 200, data: { success: "OK" } })
    assertShows(posts.length - before, 1)
    assertShows(await api.getCreateAccountAuthorization!(hermezEthereumAddress), {
      hezEthereumAddress: hermezEthereumAddress,
      bjj: publicKeyBase64,
      signature,
      timestamp: rule("a time", (value) => Number.isFinite(Date.parse(String(value))))
    })
  })
  return wallet
}
