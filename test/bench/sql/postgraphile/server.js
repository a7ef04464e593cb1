import { createServer } from "node:http"
import { postgraphile } from "postgraphile"
import { makePgService } from "postgraphile/adaptors/pg"
import { grafserv } from "postgraphile/grafserv/node"
import { PostGraphileAmberPreset } from "postgraphile/presets/amber"
import { listen } from "../../_servers.ts"

/*
 * A peer: PostGraphile over the schema of `_sql_window.ts`, with a function that returns the
 * transactions of an account. It has dependencies of its own, which `peers.ts` installs.
 */
const [, , connectionString] = process.argv
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    // as many connections as our server reads with
    makePgService({ connectionString, schemas: ["plain"], poolConfig: { max: 7 } })
  ],
  grafserv: { graphqlOverGET: true, graphiql: false }
})
const server = createServer()
await instance.createServ(grafserv).addTo(server)
listen(server)
