import { readFileSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

const memory = "/dev/shm"
const roomMinBytes = 4 * 2 ** 30

/**
 * Returns a directory in memory for data that need not survive a restart of the machine: a disk
 * takes a millisecond for each of the hundreds of files of a database. Falls back to the directory
 * for temporary files if the system has no such directory, too little space in it, or runs no
 * programs from it.
 */
export const memoryDirectory = (): string => {
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
