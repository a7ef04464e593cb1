import { readFileSync } from "node:fs"

/** The account that the server runs as. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/**
 * Returns an account without rights for the server, because PostgreSQL refuses to run as root; null
 * if the tests do not run as root, since the server then runs as they do. The account must have a
 * name, because PostgreSQL looks its own name up.
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
      "PostgreSQL refuses to run as root and /etc/passwd has no other account; add an account or run the tests as one"
    )
  }
  return account
}
