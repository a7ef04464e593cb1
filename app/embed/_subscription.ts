import type { NodeChange } from "../../core/mod.ts"
import { withToJson } from "./json.ts"

/** Maximum number of changes that wait for a listener. */
const waitingMax = 100_000

/**
 * Returns a function that passes changes to a listener one after another, each after the promise of
 * the one before. It returns at once and never throws.
 */
export const oneByOne = (
  listener: (change: NodeChange) => unknown,
  isOpen: () => boolean,
  onError: (error: unknown) => void
): (change: NodeChange) => void => {
  let waiting: Array<NodeChange> = []
  let isRunning = false
  const deliver = async (): Promise<void> => {
    isRunning = true
    // the listener runs after the write that caused the change
    await undefined
    while (waiting.length > 0) {
      const changes = waiting
      waiting = []
      for (const change of changes) {
        if (!isOpen()) return
        try {
          await listener(withToJson(change))
        } catch (error) {
          onError(error)
        }
      }
    }
    isRunning = false
  }
  return (change) => {
    waiting.push(change)
    if (waiting.length > waitingMax) waiting = [{ kind: "missed" }]
    if (!isRunning) void deliver()
  }
}
