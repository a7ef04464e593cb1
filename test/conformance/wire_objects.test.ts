/* Scalars and objects of the wire: how values are written, which are accepted, how they are documented. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  answerShape,
  bodies,
  bodyExamples,
  componentsOf,
  declaration,
  earlier,
  jsonSchemaOf,
  later,
  listNames,
  offeredFilters,
  operations,
  pageParameters,
  parameterName,
  propertiesOf,
  scalars,
  shape,
  wireContext,
  wireForm,
  wireSchema,
  writerOf
} from "../../core/contract/mod.ts"
import {
  bigInteger,
  integer,
  matching,
  oneOf,
  quantity,
  scalar
} from "../../core/contract/scalars/_scalar.ts"
import {
  boolean,
  count,
  ethSignature,
  feeSelector,
  nonce,
  signature,
  tokenAmounts
} from "../../core/contract/scalars/mod.ts"
import { values } from "../../core/domain/mod.ts"
import { EncodingError } from "../../core/encoding/mod.ts"
import {
  documented,
  named,
  nullable,
  object,
  ofNetwork,
  omit,
  rename,
  shapeOf,
  withFields
} from "../../core/contract/objects/mod.ts"

const network = { prefix: "hez", name: "", chainId: 7, rollupAddress: "" }
const context = wireContext(network, keccak256)
const uint64 = 18446744073709551615n

const writes = <T>(schema: Schema.Codec<T>, ...values: ReadonlyArray<T>) =>
  values.map(writerOf(shapeOf(schema), context))
/** Returns which of the values the schema of the JSON accepts. */
const accepts = (schema: Schema.Constraint, ...values: ReadonlyArray<unknown>) =>
  values.map((value) =>
    Option.isSome(Schema.decodeUnknownOption(wireSchema(schema, context))(value))
  )
const documentOf = (schema: Schema.Constraint) => jsonSchemaOf(schema, context)
/** Returns the schema of a property of an object with this one property. */
const documentedAs = (field: Schema.Top) =>
  (componentsOf([object("O", "D", { field })], context).O!.properties as { field: unknown }).field

describe("a scalar", () => {
  it("of texts is escaped unless it needs no escaping", () => {
    const plain = scalar<string>({
      domain: Schema.String,
      parse: () => (text) =>
        /^a+$/u.test(text)
          ? Result.succeed(text)
          : Result.fail(new EncodingError(text, "another text")),
      encoded: () => matching("^a+$", { format: "f" }),
      description: "D",
      example: "e"
    })
    const any = scalar<number>({
      domain: Schema.Number,
      parse: ({ network: { prefix } }) => (text) =>
        text.startsWith(prefix)
          ? Result.succeed(text.length)
          : Result.fail(new EncodingError(text, "another text")),
      format: ({ network: { prefix } }) => (value) => `${prefix}"${value}`,
      isEscaped: true,
      encoded: ({ network: { prefix } }) => matching(`^${prefix}`)
    })
    const bare = scalar<string>({
      domain: Schema.String,
      parse: () => Result.succeed,
      isEscaped: true
    })
    assert.deepStrictEqual([...writes(plain, 'a"b'), ...writes(any, 7)], ['"a"b"', '"hez\\"7"'])
    assert.deepStrictEqual([
      ...accepts(plain, "aa", "b", 1),
      ...accepts(any, "hez", "x"),
      ...accepts(bare, "", 1)
    ], [true, false, false, true, false, true, false])
    assert.deepStrictEqual(documentOf(plain), {
      type: "string",
      pattern: "^a+$",
      description: "D",
      format: "f",
      examples: ["e"]
    })
    assert.deepStrictEqual([documentOf(any), documentOf(bare)], [{
      type: "string",
      pattern: "^hez"
    }, { type: "string" }])
    assert.throws(() => wireForm(Schema.String), "no scalar")
  })

  it("integers have bounds and keep their digits", () => {
    const small = integer(values.integer(1, 256), { description: "D", example: 5 })
    const safe = integer(values.safeInteger)
    const big = bigInteger(values.bigInteger(2n, uint64))
    assert.deepStrictEqual([...writes(small, 7), ...writes(big, uint64)], [
      "7",
      "18446744073709551615"
    ])
    assert.deepStrictEqual(accepts(small, 1, 256, 0, 257, 1.5, "1", 1n), [
      true,
      true,
      false,
      false,
      false,
      false,
      false
    ])
    assert.deepStrictEqual(accepts(safe, Number.MAX_SAFE_INTEGER, 2 ** 53, 5n), [
      true,
      false,
      false
    ])
    assert.deepStrictEqual(accepts(big, 2, 1, 2n, 1n, uint64, uint64 + 1n, 2 ** 53), [
      true,
      false,
      true,
      false,
      true,
      false,
      false
    ])
    assert.deepStrictEqual(documentOf(small), {
      type: "integer",
      minimum: 1,
      maximum: 256,
      description: "D",
      examples: [5]
    })
    assert.deepStrictEqual(documentOf(safe), {
      type: "integer",
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER
    })
    assert.deepStrictEqual(documentOf(big), { type: "integer", minimum: 2, maximum: uint64 })
  })

  it("numbers, booleans and closed sets accept exactly their values", () => {
    const positive = quantity({ description: "D" })
    assert.deepStrictEqual([
      ...writes(positive, 1.5, 1e21),
      ...writes(boolean, true, false),
      ...writes(oneOf(["a", "b"]), "b")
    ], ["1.5", "1e+21", "true", "false", '"b"'])
    assert.deepStrictEqual([
      ...accepts(positive, 0, -1, Infinity),
      ...accepts(quantity(), -1, NaN),
      ...accepts(boolean, false, 0),
      ...accepts(oneOf(["a", "b"]), "a", "c")
    ], [true, false, false, false, false, true, false, true, false])
    assert.deepStrictEqual([
      documentOf(positive),
      documentOf(quantity()),
      documentOf(boolean)
    ], [{ type: "number", minimum: 0, description: "D" }, { type: "number", minimum: 0 }, {
      type: "boolean"
    }])
    assert.deepStrictEqual([
      documentOf(oneOf(["a", "b"])),
      documentOf(oneOf(["a"], { description: "D" }))
    ], [{
      type: "string",
      enum: ["a", "b"]
    }, { type: "string", enum: ["a"], description: "D" }])
  })

  it("of amounts by token is an object, and a constant of the deployment is the same for all values", () => {
    assert.deepStrictEqual([
      ...writes(tokenAmounts, [[1, 2n], [3, 4n]], []),
      ...writes(ofNetwork(count, ({ chainId }) => chainId), null)
    ], ['{"1":"2","3":"4"}', "{}", "7"])
    assert.deepStrictEqual(accepts(tokenAmounts, { 1: "2" }, {}, { 1: 2 }), [true, true, false])
    const { additionalProperties, ...document } = documentOf(tokenAmounts)
    assert.deepStrictEqual(document, { type: "object" })
    assert.strictEqual((additionalProperties as { type: string }).type, "string")
  })

  it("is composed to null and arrays", () => {
    const small = integer(values.integer(0, 9))
    const inner = object("Inner", "An inner one", { n: small })
    const pair = Schema.Array(small).check(Schema.isMinLength(2), Schema.isMaxLength(2))
    assert.deepStrictEqual([
      ...writes(nullable(small), null, 3),
      ...writes(nullable(oneOf(["a"])), null),
      ...writes(Schema.Array(small), [], [1], [1, 2, 3])
    ], ["null", "3", "null", "[]", "[1]", "[1,2,3]"])
    assert.deepStrictEqual([
      ...accepts(nullable(small), null, 3, undefined),
      ...accepts(Schema.Array(small), [], [1, 10]),
      ...accepts(pair, [1], [1, 2], [1, 2, 3])
    ], [true, true, false, true, false, false, true, false])
    assert.deepStrictEqual(documentOf(nullable(small)), {
      anyOf: [documentOf(small), { type: "null" }]
    })
    assert.deepStrictEqual(documentOf(nullable(oneOf(["a"]))), {
      anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }]
    })
    assert.deepStrictEqual(documentedAs(documented(nullable(inner), "N")), {
      anyOf: [{ $ref: "#/components/schemas/Inner" }, { type: "null" }],
      description: "N"
    })
    assert.deepStrictEqual(documentedAs(documented(inner, "N")), {
      anyOf: [{ $ref: "#/components/schemas/Inner" }],
      description: "N"
    })
    assert.deepStrictEqual(documentedAs(documented(pair, "Two")), {
      type: "array",
      items: documentOf(small),
      minItems: 2,
      maxItems: 2,
      description: "Two"
    })
  })
})

describe("a wire object", () => {
  interface View {
    readonly n: number
    readonly token: { readonly n: number }
  }
  const small = integer(values.integer(0, 9))
  const inner = object("Inner", "An inner one", { n: small })
  const outer = object("Outer", "An outer one", {
    owner: named("zkEthereumAddress", small, "Told"),
    other: inner,
    last: boolean
  })
  const outerView = ({ n, token }: View) => ({ owner: n, other: token, last: n > 5 })
  const view = { n: 7, token: { n: 2 } }

  it("is written with its fields in order, with the names of the network, and documented as closed", () => {
    assert.strictEqual(
      writerOf(shape(outer, outerView), context)(view),
      '{"hezEthereumAddress":7,"other":{"n":2},"last":true}'
    )
    assert.deepStrictEqual(componentsOf([outer], context), {
      Outer: {
        type: "object",
        description: "An outer one",
        required: ["hezEthereumAddress", "other", "last"],
        additionalProperties: false,
        properties: {
          hezEthereumAddress: { type: "integer", minimum: 0, maximum: 9, description: "Told" },
          other: { $ref: "#/components/schemas/Inner" },
          last: { type: "boolean" }
        }
      },
      Inner: {
        type: "object",
        description: "An inner one",
        required: ["n"],
        additionalProperties: false,
        properties: { n: { type: "integer", minimum: 0, maximum: 9 } }
      }
    })
    assert.deepStrictEqual(
      accepts(outer, { hezEthereumAddress: 7, other: { n: 2 }, last: true }, {
        hezEthereumAddress: 7,
        other: { n: 2 }
      }),
      [true, false]
    )
  })

  it("has a view that forgets no field and has the types of the fields", () => {
    shape(outer, outerView)
    // @ts-expect-error the view forgets a field
    shape(outer, ({ n, token }: View) => ({ owner: n, other: token }))
    // @ts-expect-error the view has a text for a number
    shape(outer, ({ token }: View) => ({ owner: "7", other: token, last: true }))
    // @ts-expect-error the view has null for a field that is never null
    shape(outer, ({ token }: View) => ({ owner: null, other: token, last: true }))
  })

  it("is changed in a revision by renamed, omitted, replaced or added fields", () => {
    const renamed = rename(omit(outer, ["last"]), { other: "another" })
    const revised = withFields(renamed, { ...renamed.fields, added: small })
    assert.strictEqual(
      writerOf(shapeOf(revised), context)({ owner: 7, other: { n: 2 }, added: 1 }),
      '{"hezEthereumAddress":7,"another":{"n":2},"added":1}'
    )
    const { Outer: document } = componentsOf([revised], context)
    assert.strictEqual(document!.description, "An outer one")
  })

  it("has a name of its own in a document", () => {
    const other = withFields(inner, { m: small })
    assert.throws(
      () => componentsOf([object("Both", "", { inner, other })], context),
      "Two objects of the document are called Inner"
    )
    assert.doesNotThrow(() => componentsOf([object("Both", "", { inner, again: inner })], context))
  })

  it("of a page has the counts of the revision", () => {
    const counts = { pendingItems: 1, totalItems: 2, firstItem: 3, lastItem: 4 }
    for (
      const [revision, text] of [[later, '{"tokens":[],"pendingItems":1}'], [
        earlier,
        '{"tokens":[],"pagination":{"totalItems":2,"firstItem":3,"lastItem":4}}'
      ]] as const
    ) {
      const page = answerShape(operations.getTokens, revision)
      assert.strictEqual(writerOf(page, context)({ items: [], counts } as never), text)
      assert.deepInclude(componentsOf([page.schema], context).Tokens, {
        description: "Page of tokens"
      })
    }
  })
})

describe("a revision", () => {
  it("has the filters of a list under its own names, in the order of the declaration", () => {
    const names = (revision: typeof later) =>
      listNames.map((list) =>
        offeredFilters(revision, list).map(({ parameter }) => parameter).join(" ")
      )
    assert.deepStrictEqual(names(later), [
      "zkEthereumAddress BJJ tokenIds",
      "accountIndex zkEthereumAddress BJJ tokenId batchNum onlyPendingWithdraws",
      "accountIndex zkEthereumAddress BJJ tokenId batchNum type",
      "minBatchNum maxBatchNum slotNum forgerAddr",
      "minSlotNum maxSlotNum wonByEthereumAddress finishedAuction",
      "slotNum bidderAddr",
      "ids symbols name",
      ""
    ])
    assert.deepStrictEqual(names(earlier).filter((each, place) => each !== names(later)[place]), [
      "accountIndex zkEthereumAddress BJJ tokenId batchNum",
      "minSlotNum maxSlothNum wonByEthereumAddress finishedAuction",
      "slotNum forgerAddr"
    ])
    assert.deepStrictEqual([
      parameterName(earlier, "exits", "onlyPendingWithdraws"),
      parameterName(earlier, "slots", "maxSlotNum"),
      parameterName(later, "tokens", "nothing")
    ], [undefined, "maxSlothNum", undefined])
    assert.deepStrictEqual(offeredFilters(later, "tokens")[2], {
      filter: "name",
      parameter: "name",
      scalar: "text",
      doc: "Only tokens whose name contains this text, with the same case"
    })
  })

  it("finds the declaration of a filter: how it compares, and whether its value has to be registered", () => {
    const compared = Object.fromEntries(
      listNames.map((
        list
      ) => [
        list,
        Object.entries(declaration(list).filters).map(([name, { match, references }]) =>
          [name, match, ...references === undefined ? [] : [references]].join(" ")
        )
      ])
    )
    const parts = [
      "accountIndex equal account",
      "address equal",
      "publicKey equal",
      "tokenId equal token",
      "batchNum equal batch"
    ]
    assert.deepStrictEqual(compared, {
      accounts: ["address equal", "publicKey equal", "tokenIds oneOf token"],
      exits: [...parts, "onlyPendingWithdraws flag"],
      transactions: [
        ...parts,
        "type equal",
        "fromAccountIndex equal account",
        "toAccountIndex equal account",
        "fromAddress equal",
        "toAddress equal",
        "fromPublicKey equal",
        "toPublicKey equal",
        "includePending adding"
      ],
      batches: [
        "minBatchNum greaterThan",
        "maxBatchNum lessThan",
        "slotNum equal",
        "forgerAddr equal"
      ],
      slots: [
        "minSlotNum atLeast",
        "maxSlotNum atMost",
        "wonByBidder equal",
        "wonByForger equal",
        "bestBidder equal",
        "finishedAuction flag"
      ],
      bids: ["slotNum equal", "bidderAddr equal", "forgerAddr equal"],
      tokens: ["ids oneOf token", "symbols oneOf", "name contains", "addresses oneOf"],
      coordinators: ["bidderAddr equal", "forgerAddr equal", "onlyLatest flag"]
    })
  })

  it("documents the parameters of path and query", () => {
    const address = "0xaa942cfcd25ad4d90a62358b0dd84f33b398262a"
    const uint32 = (description: string, example: number) => ({
      type: "integer",
      minimum: 0,
      maximum: 4294967295,
      description,
      examples: [example]
    })
    const text = (description: string, pattern: string, example: string) => ({
      type: "string",
      pattern,
      description,
      examples: [example]
    })
    assert.deepStrictEqual(
      Object.fromEntries(
        Object.entries(scalars).filter(([name]) => !/transactionType|poolState/iu.test(name)).map((
          [name, scalar]
        ) => [name, documentOf(scalar)])
      ),
      {
        tokenId: uint32("Identifier of a registered token; 0 is ether", 0),
        tokenIds: { type: "string", examples: ["0,3,87"] },
        tokenSymbols: { type: "string", examples: ["ETH,DAI"] },
        currencyCode: text("Code of a currency by ISO 4217", "^[A-Z]{3}$", "EUR"),
        currencyCodes: { type: "string", examples: ["EUR,CNY"] },
        baseCurrency: { type: "string", enum: ["USD"], description: "The currency of all prices" },
        text: { type: "string", minLength: 1 },
        batchNum: uint32("Number of a batch; the first one is 1", 5432),
        slotNum: uint32("Number of a slot", 784),
        nonce: {
          ...uint32("Number of transactions that the account has sent", 121),
          maximum: 18446744073709551615n,
          minimum: 0
        },
        accountIndex: text(
          "Account: prefix, token symbol and index; the index is at most 281474976710655",
          "^hez:[\\s\\S]*:(0|[1-9][0-9]{0,14})$",
          "hez:ETH:4444"
        ),
        ethereumAddress: text("Ethereum address", "^0x[a-fA-F0-9]{40}$", address),
        ethereumAddresses: { type: "string", examples: [address] },
        prefixedAddress: text(
          "Ethereum address of an account owner; answers have the checksum of EIP-55",
          "^hez:0x[a-fA-F0-9]{40}$",
          "hez:0xaa942CfCD25Ad4d90A62358B0dD84F33B398262A"
        ),
        publicKey: text(
          "Compressed BabyJubJub key: base64url of its 32 bytes and of their checksum",
          "^hez:[A-Za-z0-9_-]{44}$",
          "hez:rR7LXKal-av7I56Y0dEBCVmwc9zpoLY5ERhy5w7G-xwe"
        ),
        transactionId: text(
          "Identifier of a transaction",
          "^0x0[0-2][a-fA-F0-9]{64}$",
          "0x022669acda59b827d20ef5354a3eebd1dffb3972b0a6bf89d18bfd2efa0ab9f41e"
        ),
        groupId: text(
          "Identifier of an atomic group",
          "^0x[a-fA-F0-9]{64}$",
          `0x${"0b3d5f01".repeat(8)}`
        ),
        boolean: { type: "boolean" }
      }
    )
    assert.deepStrictEqual(documentOf(scalars.transactionType).type, "string")
    assert.deepStrictEqual(
      Object.values(pageParameters).map((parameter) => {
        const { description, ...schema } = documentOf(parameter)
        assert.isString(description)
        return schema
      }),
      [
        { type: "integer", minimum: 0, maximum: 4294967295, examples: [0] },
        { type: "string", enum: ["ASC", "DESC"], default: "ASC" },
        { type: "integer", minimum: 1, maximum: 2049, examples: [20], default: 20 }
      ]
    )
  })

  it("names operations by paths, each with the declared statuses", () => {
    const described = Object.values(operations).map((operation) =>
      [
        operation.kind,
        operation.path,
        operation.shape,
        operation.statuses.join(" "),
        operation.parameters.map(({ name, scalar }) => `${name} ${scalar}`).join(" ")
      ].join(" | ")
    )
    assert.includeMembers(described, [
      "list | /coordinators | coordinator | 400 500 | ",
      "list | /accounts | account | 400 404 500 | ",
      "item | /exits/{batchNum}/{accountIndex} | exit | 400 404 500 | batchNum batchNum accountIndex accountIndex",
      "state | /state | state | 400 500 | ",
      "config | /config | config | 500 | ",
      "authorization | /account-creation-authorization/{zkEthereumAddress} | authorization | 400 404 500 | zkEthereumAddress prefixedAddress",
      "poolTransaction | /transactions-pool/{id} | poolTransaction | 400 404 500 | id transactionId",
      "item | /slots/{slotNum} | slot | 400 404 500 | slotNum slotNum",
      "item | /tokens/{id} | token | 400 404 500 | id tokenId",
      "item | /coordinators/{bidderAddr} | coordinator | 400 404 500 | bidderAddr ethereumAddress"
    ])
  })
})

describe("the document of a body", () => {
  it("is closed, with required members, null if allowed, and examples with the names of the network", () => {
    const schema = componentsOf([bodies.transaction.schema], context)
      .PostPoolL2Transaction as unknown as {
        readonly properties: { readonly [name: string]: object }
        readonly required: ReadonlyArray<string>
        readonly additionalProperties: boolean
        readonly type: string
        readonly description: string
      }
    assert.deepStrictEqual([schema.type, schema.additionalProperties, schema.description], [
      "object",
      false,
      Schema.resolveAnnotations(bodies.transaction.schema)!.description
    ])
    assert.deepStrictEqual(schema.required, [
      "id",
      "type",
      "tokenId",
      "fromAccountIndex",
      "amount",
      "fee",
      "nonce",
      "signature"
    ])
    assert.deepStrictEqual(schema.properties.fee, {
      type: "integer",
      minimum: 0,
      maximum: 256,
      examples: [204],
      description:
        "Index into the table of fee factors; 256 is refused, since it does not fit into the byte that is signed"
    })
    assert.deepStrictEqual(schema.properties.requestFee, {
      anyOf: [documentOf(feeSelector), { type: "null" }],
      description: "Fee of it; 256 is refused"
    })
    assert.deepStrictEqual(schema.properties.nonce, {
      type: "integer",
      minimum: 0,
      maximum: uint64,
      examples: [121],
      description:
        "Number of transactions that the sender has sent; from 2^40 on it cannot be signed"
    })
    assert.deepStrictEqual(schema.properties.amount, {
      type: "string",
      pattern: "^(0|[1-9][0-9]{0,77})$",
      examples: ["1000000000000000000"],
      description: "Units of the token, as many as 40 bits of floating point hold exactly"
    })
    assert.deepStrictEqual(
      [signature, ethSignature].map((each) => documentOf(each).pattern),
      ["^[a-fA-F0-9]{128}$", "^0x[a-fA-F0-9]{130}$"]
    )
    assert.include(Object.keys(schema.properties), "toHezEthereumAddress")
    assert.sameMembers(
      Object.keys(bodies.transaction.examples.toAccount!),
      propertiesOf(bodies.transaction.schema.ast).map(({ name }) => name)
    )
    const [example] = Object.values(bodyExamples(bodies.authorization, context))
    assert.deepStrictEqual(Object.keys(example!), ["hezEthereumAddress", "bjj", "signature"])
    assert.match(String(example!.hezEthereumAddress), /^hez:0x/u)
  })

  it("refuses digits of another kind or length", () => {
    const rule = (result: Result.Result<unknown, { readonly rule: string }>) =>
      Result.isFailure(result) ? result.failure.rule : result.success
    assert.deepStrictEqual([
      rule(wireForm(signature).decode(context)("x")),
      rule(wireForm(ethSignature).decode(context)("x")),
      rule(wireForm(signature).decode(context)("A".repeat(128)))
    ], ["128 hexadecimal digits", "0x and 130 hexadecimal digits", "a".repeat(128)])
    assert.deepStrictEqual([
      rule(wireForm(feeSelector).decode(context)("256")),
      rule(wireForm(nonce).decode(context)(`${uint64}`))
    ], [256, uint64])
    assert.deepStrictEqual([
      Result.isFailure(wireForm(feeSelector).decode(context)("257")),
      Result.isFailure(wireForm(nonce).decode(context)(`${uint64 + 1n}`))
    ], [true, true])
  })
})
