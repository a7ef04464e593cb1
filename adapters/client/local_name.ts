/**
 * A name of the default network (`zkEthereumAddress`, `toZkEthereumAddress`) in the network of a
 * prefix.
 */
export type LocalName<Name, Prefix extends string> = Name extends `zk${infer Rest}` ?
  `${Prefix}${Rest}`
  : Name extends `${infer Before}Zk${infer Rest}` ? `${Before}${Capitalize<Prefix>}${Rest}`
  : Name

/** A declared type of the default network, with the names of the network of a prefix. */
export type Local<T, Prefix extends string> = [Prefix] extends ["zk"] ? T
  : T extends ReadonlyArray<infer Item> ? ReadonlyArray<Local<Item, Prefix>>
  : T extends object ?
    { readonly [Name in keyof T as LocalName<Name, Prefix>]: Local<T[Name], Prefix> }
  : T

/**
 * Returns the name in the network of a prefix. Repeated here because the core imports more than a
 * browser needs.
 */
export const localName = (prefix: string, name: string): string =>
  name.replace(/^zk(?=[A-Z])/u, prefix).replace(
    /Zk(?=[A-Z])/u,
    prefix.slice(0, 1).toUpperCase() + prefix.slice(1)
  )
