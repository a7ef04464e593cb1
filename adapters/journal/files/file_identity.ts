import { statSync } from "node:fs"

/**
 * The device and the inode of a file or folder. They stay the same if it, or a folder above it, is
 * renamed. No other file gets them while it is open, even if it was removed.
 */
export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

/** Returns the identity of the file that a path leads to. Throws if there is none. */
export const identityOf = (path: string): FileIdentity => statSync(path, { bigint: true })

/** Returns why a path does not lead to a file, as a clause; undefined if it does. */
export const differenceAt = (path: string, { dev, ino }: FileIdentity): string | undefined => {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (found === undefined) return `"${path}" is missing`
    return found.dev === dev && found.ino === ino
      ? undefined
      : `"${path}" is not what was opened`
  } catch (error) {
    return `"${path}" cannot be checked: ${(error as Error).message}`
  }
}
