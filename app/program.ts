/* The command line. */

import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { programVersion } from "../core/mod.ts"
import { exportFeed } from "./export_feed.ts"
import { ingest } from "./ingest.ts"
import { migrate } from "./migrate.ts"
import { serve } from "./serve.ts"
import { wallet } from "./wallet.ts"
import { feed } from "./write_feed.ts"

Command.make("rollup-node").pipe(
  Command.withDescription("The HTTP/JSON interface of a layer-two rollup node"),
  Command.withSubcommands([serve, feed, exportFeed, ingest, migrate, wallet]),
  Command.run({ version: programVersion }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
