import { Cause, Effect, Exit, Formatter, Layer, Logger, References, Runtime } from "effect"
import { constants } from "node:os"
import { setTimeout as delay } from "node:timers/promises"
import type { Command, Invocation } from "../config/mod.ts"
import { exitCodes, programFailure } from "./exit_codes.ts"
import { isWorker } from "../workers/mod.ts"

/**
 * Runs a command to its end and exits with its code. The first SIGINT or SIGTERM interrupts the
 * command, which then shuts down gracefully; a second signal, after a moment, exits at once. A
 * worker ignores signals: a terminal signals all processes, and the supervisor drains the workers.
 * `takeEarlySignal` stops remembering signals, and returns the first one that has arrived.
 */
export const runCommand = (
  command: Command,
  { origins, resolved }: Invocation,
  takeEarlySignal: () => NodeJS.Signals | undefined
): void => {
  const logging = loggingOf(command, resolved)
  if (command.isService) {
    // if the reader of the log closes the pipe, the service continues
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  }
  const runMain = Runtime.makeRunMain(({ fiber }) => {
    let firstSignal: NodeJS.Signals | undefined
    let firstSignalMs = 0
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isWorker()) return
      if (firstSignal !== undefined) {
        if (performance.now() - firstSignalMs > REPEAT_MS) exitAfter(signal, codeOfSignal(signal))
        return
      }
      firstSignal = signal
      firstSignalMs = performance.now()
      if (command.isService) Effect.runFork(Effect.provide(logStopping(signal), logging))
      fiber.interruptUnsafe()
      const { shutdownTimeoutMs = 0 } = resolved as { readonly shutdownTimeoutMs?: number }
      const closingMs = command.isService ? shutdownTimeoutMs + CLOSING_MS : COMMAND_CLOSING_MS
      setTimeout(() => {
        process.stderr.write("Closing the stores takes too long: exiting without it\n")
        exitAfter(signal, codeOfSignal(signal))
      }, closingMs).unref()
    }
    const ignoreSignals = () => process.off("SIGINT", onSignal).off("SIGTERM", onSignal)
    /**
     * Exits with a code after a signal. `process.exit` waits for the tasks of the thread pool, so
     * if there is one, the signal itself ends the process.
     */
    const exitAfter = (signal: NodeJS.Signals, code: number): never => {
      if (hasPoolTask()) {
        // after all other listeners, which write the rest of the log
        process.on("exit", () => {
          ignoreSignals()
          process.kill(process.pid, signal)
        })
      }
      process.exit(code)
    }
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
    const earlySignal = takeEarlySignal()
    if (earlySignal !== undefined) onSignal(earlySignal)
    fiber.addObserver(async (exit) => {
      const code = Exit.isSuccess(exit)
        ? exitCodes.success.code
        : codeOf(exit.cause, command, firstSignal)
      if (firstSignal === undefined) {
        ignoreSignals()
        if (code !== exitCodes.success.code) process.exit(code)
        return
      }
      // only a service exits with a code that differs from that of the signal
      const endMs = performance.now() + (command.isService ? POOL_TASK_MS : 0)
      while (hasPoolTask() && performance.now() < endMs) await delay(20)
      exitAfter(firstSignal, code)
    })
  })
  runMain(Effect.provide(command.run(resolved as never, origins), logging), {
    disableErrorReporting: true
  })
}

/**
 * Time to close the stores after the connections of clients, and for a command to end. A database
 * that does not answer can block this for ever.
 */
const CLOSING_MS = 5000
const COMMAND_CLOSING_MS = 1500

/**
 * Time after a signal in which another one is the same request: npm passes on the signal that the
 * terminal has already sent to all processes.
 */
const REPEAT_MS = 300

const logStopping = (signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.logInfo(`Received ${signal}: stopping gracefully, a second signal exits at once`)

const codeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/** Time for tasks of the thread pool to finish before the signal ends the process. */
const POOL_TASK_MS = 1500

/**
 * Returns whether the thread pool of Node is looking up an address or using a file. Such a task can
 * take long if no name server answers, or if the file is a pipe that no process writes or reads.
 */
const hasPoolTask = (): boolean =>
  process.getActiveResourcesInfo().some((name) =>
    name === "GetAddrInfoReqWrap" || name.startsWith("FSReq")
  )

const codeOf = (
  cause: Cause.Cause<unknown>,
  { isService }: Command,
  signal: NodeJS.Signals | undefined
): number => {
  if (Cause.hasInterruptsOnly(cause) && signal !== undefined) {
    return isService ? exitCodes.success.code : codeOfSignal(signal)
  }
  if (Cause.hasInterruptsOnly(cause)) return exitCodes.unexpected.code
  const failure = programFailure(cause)
  const message = failure?.message ?? `Unexpected error\n${Cause.pretty(cause)}`
  process.stderr.write(`${message}\n`)
  return exitCodes[failure?.exitReason ?? "unexpected"].code
}

/**
 * Writes each entry in the shape of the lines about requests: its annotations are members, and
 * `message` is always a text; other values that were logged with it are in `details`.
 */
const jsonLines = Logger.map(
  Logger.formatStructured,
  ({ annotations, cause, level, message: logged, timestamp }) => {
    const [message, ...details] = Array.isArray(logged) ? logged as Array<unknown> : [logged]
    return Formatter.formatJson({
      timestamp,
      level,
      message,
      ...details.length === 0 ? {} : { details },
      ...annotations,
      ...cause === undefined ? {} : { cause }
    })
  }
)

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

interface LogSettings {
  readonly logFormat?: "auto" | "text" | "json"
  readonly logLevel?: keyof typeof levels
}

const loggingOf = ({ isService, writesData }: Command, resolved: Invocation["resolved"]) => {
  const { logFormat, logLevel = "info" } = resolved as LogSettings
  const isJson = logFormat === "json" ||
    (logFormat === "auto" && isService && !process.stdout.isTTY)
  const json = writesData ? Logger.withConsoleError(jsonLines) : Logger.withConsoleLog(jsonLines)
  return Layer.mergeAll(
    Layer.succeed(References.MinimumLogLevel, levels[logLevel]),
    Layer.succeed(Logger.LogToStderr, writesData),
    isJson
      ? Logger.layer([json])
      : (writesData ? process.stderr : process.stdout).hasColors?.() === true
      ? Logger.layer([Logger.consolePrettyTty({ colors: true })])
      : Layer.empty
  )
}
