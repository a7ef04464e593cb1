import { readFileSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

const memory = "/dev/shm"
const roomMinBytes = 4 * 2 ** 30

/**
 * Where a server keeps what need not outlive the machine: in memory, since a disk takes a millisecond for each of the hundreds of files
 * of a database. With the other temporary files where the system has no such place, little room in it, or runs no programs from it.
 */
export const memoryPlace = (): string => {
  try {
    const mount = readFileSync("/proc/mounts", "utf8").split("\n").map((line) => line.split(" "))
      .find(([, path]) => path === memory)
    const { bavail, bsize } = statfsSync(memory)
    return mount?.[2] === "tmpfs" && !mount[3]!.split(",").includes("noexec") &&
        bavail * bsize >= roomMinBytes
      ? memory
      : tmpdir()
  } catch {
    return tmpdir()
  }
}
