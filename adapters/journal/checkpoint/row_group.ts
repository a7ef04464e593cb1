import { DefaultSerializer, Deserializer } from "node:v8"

/*
 * The bytes of a row group: its typed arrays, then the value in the format of V8, in which each
 * array is a reference to its bytes, then the position of the value. The arrays are aligned, so the
 * row group that is read uses the bytes of its part: the start copies none of them. It buys memory
 * and time of the rows "start" of "Data directory" in test/bench/RESULTS.md; `serialize` of `node:v8`
 * alone would copy the arrays.
 */

/** In the order of their numbers in the format. */
const arrayTypes = [Uint8Array, Uint16Array, Uint32Array, Int16Array, Float64Array, BigUint64Array]
type TypedArray = InstanceType<typeof arrayTypes[number]>

const alignment = 8
const positionBytes = 4

/** Writes references to arrays. V8 calls `_writeHostObject` for each of them. */
class RowGroupWriter extends DefaultSerializer {
  readonly arrays: Array<Uint8Array> = []
  arrayBytes = 0

  _writeHostObject(array: TypedArray): void {
    const type = arrayTypes.findIndex((each) => array instanceof each)
    if (type < 0) throw new TypeError(`A row group cannot hold a ${array.constructor.name}`)
    this.writeUint32(type)
    this.writeUint32(this.arrayBytes)
    this.writeUint32(array.length)
    const padding = -array.byteLength & alignment - 1
    this.arrays.push(
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
      new Uint8Array(padding)
    )
    this.arrayBytes += array.byteLength + padding
  }
}

/** Reads references to arrays in `bytes`. V8 calls `_readHostObject` for each of them. */
class RowGroupReader extends Deserializer {
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(bytes: Uint8Array<ArrayBuffer>, valueAt: number) {
    super(bytes.subarray(valueAt))
    this.#bytes = bytes
  }

  _readHostObject(): TypedArray {
    const type = arrayTypes[this.readUint32()]!
    const at = this.#bytes.byteOffset + this.readUint32()
    return new type(this.#bytes.buffer, at, this.readUint32())
  }
}

/** Returns the bytes of a row group. */
export const writeRowGroup = (rowGroup: unknown): Uint8Array => {
  const writer = new RowGroupWriter()
  writer.writeHeader()
  writer.writeValue(rowGroup)
  const position = Buffer.alloc(positionBytes)
  position.writeUInt32LE(writer.arrayBytes)
  return Buffer.concat([...writer.arrays, writer.releaseBuffer(), position])
}

/** Returns the row group with these bytes, whose arrays are views of them if they are aligned. */
export const readRowGroup = (bytes: Uint8Array<ArrayBuffer>): unknown => {
  const aligned = bytes.byteOffset % alignment === 0 ? bytes : new Uint8Array(bytes)
  const end = new DataView(aligned.buffer, aligned.byteOffset).getUint32(
    aligned.length - positionBytes,
    true
  )
  const reader = new RowGroupReader(aligned, end)
  reader.readHeader()
  return reader.readValue()
}
