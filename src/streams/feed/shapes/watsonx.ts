// IBM watsonx, `/ml/v1/text/generation_stream`: pieces of the text; the last one says why it stopped.

import {
  asJson,
  failed,
  listOf,
  more,
  type Payload,
  type Shape,
  type ShapeReading,
} from '../shape-port.ts';

export const watsonx: Shape = {
  name: 'watsonx',
  producer: 'IBM watsonx `generation_stream`',
  sign: 'a member `results` with a `generated_text`, or `errors` with a `trace`',
  owns: ({ json }) =>
    typeof firstOf(json.results)?.generated_text === 'string' ||
    (Array.isArray(json.errors) && 'trace' in json),
  reader: () => readResult,
};

function firstOf(results: unknown) {
  return Array.isArray(results) ? asJson(results[0]) : null;
}

function readResult({ json }: Payload): ShapeReading | null {
  if (Array.isArray(json.errors)) return failed(listOf(json.errors)[0]);
  const result = firstOf(json.results);
  if (result === null) return null;
  const reason = result.stop_reason;
  const isOpen = reason === undefined || reason === null || reason === 'not_finished';
  return { events: more(result.generated_text).events, isOpen };
}
