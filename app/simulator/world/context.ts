import type { GenesisFeed } from "../../../core/domain/mod.ts"
import type { EventSchedule } from "./event_schedule.ts"
import type { Settings } from "./options.ts"
import type { Wallets } from "./wallets.ts"
import type { Random } from "./random.ts"
import type { Recording } from "./recording.ts"

/** What every part of the simulator works with; only chance and dates move on, and they do not roll back. */
export interface Context {
  readonly settings: Settings
  readonly constants: GenesisFeed["constants"]
  readonly random: Random
  readonly schedule: EventSchedule
  readonly wallets: Wallets
  readonly recording: Recording
}
