export type { SimulationRunner } from "./calls.ts"
export type { UserSubmissions } from "./_live_traffic.ts"
export {
  defaultNetwork,
  type DemoWallet,
  networkOptions,
  type NetworkSettings,
  type SimulationOptions
} from "./world/mod.ts"
export {
  drive,
  driveOnce,
  type DriveOptions,
  type LiveNode,
  initialHistory,
  writeFeed
} from "./drive.ts"
export type { Arrival } from "./arrival.ts"
export { resume, type ResumedNode } from "./resume.ts"
export { type LiveNetwork, simulate, type Simulation } from "./simulation.ts"
