import { spawn } from "node:child_process"

/** Cleans up behind us, however we end. */
export interface Watchdog {
  /** The process that must not outlive us; null: none. */
  readonly watch: (pid: number | null) => void
  /** Ends the watched process if there is one, and removes the directories. */
  readonly release: () => Promise<void>
}

/*
 * Reads process ids until we close the pipe or are gone. SIGQUIT makes a server end its children and then itself, within
 * seconds. A server that was killed leaves behind a segment of shared memory that its lock file names.
 */
const script = `
trap '' HUP INT TERM
pid=
while read -r line; do pid=$line; done
lock=$1/data/postmaster.pid
if [ "$pid" != "" ] && [ "$pid" != none ]; then
  kill -QUIT "$pid"
  tries=0
  while [ -e "$lock" ] && kill -0 "$pid" && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL "$pid"
fi
[ -e "$lock" ] && ipcrm -m "$(sed -n '7s/.* //p' "$lock")"
tries=0
until rm -rf "$@" || [ $tries -ge 50 ]; do sleep 0.2; tries=$((tries + 1)); done
`

/**
 * A shell that waits for the end of a pipe from us; the data of the server are in the first directory. The system closes that pipe also when we crash or are killed, which no
 * handler of ours would survive.
 */
export const startWatchdog = (...directories: ReadonlyArray<string>): Watchdog => {
  const shell = spawn("/bin/sh", ["-c", script, "watchdog", ...directories], {
    cwd: "/",
    env: { PATH: `${process.env.PATH ?? ""}:/usr/bin:/bin` },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  const ended = new Promise<void>((resolve, reject) => {
    shell.on("error", reject)
    shell.on("exit", () => resolve())
  })
  ended.catch(() => {}) // told to whoever releases
  shell.stdin.on("error", () => {})
  return {
    watch: (pid) => void shell.stdin.write(`${pid ?? "none"}\n`),
    release: () => {
      shell.stdin.end()
      return ended
    }
  }
}
