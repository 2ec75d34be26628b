// TL, the language of MTProto: objects to bytes and back, by definitions that are read from their own text. A
// definition bears an id, which is the CRC-32 of its text: a line with a misprint is refused when it is read, not met
// on the wire. Clients speak different layers, in which one name may have other fields: a layer's text holds what it
// changed.

import { crc32 } from 'node:zlib';
import { TlReader, TlWriter } from './bytes.ts';

export type TlValue =
  | number
  | bigint
  | string
  | boolean
  | Buffer
  | TlObject
  | readonly TlValue[]
  | null
  | undefined;

export interface TlObject {
  // The definition's name; fields are named as in its text.
  readonly _: string;
  readonly [field: string]: TlValue;
}

type TlType =
  | { readonly kind: 'plain'; readonly name: PlainName }
  | { readonly kind: 'flags' }
  // A flag that is all of its field.
  | { readonly kind: 'true' }
  // `Vector` bears its id, `vector` does not.
  | { readonly kind: 'vector'; readonly isBoxed: boolean; readonly of: TlType }
  // By the id that comes first.
  | { readonly kind: 'object' };

type PlainName = 'int' | 'long' | 'double' | 'string' | 'bytes' | 'int128' | 'int256' | 'Bool';

interface TlField {
  readonly name: string;
  readonly type: TlType;
  // Of which field of flags, and which bit; null: it is always there.
  readonly flag: { readonly field: string; readonly bit: number } | null;
}

interface TlDefinition {
  readonly name: string;
  readonly id: number;
  readonly fields: readonly TlField[];
  readonly result: TlType;
}

// Texts of definitions; `layer`: the first that knows them.
export interface SchemaText {
  readonly layer: number;
  readonly text: string;
}

const VECTOR_ID = 0x1cb5c415;
const TRUE_ID = 0x997275b5;
const FALSE_ID = 0xbc799737;
const PLAIN: readonly string[] = [
  'int',
  'long',
  'double',
  'string',
  'bytes',
  'int128',
  'int256',
  'Bool',
] satisfies PlainName[];

export class TlSchema {
  readonly #byId = new Map<number, TlDefinition>();
  // The newest layer first.
  readonly #byName = new Map<string, { layer: number; definition: TlDefinition }[]>();

  constructor(texts: readonly SchemaText[]) {
    const ascending = [...texts].sort((one, other) => one.layer - other.layer);
    for (const { layer, text } of ascending) {
      for (const line of linesOf(text)) this.#add(layer, definitionOf(line));
    }
  }

  #add(layer: number, definition: TlDefinition): void {
    this.#byId.set(definition.id, definition);
    const known = this.#byName.get(definition.name) ?? [];
    this.#byName.set(definition.name, [{ layer, definition }, ...known]);
  }

  encode(object: TlObject, layer = 0): Buffer {
    const writer = new TlWriter();
    this.#writeObject(writer, object, layer);
    return writer.bytes();
  }

  // What a function answers; its type says how.
  encodeResult(method: string, value: TlValue, layer: number): Buffer {
    const writer = new TlWriter();
    this.#write(writer, this.#definition(method, layer).result, value, layer, method);
    return writer.bytes();
  }

  // Whatever layer it is of; null: no definition has this id.
  decode(reader: TlReader): TlObject | null {
    const definition = this.#byId.get(reader.peekId());
    if (definition === undefined) return null;
    reader.id();
    return this.#readFields(reader, definition);
  }

  // As `decode`, of all bytes there are.
  decodeAll(bytes: Buffer): TlObject | null {
    return this.decode(new TlReader(bytes));
  }

  #definition(name: string, layer: number): TlDefinition {
    const known = this.#byName.get(name) ?? [];
    // A client older than all that is known gets the oldest.
    const found = known.find((each) => each.layer <= layer) ?? known.at(-1);
    if (found === undefined) throw new Error(`the schema does not define ${name}`);
    return found.definition;
  }

  #writeObject(writer: TlWriter, object: TlObject, layer: number): void {
    const definition = this.#definition(object._, layer);
    writer.id(definition.id);
    for (const field of definition.fields) {
      const path = `${object._}.${field.name}`;
      if (field.type.kind === 'flags') writer.int(flagsOf(definition, field.name, object));
      else if (field.flag === null || isSet(object[field.name])) {
        this.#write(writer, field.type, object[field.name], layer, path);
      }
    }
  }

  #write(writer: TlWriter, type: TlType, value: TlValue, layer: number, path: string): void {
    switch (type.kind) {
      case 'flags':
      case 'true':
        return;
      case 'plain':
        writePlain(writer, type.name, value, path);
        return;
      case 'vector': {
        if (!Array.isArray(value)) throw new Error(`${path} is no list`);
        if (type.isBoxed) writer.id(VECTOR_ID);
        writer.int(value.length);
        for (const item of value) this.#write(writer, type.of, item, layer, path);
        return;
      }
      case 'object':
        if (!isObject(value)) throw new Error(`${path} is no object`);
        this.#writeObject(writer, value, layer);
    }
  }

  #readFields(reader: TlReader, definition: TlDefinition): TlObject {
    const read: { _: string; [field: string]: TlValue } = { _: definition.name };
    const flags = new Map<string, number>();
    for (const { name, type, flag } of definition.fields) {
      if (type.kind === 'flags') flags.set(name, reader.int());
      else if (flag === null || ((flags.get(flag.field) ?? 0) & (1 << flag.bit)) !== 0) {
        read[name] = this.#read(reader, type);
      }
    }
    return read;
  }

  #read(reader: TlReader, type: TlType): TlValue {
    switch (type.kind) {
      case 'flags':
      case 'true':
        return true;
      case 'plain':
        return readPlain(reader, type.name);
      case 'vector': {
        if (type.isBoxed && reader.id() !== VECTOR_ID) throw new Error('expected a vector');
        const items: TlValue[] = [];
        for (let left = reader.int(); left > 0; left--) items.push(this.#read(reader, type.of));
        return items;
      }
      case 'object': {
        const object = this.decode(reader);
        if (object === null) throw new Error(`unknown id ${reader.peekId().toString(16)}`);
        return object;
      }
    }
  }
}

// Definitions end with a semicolon and may be broken into lines.
function linesOf(text: string): string[] {
  return text
    .split(';')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '');
}

function definitionOf(line: string): TlDefinition {
  const parts = /^([\w.]+)#([0-9a-f]{1,8})( .*)? = (\S+)$/.exec(line);
  if (parts === null) throw new Error(`no definition of TL: ${line}`);
  const [, name = '', id = '', fields = '', result = ''] = parts;
  if (Number.parseInt(id, 16) !== crcOf(line)) throw new Error(`the id does not fit: ${line}`);
  const named = fields.split(' ').filter((field) => field !== '' && !field.startsWith('{'));
  return {
    name,
    id: Number.parseInt(id, 16),
    fields: named.map(fieldOf),
    result: typeOf(result),
  };
}

// Of the text without id, brackets and flags that stand for themselves; bytes count as a string.
function crcOf(line: string): number {
  return crc32(
    line
      .replace(/#[0-9a-f]{1,8}(?= )/, '')
      .replace(/ \w+:\w+\.\d+\?true(?= )/g, '')
      .replace(/([:?])bytes(?= )/g, '$1string')
      .replaceAll('<', ' ')
      .replace(/[>{}]/g, ''),
  );
}

function fieldOf(text: string): TlField {
  const parts = /^(\w+):(?:(\w+)\.(\d+)\?)?(\S+)$/.exec(text);
  if (parts === null) throw new Error(`no field of TL: ${text}`);
  const [, name = '', field, bit, type = ''] = parts;
  const flag = field === undefined ? null : { field, bit: Number(bit) };
  return { name, type: typeOf(type), flag };
}

function typeOf(text: string): TlType {
  const vector = /^([Vv])ector<(\S+)>$/.exec(text);
  if (vector !== null) {
    return { kind: 'vector', isBoxed: vector[1] === 'V', of: typeOf(vector[2]!) };
  }
  if (text === '#') return { kind: 'flags' };
  if (text === 'true') return { kind: 'true' };
  return isPlain(text) ? { kind: 'plain', name: text } : { kind: 'object' };
}

function isPlain(name: string): name is PlainName {
  return PLAIN.includes(name);
}

function flagsOf(definition: TlDefinition, name: string, object: TlObject): number {
  return definition.fields
    .filter(({ flag, name: field }) => flag?.field === name && isSet(object[field]))
    .reduce((bits, { flag }) => bits | (1 << flag!.bit), 0);
}

function isSet(value: TlValue): boolean {
  return value !== undefined && value !== null && value !== false;
}

export function isObject(value: TlValue): value is TlObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)
  );
}

function writePlain(writer: TlWriter, name: PlainName, value: TlValue, path: string): void {
  if (name === 'int' && typeof value === 'number') writer.int(value);
  else if (name === 'long' && typeof value === 'bigint') writer.long(value);
  else if (name === 'double' && typeof value === 'number') writer.double(value);
  else if (name === 'Bool' && typeof value === 'boolean') writer.id(value ? TRUE_ID : FALSE_ID);
  else if (name === 'string' && typeof value === 'string') writer.string(Buffer.from(value));
  else if (name === 'bytes' && Buffer.isBuffer(value)) writer.string(value);
  else if ((name === 'int128' || name === 'int256') && Buffer.isBuffer(value)) writer.raw(value);
  else throw new Error(`${path} is no ${name}`);
}

function readPlain(reader: TlReader, name: PlainName): TlValue {
  switch (name) {
    case 'int':
      return reader.int();
    case 'long':
      return reader.long();
    case 'double':
      return reader.double();
    case 'string':
      return reader.string().toString('utf8');
    case 'bytes':
      return reader.string();
    case 'int128':
      return reader.raw(16);
    case 'int256':
      return reader.raw(32);
    case 'Bool':
      return reader.id() === TRUE_ID;
  }
}
