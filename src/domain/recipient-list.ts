// The forms in which a list of recipients comes, by its content type or its file's name.

export const LIST_FORMATS = ['csv', 'ndjson', 'text'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

export const LIST_TYPES: Readonly<Record<string, ListFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'text/plain': 'text',
};

// null: neither tells.
export function listFormatOf(
  type: string | undefined,
  fileName: string | undefined,
): ListFormat | null {
  const known = LIST_TYPES[(type ?? '').split(';', 1)[0]!.trim().toLowerCase()];
  if (known !== undefined) return known;
  const ending = /\.(csv|ndjson|jsonl|txt)$/i.exec(fileName ?? '')?.[1]?.toLowerCase();
  if (ending === undefined) return null;
  return ending === 'csv' ? 'csv' : ending === 'txt' ? 'text' : 'ndjson';
}
