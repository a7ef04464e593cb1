import { createRequire } from "node:module"

/* The parts of a served document that requests are made from and responses are checked against. */

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<string>
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly items?: JsonSchema
  readonly examples?: ReadonlyArray<unknown>
  readonly default?: unknown
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: ReadonlyArray<string>
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly schema: JsonSchema
  /** Whether the schema or `allowEmptyValue` allows the percent-decoded text. */
  readonly allows: (text: string) => boolean
}

export interface Operation {
  readonly id: string
  readonly method: "GET" | "POST"
  /** Within the mount, with parameters in braces. */
  readonly path: string
  readonly description: string
  readonly parameters: ReadonlyArray<Parameter>
  /** Whether the operation refuses unknown parameters. */
  readonly isStrict: boolean
  readonly body: {
    readonly properties: { readonly [name: string]: JsonSchema }
    readonly examples: ReadonlyArray<object>
  } | undefined
  /** Returns the declaration of a status; undefined if there is none. */
  readonly answer: (status: number) => Declared | undefined
}

export interface Declared {
  /** Describes why a body does not match its declaration; undefined if it does. */
  readonly fault: (body: unknown) => string | undefined
  readonly hasBody: boolean
  /** Describes why the headers do not match their declaration; undefined if they do. */
  readonly headerFault: (headers: ReadonlyMap<string, string>) => string | undefined
}

export interface Document {
  readonly revision: string
  readonly operations: ReadonlyArray<Operation>
  /** Returns the declaration of a refusal for requests without an operation. */
  readonly refusal: (status: number) => Declared | undefined
}

interface Validate {
  (value: unknown): boolean
  readonly errors?: unknown
}
interface Ajv {
  readonly addSchema: (schema: object, name: string) => void
  readonly compile: (schema: object) => Validate
}

// the checker of JSON schemas that the checker of OpenAPI documents uses
const { resolve } = createRequire(import.meta.url)
const load = createRequire(resolve("@seriousme/openapi-schema-validator"))
const { default: Checker } = load("ajv/dist/2020.js") as {
  readonly default: new(options: object) => Ajv
}
const { default: addFormats } = load("ajv-formats") as { readonly default: (ajv: Ajv) => void }

interface Raw {
  readonly info: { readonly version: string }
  readonly paths: { readonly [path: string]: { readonly [method: string]: RawOperation } }
  readonly components: {
    readonly responses: { readonly [name: string]: RawResponse }
    readonly parameters: { readonly [name: string]: RawParameter }
    readonly schemas: { readonly [name: string]: JsonSchema }
  }
}
interface RawParameter {
  readonly name: string
  readonly in: Parameter["in"]
  readonly allowEmptyValue?: true
  readonly schema: JsonSchema
}
interface RawResponse {
  readonly $ref?: string
  readonly description: string
  readonly headers?: {
    readonly [name: string]: { readonly $ref?: string; readonly schema?: JsonSchema }
  }
  readonly content?: { readonly "application/json": { readonly schema: JsonSchema } }
}
interface RawOperation {
  readonly operationId: string
  readonly description?: string
  readonly parameters: ReadonlyArray<RawParameter | { readonly $ref: string }>
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": {
        readonly schema: JsonSchema
        readonly examples: { readonly [name: string]: { readonly value: object } }
      }
    }
  }
  readonly responses: { readonly [status: string]: RawResponse }
}

/** Parses a document. */
export const readDocument = (text: string): Document => {
  const raw = JSON.parse(text) as Raw
  const ajv = new Checker({ strict: false, allErrors: false })
  addFormats(ajv)
  ajv.addSchema(raw, "document")
  const resolved = <T extends object>(value: T): T => {
    const { $ref } = value as { readonly $ref?: string }
    return $ref === undefined
      ? value
      : resolved(
        $ref.split("/").slice(1).reduce(
          (at, key) => (at as { readonly [key: string]: object })[key]!,
          raw as object
        ) as T
      )
  }
  const compiled = new Map<string, Validate>()
  /** Compiles a schema on its first use, because some are never used. */
  const validator = (schema: JsonSchema): () => Validate => {
    const key = JSON.stringify(schema)
    return () => {
      // references are relative to the whole document
      const validate = compiled.get(key) ??
        ajv.compile(schema.$ref === undefined ? schema : { $ref: `document${schema.$ref}` })
      compiled.set(key, validate)
      return validate
    }
  }
  const parameterOf = (parameter: RawParameter | { readonly $ref: string }): Parameter => {
    const { allowEmptyValue = false, name, in: where, schema } = resolved(parameter as RawParameter)
    const validate = validator(schema)
    return {
      name,
      in: where,
      schema,
      allows: (text) => text === "" && allowEmptyValue || validate()(valueOf(text, schema))
    }
  }
  const declared = (response: RawResponse): Declared => {
    const { content, headers = {} } = resolved(response)
    const schema = content?.["application/json"].schema
    const validate = schema === undefined ? undefined : validator(schema)
    const checks = Object.entries(headers).map(([name, header]) => {
      const { schema = {} } = resolved(header)
      return { name: name.toLowerCase(), schema, validate: validator(schema) }
    })
    return {
      hasBody: schema !== undefined,
      fault: (body) =>
        validate === undefined || validate()(body) ? undefined : JSON.stringify(validate().errors),
      headerFault: (headers) =>
        checks.find(({ name, schema, validate }) => {
          const value = headers.get(name)
          return value !== undefined && !validate()(valueOf(value, schema))
        })?.name
    }
  }
  /** The description of the default response lists its statuses. */
  const statusesOf = (response: RawResponse) =>
    new Set(
      [...resolved(response).description.matchAll(/\b[1-5]\d\d\b/gu)].map(([status]) =>
        Number(status)
      )
    )
  const answers = (responses: RawOperation["responses"]): Operation["answer"] => {
    const known = new Map(
      Object.entries(responses).flatMap(([status, response]) =>
        status === "default"
          ? [...statusesOf(response)].map((other) => [other, declared(response)] as const)
          : [[Number(status), declared(response)] as const]
      )
    )
    return (status) => known.get(status)
  }
  const operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      (
        [method, { description = "", operationId, parameters, requestBody, responses }]
      ): Operation => {
        const body = requestBody?.content["application/json"]
        return {
          id: operationId,
          method: method.toUpperCase() as "GET" | "POST",
          path,
          description,
          parameters: parameters.map(parameterOf),
          answer: answers(responses),
          isStrict: "400" in responses,
          body: body === undefined
            ? undefined
            : {
              properties: resolved(body.schema).properties!,
              examples: Object.values(body.examples).map(({ value }) => value)
            }
        }
      }
    )
  )
  const { BadInput, NotFound, Refused } = raw.components.responses
  return {
    revision: raw.info.version,
    operations,
    refusal: answers({ 400: BadInput!, 404: NotFound!, default: Refused! })
  }
}

/** Returns the value of a text in a URL or a header. */
const valueOf = (text: string, { items, type }: JsonSchema): unknown => {
  if (items !== undefined) return text.split(",").map((each) => valueOf(each, items))
  if (type === "integer") return /^(?:0|-?[1-9]\d*)$/u.test(text) ? Number(text) : text
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text
  return text
}
