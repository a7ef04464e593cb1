import { afterAll, assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commands } from "../../app/commands/commands.ts"
import {
  commandHelp,
  type Environment,
  type Option,
  type Options,
  formatConfigFile,
  readInvocation,
  type Setting,
  settings,
  formatProblems
} from "../../app/config/mod.ts"
import { revisionList, revisions } from "../../core/contract/mod.ts"

const named = (name: string) => commands.find((command) => command.name === name)!

/** Returns the configuration of `serve` for these flags, variables and file. */
const configure = (
  words: ReadonlyArray<string>,
  environment: Environment = {},
  file?: string,
  command = "serve"
) => {
  if (file !== undefined) writeFileSync(path, file)
  const invocation = readInvocation(
    named(command),
    file === undefined ? words : [...words, "--config", path],
    environment,
    commands
  )
  return {
    ...invocation,
    message: formatProblems(invocation.problems).replaceAll(path, "rollup.toml")
  }
}

const directory = mkdtempSync(join(tmpdir(), "config-"))
const path = join(directory, "rollup.toml")
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const all = Object.entries<Setting<unknown>>(settings.serverSettings)

/** Returns two valid values that differ from the default. */
const twoValues = (
  { default: usual, value: { fromText, placeholder, rule } }: Option<unknown>
): readonly [string, string] => {
  const [, words] = /^one of (.*)$/u.exec(rule) ?? []
  const [, minimum = "0"] = /(?:from|,) (\d+)/u.exec(rule) ?? []
  const candidates = placeholder === "" ?
    ["true", "false"]
    : words !== undefined ?
    words.split(", ")
    : typeof fromText("5") === "number" ?
    [String(Number(minimum)), String(Number(minimum) + 1), String(Number(minimum) + 0.5)].filter((
      text
    ) => placeholder === "number" || !text.includes("."))
    : placeholder === "url" ?
    ["postgresql://a:b@c/d", "postgresql://e:f@g/h", "http://a", "http://b"].filter((url) =>
      url.startsWith(/such as (\w+):/u.exec(rule)![1]!)
    )
    : rule.startsWith("0x and 40") ?
    [`0x${"a".repeat(40)}`, `0x${"B".repeat(40)}`]
    : placeholder === "token" ?
    ["0123456789abcdef", "fedcba9876543210"]
    : placeholder === "networks" ?
    ["10.0.0.0/8", "::1,192.0.2.7"]
    : placeholder === "path" && rule.includes("/earlier") ?
    ["/a", "/b"]
    : ["a1", "b2"]
  const others = candidates.filter((text) => text !== String(usual))
  return [others[0]!, others[1] ?? String(usual)]
}

const inToml = ({ value: { fromText } }: Option<unknown>, text: string): string =>
  JSON.stringify(fromText(text))
const shown = (value: unknown): string =>
  String(Redacted.isRedacted(value) ? Redacted.value(value) : value)

describe("the configuration of a command", () => {
  it("comes from flags over the environment over the file over defaults, for every setting", () => {
    for (const [name, option] of all) {
      const { default: usual, flag, key, value: { placeholder }, variable } = option
      const [first, second] = twoValues(option)
      const file = `[${key.split(".")[0]}]\n${key.split(".")[1]} = ${inToml(option, first)}`
      const flags = (text: string) =>
        placeholder === "" ? [`--${text === "true" ? "" : "no-"}${flag}`] : [`--${flag}`, text]
      for (
        const [configured, kind, expected] of [
          [configure([]), "default", usual],
          [configure([], {}, file), "file", first],
          [configure([], { [variable]: second }, file), "variable", second],
          [configure(flags(first), { [variable]: second }, file), "flag", first],
          [configure(flags(second), { [variable]: first }), "flag", second],
          [configure([], { [variable]: "" }), "default", usual]
        ] as const
      ) {
        // these need another setting
        if (!["replica", "workers", "database", "simulate"].includes(flag)) {
          assert.deepStrictEqual(configured.problems, [], configured.message)
        }
        assert.strictEqual(configured.origins[name]!.kind, kind, key)
        assert.strictEqual(shown(configured.resolved[name]), shown(expected), key)
      }
    }
  })

  it("is checked as a whole: each problem with its source, its value, the rule and what to do", () => {
    const { problems, message } = configure(
      "--prot 5 --pace -1 --memory --data x --nonce 3 stray --shutdown-timeout-ms".split(" "),
      { PORT: "99999", ROLLUP_NODE_PAEC: "3", ROLLUP_NODE_EMPTY: "yes" },
      '[server]\nport = "80"\nhots = "x"\n\n[limts]\nurl_bytes_max = 5\n[limits]\nurl_bytes_max = 5\n[pool]\nmin_fee_usd = 5 # too much\nmax_fee_usd = 2.5\n'
    )
    for (
      const line of [
        /^ {2}--prot: The flag is unknown: did you mean --port\?$/mu,
        /^ {2}--pace: "-1" is invalid: expected a number from 0 to 86400, such as 3$/mu,
        /^ {2}--nonce: The flag belongs to wallet, not to serve: leave it out$/mu,
        /^ {2}"stray": Unexpected argument, which belongs to no flag: leave it out/mu,
        /^ {2}--shutdown-timeout-ms: The value is missing: expected a whole number/mu,
        /^ {2}PORT: "99999" is invalid: expected a whole number from 0 to 65535, such as 8080$/mu,
        /^ {2}ROLLUP_NODE_PAEC: The variable is unknown: did you mean ROLLUP_NODE_PACE\?$/mu,
        /^ {2}ROLLUP_NODE_EMPTY: "yes" is invalid: expected true or false$/mu,
        /^ {2}rollup\.toml, line 2: server\.port: "80" is invalid: expected a whole number/mu,
        /^ {2}rollup\.toml, line 3: The key server\.hots is unknown: did you mean server\.host\?$/mu,
        /^ {2}rollup\.toml, line 6: The key limts\.url_bytes_max is unknown: did you mean limits\.url_bytes_max\?$/mu,
        /^ {2}rollup\.toml, line 8: limits\.url_bytes_max: 5 is invalid: expected a whole number from 256/mu,
        /^ {2}--memory and --data: Data can be stored in one location only, and several are set: --memory, which stores nothing, the directory "x" \(--data\); leave out all but one$/mu,
        /^ {2}rollup\.toml, line 10: pool\.min_fee_usd and rollup\.toml, line 11: pool\.max_fee_usd: The minimum fee, 5 US dollars, is above the maximum fee, 2\.5/mu
      ]
    ) assert.match(message, line)
    assert.strictEqual(problems.length, 14, message)
    assert.isTrue(message.startsWith("14 problems have to be corrected:\n"))
  })

  it("may not contradict itself, whatever the sources", () => {
    for (
      const [words, environment, expected] of [
        [
          ["--feed", "x", "--seed", "2", "--empty"],
          {},
          /Only the simulated network uses --seed and --empty, and --feed names the feed of another network/u
        ],
        [
          ["--genesis", "x", "--pace", "2"],
          {},
          /Only the simulated network uses --pace, and --genesis names the genesis of another network/u
        ],
        [
          ["--feed", "x", "--chain-id", "1"],
          { ROLLUP_NODE_PUBLIC_URL: "http://node.example" },
          /Only the simulated network uses --chain-id and ROLLUP_NODE_PUBLIC_URL, and --feed names/u
        ],
        [
          ["--feed", "x", "--simulate"],
          {},
          /^--feed and --simulate: Only the simulated network uses --simulate, and --feed names/u
        ],
        [
          ["--feed", "x", "--genesis", "y"],
          {},
          /^--feed and --genesis: A feed has a genesis record/u
        ],
        [
          [],
          { DATABASE_URL: "postgresql://a/b" },
          /^DATABASE_URL: A database is set, and no network to store in it: choose --simulate for a simulated network with test data, --feed FILE to follow a feed, or --genesis FILE/u
        ],
        [
          ["--empty", "--seed", "7", "--database", "postgresql://a/b"],
          {},
          /^--database: A database is set, and no network to store in it/u
        ],
        [["--no-simulate"], {}, /^--simulate: No network is chosen: expected --simulate/u],
        [
          ["--memory", "--simulate"],
          { DATABASE_URL: "postgresql://a/b" },
          /^--memory and DATABASE_URL: Data can be stored in one location only/u
        ],
        [["--replica", "postgresql://a/b"], {}, /^--replica: A replica is set and no database/u],
        [
          ["--workers", "2"],
          {},
          /^--workers: The value 2 requires PostgreSQL, since several processes share their data in a database: set one with --database or DATABASE_URL, or set 1$/u
        ],
        [
          ["--memory"],
          { WORKERS: "cores" },
          /^WORKERS: The value cores requires PostgreSQL, since/u
        ],
        [
          ["--workers", "2", "--feed", "-", "--database", "postgresql://a/b"],
          {},
          /^--feed and --workers: Only one process can read the standard input: name a file/u
        ],
        [
          [
            "--workers",
            "2",
            "--simulate",
            "--database",
            "postgresql://a/b",
            "--admin-port",
            "65534"
          ],
          {},
          /^--admin-port and --workers: Each worker has an admin listener at a port after 65534, the last one at 65536, expected at most 65535: choose a lower port$/u
        ],
        [
          revisionList.slice(1).flatMap(({ name }) => [`--${name}-path`, "off"]),
          { ROLLUP_NODE_LATER_PATH: "off" },
          /All revisions are off, so that nothing would be served/u
        ],
        [
          ["--earlier-path", "/"],
          {},
          /2 revisions have the path \/: set another path for all but one/u
        ],
        [
          ["--v1-path", "/earlier"],
          {},
          /^--v1-path: 2 revisions have the path \/earlier: set another path for all but one of --\S+-path and --\S+-path$/u
        ],
        [["--port", "1", "--port=2"], {}, /^--port: --port is given twice/u],
        [
          ["--currencies", "currencies.json", "--v1-path", "off"],
          {},
          /^--currencies and --v1-path: Only revision v1 shows prices of currencies/u
        ],
        // a client would build other paths
        ...["localhost:8080", "http://localhost/", "ftp://node", "http://node/?a", ""].map((url) =>
          [[`--public-url=${url}`], {}, /^--public-url: .*without a final slash/u] as const
        ),
        [["--public-url=http://[bad"], {}, /^--public-url: .*an http or https URL/u],
        [["--otlp-url=http://user:secret@node"], {}, /^--otlp-url: .*without user and password/u],
        [["--otlp-url=http://node:99999"], {}, /^--otlp-url: .*a URL such as/u]
      ] as const
    ) assert.match(configure(words, environment).message, expected)
  })

  it("is refused if a file does not exist, is not TOML, or has a value in place of a table", () => {
    assert.match(
      formatProblems(
        readInvocation(named("serve"), [], { CONFIG_FILE: "/none/such.toml" }, commands).problems
      ),
      /^CONFIG_FILE: The file "\/none\/such\.toml" cannot be read: it does not exist/u
    )
    for (
      const [file, expected] of [
        ["[server]\nport = \n", /^rollup\.toml, line 2: The file is not TOML: /u],
        [
          "[server]\nport = 1\nport = 2\n",
          /^rollup\.toml, line 3: The file is not TOML: Cannot redefine/u
        ],
        [
          "limits = 5",
          /^rollup\.toml, line 1: limits is a table: expected \[limits\] with json_depth_max, list_items_max, url_bytes_max, /u
        ],
        ["[nothing]", /^rollup\.toml, line 1: The key nothing is unknown/u]
      ] as const
    ) assert.match(configure([], {}, file).message, expected)
    assert.deepStrictEqual(configure([], {}, "[limits]\n").problems, [])
  })

  it("may use every syntax of TOML; refusals name the line", () => {
    for (
      const [file, line] of [
        ["server.port = -1", 1],
        ["\n[server]\n# port = 5\n  port = -1", 4],
        ['server = { host = "a", port = -1 }', 1],
        ['[log]\nlevel = "info"\r\n[server] # here\r\n"port" = -1', 4],
        ["[ server ]\nport = 70_000", 2]
      ] as const
    ) {
      assert.match(
        configure([], {}, file).message,
        new RegExp(`^rollup\\.toml, line ${line}: server\\.port: (-1|70000) is invalid`, "u")
      )
    }
    assert.strictEqual(configure([], {}, "[server]\nport = 0x1F_90").resolved.port, 8080)
    assert.strictEqual(configure(["--transactions", "1_000_000"]).resolved.transactions, 1_000_000)
  })

  it("accepts only the settings of its command, and in a file those of all commands", () => {
    const file = '[server]\nport = "wrong for serve"\n[network]\nseed = "7"\n'
    const { problems, resolved } = configure([], { PORT: "wrong for serve" }, file, "simulate")
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(resolved.seed, "7")
    assert.match(
      configure([], {}, "[servr]\nport = 1\n", "simulate").message,
      /did you mean server\.port\?/u
    )
  })

  it("ignores the variables that Kubernetes sets for services with the name of the program, and no others", () => {
    const links = {
      // of a service rollup-node-admin: one of them is also a setting
      ROLLUP_NODE_ADMIN_SERVICE_HOST: "10.0.0.7",
      ROLLUP_NODE_ADMIN_SERVICE_PORT: "9464",
      ROLLUP_NODE_ADMIN_PORT: "tcp://10.0.0.7:9464",
      ROLLUP_NODE_ADMIN_PORT_9464_TCP: "tcp://10.0.0.7:9464",
      ROLLUP_NODE_ADMIN_PORT_9464_TCP_PROTO: "tcp",
      // of a service rollup-node
      ROLLUP_NODE_SERVICE_HOST: "10.0.0.1",
      ROLLUP_NODE_SERVICE_PORT_HTTP: "80",
      ROLLUP_NODE_PORT: "tcp://10.0.0.1:80",
      ROLLUP_NODE_PORT_80_TCP_ADDR: "10.0.0.1"
    }
    assert.deepStrictEqual(configure([], links).problems, [])
    assert.match(
      configure([], { ROLLUP_NODE_ADMIN_PORT: "9464x" }).message,
      /^ROLLUP_NODE_ADMIN_PORT: "9464x" is invalid/u
    )
    assert.match(
      configure([], { ROLLUP_NODE_PORT: "9000" }).message,
      /^ROLLUP_NODE_PORT: The variable is unknown: did you mean PORT\?$/u
    )
  })

  it("may have a positional argument, which is checked too", () => {
    const database = ["--database", "postgresql://a/b"]
    const refused = [
      ["ingest", database, /^<feed>: The feed is missing: expected a file in NDJSON/u],
      [
        "ingest",
        ["x"],
        /^--database: No database is set: set one with --database or DATABASE_URL/u
      ],
      [
        "openapi",
        ["latr"],
        new RegExp(
          `^<revision>: "latr" is invalid: expected one of ${Object.keys(revisions).join(", ")}$`,
          "u"
        )
      ]
    ] as const
    for (const [command, words, expected] of refused) {
      assert.match(configure(words, {}, undefined, command).message, expected)
    }
    const accepted = [
      ["openapi", [], "later"],
      ["ingest", ["-", ...database], "-"],
      ["ingest", [...database, "--", "--odd-name"], "--odd-name"]
    ] as const
    for (const [command, words, expected] of accepted) {
      assert.strictEqual(configure(words, {}, undefined, command).resolved.argument, expected)
    }
  })
})

describe("the output", () => {
  const secret = "hunter2hunter2hunter2"

  it("of a configuration is a file with the same settings, without secrets", () => {
    const seed = ["--seed", 'a "quoted" \\ \x7f\n seed']
    const fee = ["--min-fee-usd", "0.25"]
    const words = ["--port", "9", "--memory", ...fee, ...seed, "--admin-token", secret]
    const { origins, resolved } = configure(words, { HOST: "::1" })
    const text = formatConfigFile<Options>(settings.serverSettings, resolved as never, origins)
    assert.match(text, /^port = 9 {2}# --port$/mu)
    assert.match(text, /^host = "::1" {2}# HOST$/mu)
    assert.match(text, /^# level = "info" {2}# default$/mu)
    assert.match(text, /^# token is set, and secret {2}# --admin-token$/mu)
    assert.match(text, /^# max_fee_usd is not set {2}# default$/mu)
    assert.notInclude(text, secret)
    const again = configure([], {}, text)
    assert.deepStrictEqual(again.problems, [])
    for (const [name, { isSecret }] of all) {
      if (!isSecret) assert.deepStrictEqual(again.resolved[name], resolved[name], name)
    }
  })

  it("of a refusal or the help never contains a secret", () => {
    const { message } = configure(["--database", `mysql://u:${secret}@h/d`], {
      DATABASE_REPLICA_URL: `mysql://u:${secret}@h/d`
    }, `[admin]\ntoken = "${secret} with space"`)
    assert.strictEqual(message.split("is invalid: expected").length, 4, message)
    assert.notInclude(message, secret)
    assert.notInclude(commandHelp(named("serve")), secret)
  })
})
