import { readFileSync } from "node:fs"

/** Whom the server runs as. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/**
 * PostgreSQL refuses to run as root: root lends it an account without rights. Null where we are not root, since then it runs
 * as we do. It must be an account with a name, because PostgreSQL looks its own name up.
 */
export const unprivilegedAccount = (): Account | null => {
  if (process.getuid?.() !== 0) return null
  const accounts = readFileSync("/etc/passwd", "utf8").split("\n").flatMap(
    (line): ReadonlyArray<Account> => {
      const [name, , uid, gid] = line.split(":")
      return name === undefined || gid === undefined || !(Number(uid) > 0)
        ? []
        : [{ name, uid: Number(uid), gid: Number(gid) }]
    }
  )
  const account = accounts.find(({ name }) => name === "nobody") ?? accounts.at(-1)
  if (account === undefined) {
    throw new Error(
      "PostgreSQL refuses to run as root and /etc/passwd knows nobody else; add an account or run the tests as one"
    )
  }
  return account
}
