import { cpus, totalmem } from "node:os"
import { benchApply, benchDepth } from "./_ledgers.ts"
import { benchHttp } from "./_http.ts"
import { benchJournal } from "./_journal.ts"
import { benchPosts } from "./_posts.ts"
import { benchVerify } from "./_verify.ts"

/*
 * npm run bench: figures as ratios in one run on one machine. What each number does not mean stands beside it.
 * `--quick` for a smaller ledger and fewer rounds: to see that it runs, not to quote.
 */
const quick = process.argv.includes("--quick")

console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`)

console.log("\nHTTP: ours ÷ bare node:http with JSON.stringify of the same objects (the peer decodes and looks up nothing)")
await benchHttp({ rounds: quick ? 3 : 9, durationMs: quick ? 500 : 2000 })

console.log("\nBlocks: transactions applied each second, checks included (blocks are generated outside of the clock; no HTTP)")
const large = await benchApply(quick ? 50_000 : 1_000_000)
const small = await benchApply(10_000)

console.log("\nDepth: a 20-item page of a heavy account, at the start, in the middle and at the end (in process, no HTTP)")
await benchDepth([small, large])

console.log("\nSignatures: transactions verified each second, message hash included (no HTTP, no store)")
await benchVerify({ count: quick ? 100 : 300, rounds: quick ? 2 : 5 })

console.log("\nPosts: verified and stored over HTTP ÷ bare verification over as many threads (client, server and threads share the cores)")
await benchPosts({ rounds: quick ? 2 : 7, count: quick ? 100 : 400 })

console.log("\nJournal: what durability costs, and how long a start takes (the disk decides; nothing is said about reads, which it leaves alone)")
await benchJournal(quick ? 50_000 : 1_000_000)
