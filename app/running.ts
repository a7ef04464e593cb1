import { runMain } from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Fiber, Layer, Logger, References } from "effect"
import { constants } from "node:os"
import type { Command, Invocation } from "./config/mod.ts"
import { exitCodes, programFailure } from "./exit_codes.ts"
import { isWorker } from "./workers/mod.ts"

/**
 * Runs a command to its end and exits with its code. The first SIGINT or SIGTERM interrupts the
 * command, which then shuts down gracefully; a second signal, after a moment, exits at once.
 */
export const runCommand = (command: Command, { origins, resolved }: Invocation): void => {
  const logging = loggingOf(command, resolved)
  let signalCode: number | undefined
  let firstSignalMs = 0
  // `runMain` interrupts the command, but does not exit at a second signal or report the signal
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isWorker()) return
    const code = 128 + constants.signals[signal]
    if (signalCode !== undefined) {
      if (performance.now() - firstSignalMs > REPEAT_MS) process.exit(code)
      return
    }
    signalCode = code
    firstSignalMs = performance.now()
    if (command.isService) Effect.runFork(Effect.provide(logStopping(signal), logging))
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
  if (command.isService) {
    // if the reader of the log closes the pipe, the service continues
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  }
  const main = Effect.provide(command.run(resolved as never, { origins }), logging)
  runMain(isWorker() ? ignoreSignals(main) : main, {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal)
      onExit(
        Exit.isSuccess(exit) ? exitCodes.success.code : codeOf(exit.cause, command, signalCode)
      )
    }
  })
}

/**
 * Time after a signal in which another one is the same request: npm passes on the signal that the
 * terminal has already sent to all processes.
 */
const REPEAT_MS = 300

/**
 * Ignores signals in a worker: a terminal signals all processes, and the supervisor drains the
 * workers.
 */
const ignoreSignals = <A, E>(main: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.forkDetach(main, { startImmediately: true }), Fiber.join)
  )

const logStopping = (signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.logInfo(`Received ${signal}: stopping gracefully, a second signal exits at once`)

const codeOf = (
  cause: Cause.Cause<unknown>,
  { isService }: Command,
  signalCode: number | undefined
): number => {
  if (Cause.hasInterruptsOnly(cause) && signalCode !== undefined) {
    return isService ? exitCodes.success.code : signalCode
  }
  if (Cause.hasInterruptsOnly(cause)) return exitCodes.unexpected.code
  const failure = programFailure(cause)
  const message = failure?.message ?? `Unexpected error\n${Cause.pretty(cause)}`
  process.stderr.write(`${message}\n`)
  return exitCodes[failure?.exitReason ?? "unexpected"].code
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

interface LogSettings {
  readonly logFormat?: "auto" | "text" | "json"
  readonly logLevel?: keyof typeof levels
}

const loggingOf = ({ isService, writesData }: Command, resolved: Invocation["resolved"]) => {
  const { logFormat, logLevel = "info" } = resolved as LogSettings
  const isJson = logFormat === "json" ||
    (logFormat === "auto" && isService && !process.stdout.isTTY)
  const json = writesData ? Logger.withConsoleError(Logger.formatJson) : Logger.consoleJson
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
