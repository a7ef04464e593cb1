import { readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"

/*
 * Who uses a directory, for the message to whoever comes second. It is no lock: what is left of a process that was killed means nothing,
 * and is only read where the lock of the database is taken.
 */

const noteFile = (directory: string): string => join(directory, "holder.json")

export function signIn(directory: string): void {
  writeFileSync(
    noteFile(directory),
    `${JSON.stringify({ pid: process.pid, host: hostname(), since: new Date().toISOString() })}\n`
  )
}

export function holderOf(directory: string): string {
  try {
    const { host, pid, since } = JSON.parse(readFileSync(noteFile(directory), "utf8")) as {
      readonly pid: number
      readonly host: string
      readonly since: string
    }
    return `process ${pid} on ${host} since ${since}`
  } catch {
    return "another process"
  }
}
