// Text Generation Inference, `/generate_stream`: tokens, of which the special ones are not shown. The last one repeats
// the whole text. A client with an inference endpoint of Hugging Face hears the same.

import { asJson, at, more, type Payload, type Shape, type ShapeReading } from '../shape-port.ts';

export const tgi: Shape = {
  name: 'tgi',
  producer: 'Hugging Face TGI `/generate_stream`',
  sign: 'a member `token` with a `text`',
  owns: ({ json }) => typeof at(json, 'token', 'text') === 'string',
  reader: () => readToken,
};

function readToken({ json }: Payload): ShapeReading | null {
  const token = asJson(json.token);
  if (token === null) return null;
  const { events } = more(token.special === true ? '' : token.text);
  return { events, isOpen: typeof json.generated_text !== 'string' };
}
