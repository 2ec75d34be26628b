// A payload of grammY's as the Bot API takes it: as it is, or, when there are files in it, as a form with each file
// as a part of its own and `attach://` in its place.

type Params = Readonly<Record<string, unknown>>;

// grammY's InputFile, known by its shape: two copies of a package would not know each other's classes.
interface InputFile {
  readonly filename?: string;
  toRaw(): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array>;
}

export async function formOf(payload: Params): Promise<Params | FormData> {
  const files: InputFile[] = [];
  const plain = detach(payload, files) as Params;
  if (files.length === 0) return payload;
  const form = new FormData();
  for (const [name, value] of Object.entries(plain)) {
    if (value === undefined || value === null) continue;
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const [i, file] of files.entries()) {
    form.set(partName(i), new Blob(await bytesOf(file)), file.filename ?? partName(i));
  }
  return form;
}

function detach(value: unknown, files: InputFile[]): unknown {
  if (isFile(value)) return `attach://${partName(files.push(value) - 1)}`;
  if (Array.isArray(value)) return value.map((item) => detach(item, files));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, detach(v, files)]));
}

function partName(i: number): string {
  return `file${i}`;
}

function isFile(value: unknown): value is InputFile {
  return (
    typeof value === 'object' &&
    value !== null &&
    'toRaw' in value &&
    typeof value.toRaw === 'function'
  );
}

async function bytesOf(file: InputFile): Promise<Uint8Array<ArrayBuffer>[]> {
  const raw = await file.toRaw();
  if (raw instanceof Uint8Array) return [Uint8Array.from(raw)];
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of raw) chunks.push(Uint8Array.from(chunk));
  return chunks;
}
