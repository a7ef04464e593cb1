import { readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"

/*
 * Records which process uses a directory, for the error message of a second one. This is no lock:
 * the file of a killed process stays, and is only read if the database is locked.
 */

const fileIn = (directory: string): string => join(directory, "holder.json")

/** Writes this process as the holder of a directory. */
export function writeHolder(directory: string): void {
  writeFileSync(
    fileIn(directory),
    `${JSON.stringify({ pid: process.pid, host: hostname(), since: new Date().toISOString() })}\n`,
    { mode: 0o600 }
  )
}

/** Returns a description of the holder of a directory. */
export function describeHolder(directory: string): string {
  try {
    const { host, pid, since } = JSON.parse(readFileSync(fileIn(directory), "utf8")) as {
      readonly pid: number
      readonly host: string
      readonly since: string
    }
    return `process ${pid} on ${host} since ${since}`
  } catch {
    return "another process"
  }
}
