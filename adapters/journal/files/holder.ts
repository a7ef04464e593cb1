import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"

/*
 * Records which process uses a directory, for the error message of a second one. This is no lock:
 * the file of a killed process stays, and is only read if the database is locked.
 */

const fileIn = (directory: string): string => join(directory, "holder.json")

/** Writes this process as the holder of a directory, unless the disk is full. */
export function writeHolder(directory: string): void {
  const holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  try {
    writeFileSync(fileIn(directory), `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  } catch {
    // the file serves an error message only
  }
}

/** Returns whether a process has ever opened a directory for writing. */
export const hasHolder = (directory: string): boolean => existsSync(fileIn(directory))

/** Returns a description of the holder of a directory. */
export function describeHolder(directory: string): string {
  try {
    const { host, pid, since } = JSON.parse(readFileSync(fileIn(directory), "utf8")) as {
      readonly pid: number
      readonly host: string
      readonly since: string
    }
    // a process that starts has not written the file yet
    if (host === hostname() && !isRunning(pid)) return "another process"
    return `process ${pid} on ${host} since ${since}`
  } catch {
    return "another process"
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
