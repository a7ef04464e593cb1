import type { AdminLimits } from "../../adapters/admin/mod.ts"
import type { VerifierWorkersOptions } from "../../adapters/crypto/node.ts"
import type { HttpLimits } from "../../adapters/http/mod.ts"
import type { ServerLimits } from "../../adapters/http/node/mod.ts"
import type { DatabaseOptions } from "../../adapters/sql/mod.ts"
import type { NodeOptions } from "../node/mod.ts"

/** The options of the adapters that settings set without a conversion, by group. */
export interface Targets {
  readonly admin: AdminLimits
  readonly database: Omit<DatabaseOptions, "url" | "waitMs" | "applicationName">
  readonly http: HttpLimits
  readonly node: Omit<
    NodeOptions,
    | "compression"
    | "exitTrees"
    | "genesis"
    | "limits"
    | "mounts"
    | "telemetry"
    | "verifier"
    | "verifyStateRoots"
  >
  readonly server: Omit<ServerLimits, "trustedProxies">
  readonly verifier: VerifierWorkersOptions
}

/** The names of the options in a group. */
export type TargetIn<G extends keyof Targets> = `${G}.${keyof Targets[G] & string}`

/** The name of an option of an adapter, such as `http.urlBytesMax`. */
export type Target = { [G in keyof Targets]: TargetIn<G> }[keyof Targets]

/** The type of the value of an option. */
export type OptionAt<T extends Target | undefined> = T extends
  `${infer G extends keyof Targets}.${infer Name}` ?
  NonNullable<Targets[G][Name & keyof Targets[G]]>
  : unknown
