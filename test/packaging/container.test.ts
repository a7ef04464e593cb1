import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { commands } from "../../app/commands/commands.ts"
import { adminPortDefault as adminPort } from "../../app/commands/admin.ts"
import { settings } from "../../app/config/mod.ts"
import { readContainerFile, type Stage, textsOf, wordsOf } from "./_container_file.ts"
import { manifest, read, root } from "./_project.ts"

/*
 * Checks the image and the deployment without a container engine. `npm run package` also executes
 * the container file.
 */

const place = "app/container"
const stages = readContainerFile(read(`${place}/Containerfile`))
const image = stages.at(-1)!
const variables = new Set<string>(
  Object.values(settings.serverSettings).map(({ variable }) => variable)
)
const port = settings.listening.port.default

const environmentOf = (stage: Stage) =>
  Object.fromEntries(
    textsOf(stage, "ENV").flatMap((text) => text.split(" ")).map((pair) =>
      pair.split("=") as [string, string]
    )
  )

describe("the container file", () => {
  it("copies existing files, which are part of the build context", () => {
    const sent = read(`${place}/Containerfile.dockerignore`).split("\n").filter((line) =>
      line.startsWith("!")
    ).map((line) => line.slice(1))
    const copied = stages.flatMap(({ instructions }) =>
      instructions.filter(({ options, word }) => word === "COPY" && options.from === undefined)
    )
      .flatMap(({ text }) => text.split(" ").slice(0, -1))
    assert.isAbove(copied.length, 5)
    for (const source of copied) {
      assert.isTrue(existsSync(join(root, source)), `${source} is not there`)
      assert.isTrue(
        sent.some((path) => source === path || source.startsWith(`${path}/`)),
        `${source} is not sent`
      )
    }
    for (const path of sent) assert.include(copied, path, `${path} is sent for nothing`)
  })

  it("copies from a stage the files that this stage makes", () => {
    for (const [i, { instructions }] of stages.entries()) {
      for (const { options, text, word } of instructions) {
        assert.notStrictEqual(word, "ADD")
        if (options.from === undefined) continue
        const source = stages.slice(0, i).find(({ name }) => name === options.from)
        assert.isDefined(source, options.from)
        for (const path of text.split(" ").slice(0, -1)) {
          assert.isTrue(path.startsWith(`${textsOf(source!, "WORKDIR")[0]}/`), path)
        }
      }
    }
  })

  it("uses a supported Node, from images with a version", () => {
    const least = Number(/(\d+)/u.exec(manifest.engines.node)![1])
    for (const { image } of stages) assert.match(image, /^[\w/-]+:\d[\w.-]*$/u)
    for (const { image } of stages.slice(0, -1)) {
      assert.isAtLeast(Number(/^node:(\d+)-alpine/u.exec(image)![1]), least)
    }
    // the libraries come from the same release of the system
    assert.strictEqual(image.image.split(":")[1], /alpine([\d.]+)$/u.exec(stages[0]!.image)![1])
  })

  it("runs without privileges, and contains nothing that could install more", () => {
    assert.match(textsOf(image, "USER").at(-1)!, /^[1-9]\d{3,}:[1-9]\d{3,}$/u)
    const [user] = textsOf(image, "USER").at(-1)!.split(":")
    assert.include(read("app/README.md"), `The program runs as user ${user} `)
    assert.isEmpty(textsOf(image, "RUN"))
    const after = image.instructions.findIndex(({ word }) => word === "USER")
    assert.isEmpty(image.instructions.slice(after).filter(({ word }) => word === "COPY"))
    const [data] = textsOf(image, "VOLUME")
    assert.strictEqual(textsOf(image, "WORKDIR").at(-1), data)
    const owner = image.instructions.find(({ text, word }) =>
      word === "COPY" && text.endsWith(` ${data}`)
    )
    assert.strictEqual(owner?.options.chown, textsOf(image, "USER").at(-1))
  })

  it("starts the program of the package, which receives the signals itself", () => {
    const [program, file] = wordsOf(textsOf(image, "ENTRYPOINT")[0]!)
    assert.deepStrictEqual([program, file], [
      "node",
      `/app/${manifest.bin["rollup-node"]!.replace("./", "")}`
    ])
    const [command, ...flags] = wordsOf(textsOf(image, "CMD")[0]!)
    const known = commands.find(({ name }) => name === command)
    assert.isDefined(known)
    for (const flag of flags.filter((word) => word.startsWith("--"))) {
      assert.include(Object.values(known!.options).map((option) => `--${option.flag}`), flag)
    }
    for (const name of Object.keys(environmentOf(image))) {
      assert.isTrue(
        name === "NODE_ENV" || variables.has(name),
        `${name} is no variable of the program`
      )
    }
  })

  it("exposes the interface alone; the admin listener is for the container unless its options say otherwise", () => {
    assert.deepStrictEqual(textsOf(image, "EXPOSE"), [String(port)])
    const environment = environmentOf(image)
    assert.strictEqual(environment[settings.listening.host.variable], "0.0.0.0")
    assert.notProperty(environment, settings.monitoring.adminHost.variable)
    assert.strictEqual(settings.monitoring.adminHost.default, "127.0.0.1")
  })

  it("checks liveness at the admin listener, with the tools of the image", () => {
    const [, command] = /CMD (\[.*\])$/u.exec(textsOf(image, "HEALTHCHECK")[0]!)!
    const words = wordsOf(command!)
    assert.strictEqual(words[0], "wget")
    assert.strictEqual(words.at(-1), `http://127.0.0.1:${adminPort}/livez`)
    assert.include(read("adapters/admin/_resources.ts"), '"GET /livez"')
  })
})

interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly command?: ReadonlyArray<string>
  readonly environment?: { readonly [name: string]: string }
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly depends_on?: ReadonlyArray<string> | {
    readonly [service: string]: { readonly condition: string }
  }
  readonly healthcheck?: { readonly test: ReadonlyArray<string> }
  readonly read_only?: boolean
  readonly tmpfs?: ReadonlyArray<string>
  readonly cap_drop?: ReadonlyArray<string>
  readonly stop_grace_period?: string
}

interface Prometheus {
  readonly rule_files: ReadonlyArray<string>
  readonly scrape_configs: ReadonlyArray<
    { readonly static_configs: ReadonlyArray<{ readonly targets: ReadonlyArray<string> }> }
  >
}

describe("the deployment", () => {
  const compose = parse(read(`${place}/compose.yaml`)) as {
    readonly services: { readonly [name: string]: Service }
    readonly volumes: object
  }
  const { services } = compose
  const node = services.node!

  it("has a node, a database, Prometheus and Grafana, each with a version and minimal rights", () => {
    assert.deepStrictEqual(Object.keys(services), ["node", "postgres", "prometheus", "grafana"])
    for (const [name, { build, cap_drop: dropped, image }] of Object.entries(services)) {
      if (build === undefined) assert.match(image, /^[\w/-]+:v?\d[\w.-]*$/u, name)
      // an entry point that initialises a database as root and then drops to another user needs
      // these rights
      if (name !== "postgres") assert.deepStrictEqual(dropped, ["ALL"], name)
    }
    assert.isTrue(node.read_only)
    assert.deepStrictEqual(node.tmpfs, ["/tmp"])
  })

  it("builds the image from this repository", () => {
    assert.strictEqual(join(root, place, node.build!.context), `${root}`)
    assert.isTrue(existsSync(join(root, node.build!.dockerfile)))
  })

  it("mounts existing files, and stores data in volumes", () => {
    for (const [name, { volumes = [] }] of Object.entries(services)) {
      for (const volume of volumes) {
        const [source, target, mode] = volume.split(":")
        assert.isTrue(target!.startsWith("/"))
        if (source!.startsWith(".")) {
          assert.isTrue(existsSync(join(root, place, source!)), `${name} mounts ${source}`)
          assert.strictEqual(mode, "ro")
        } else assert.property(compose.volumes, source!)
      }
    }
  })

  it("publishes the interface to all and monitoring to the machine alone", () => {
    assert.deepStrictEqual(node.ports, [`8080:${port}`])
    for (const name of ["prometheus", "grafana"]) {
      for (const published of services[name]!.ports!) assert.match(published, /^127\.0\.0\.1:/u)
    }
    assert.isUndefined(services.postgres!.ports)
  })

  it("passes valid settings to the node, and no known password", () => {
    const settled = Object.entries(node.environment!)
    for (const [name] of settled) assert.isTrue(variables.has(name), name)
    const [, url] = settled.find(([name]) => name === settings.database.database.variable)!
    const filled = url.replaceAll(/\$\{(\w+):\?[^}]+\}/gu, "secret")
    assert.match(filled, /^postgresql:\/\/rollup:secret@postgres:5432\/rollup$/u)
    const { POSTGRES_DB, POSTGRES_PASSWORD, POSTGRES_USER } = services.postgres!.environment!
    assert.deepStrictEqual([POSTGRES_USER, POSTGRES_DB], ["rollup", "rollup"])
    for (
      const secret of [
        POSTGRES_PASSWORD!,
        services.grafana!.environment!.GF_SECURITY_ADMIN_PASSWORD!
      ]
    ) assert.match(secret, /^\$\{\w+:\?[^}]+\}$/u)
  })

  it("waits for services that have a health check", () => {
    for (const { depends_on: needs = [] } of Object.values(services)) {
      for (
        const name of Array.isArray(needs)
          ? needs as ReadonlyArray<string>
          : Object.keys(needs)
      ) assert.isDefined(services[name]?.healthcheck, name)
    }
    assert.strictEqual(services.postgres!.healthcheck!.test[1], "pg_isready")
  })

  it("gives the node enough time to stop", () => {
    const seconds = Number(/^(\d+)s$/u.exec(node.stop_grace_period!)![1])
    assert.isAbove(seconds * 1000, settings.listening.shutdownTimeoutMs.default)
  })

  it("lets Prometheus reach the admin listener, which is not published", () => {
    assert.strictEqual(node.environment![settings.monitoring.adminHost.variable], "0.0.0.0")
    assert.isTrue(node.ports!.every((published) => !published.includes(String(adminPort))))
  })

  it("scrapes the admin listener, with the existing rules and dashboards", () => {
    const mounted = (service: string) =>
      services[service]!.volumes!.find((volume) => volume.startsWith("../monitoring:"))!.split(
        ":"
      )[1]!
    const config = services.prometheus!.command![0]!.replace("--config.file=", "")
    assert.isTrue(config.startsWith(`${mounted("prometheus")}/`))
    const here = join(root, "app/monitoring")
    const prometheus = parse(
      read(join("app/monitoring", config.slice(mounted("prometheus").length)))
    ) as Prometheus
    assert.deepStrictEqual(
      prometheus.scrape_configs.flatMap(({ static_configs: all }) =>
        all.flatMap(({ targets }) => targets)
      ),
      [`node:${adminPort}`]
    )
    for (const rules of prometheus.rule_files) {
      assert.property(parse(read(join("app/monitoring", rules))), "groups", rules)
    }
    const [boards] = (parse(read(`${place}/grafana/boards.yaml`)) as {
      providers: ReadonlyArray<{ options: { path: string } }>
    }).providers
    assert.strictEqual(boards!.options.path, mounted("grafana"))
    const found = globSync("*.json", { cwd: here })
    assert.isNotEmpty(found)
    for (const file of found) {
      assert.property(JSON.parse(read(join("app/monitoring", file))), "panels", file)
    }
    const [source] = (parse(read(`${place}/grafana/datasource.yaml`)) as {
      datasources: ReadonlyArray<{ uid: string; url: string }>
    }).datasources
    assert.strictEqual(source!.url, "http://prometheus:9090")
  })
})
