import { closeSync, fsyncSync, openSync } from "node:fs"

/** Makes the names of the files and folders in a directory durable. */
export const syncDirectory = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
