import { Schema } from "effect"

/** A store could not answer: not the caller's fault. `retry` tells whether the same call may succeed later. */
export class StoreFailure extends Schema.TaggedError<StoreFailure>()("StoreFailure", {
  message: Schema.String, retry: Schema.Boolean, cause: Schema.optionalKey(Schema.Defect())
}) {}

/** A filter names a token, account or batch that was never registered. */
export class NotRegistered extends Schema.TaggedError<NotRegistered>()("NotRegistered", {
  filter: Schema.String, kind: Schema.Literals(["token", "account", "batch"]), value: Schema.Int
}) {
  override get message(): string {
    return `${this.kind === "token" ? "Token" : this.kind === "account" ? "Account" : "Batch"} ${this.value} is not registered`
  }
}
