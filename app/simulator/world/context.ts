import type { GenesisFeed } from "../../../core/domain/mod.ts"
import type { EventSchedule } from "./event_schedule.ts"
import type { Settings } from "./options.ts"
import type { Wallets } from "./wallets.ts"
import type { Random } from "./random.ts"

/**
 * The state and services that all parts of the simulator share. Random numbers and the schedule
 * advance, and a rollback of the chain does not reset them.
 */
export interface Context {
  readonly settings: Settings
  readonly constants: GenesisFeed["constants"]
  readonly random: Random
  readonly schedule: EventSchedule
  readonly wallets: Wallets
}
