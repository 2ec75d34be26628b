// What a request says in its query and its body, together: the body's word stands where both say the same thing, and of
// a name that the query gives twice the first counts. `unsaid`: what is not the platform's to know (a token, which is
// kept nowhere). null: the body is not what has names.

import { withoutReserved } from '../../domain/body.ts';
import type { GivenParams, Params } from '../dialect.ts';

export function givenFields({ query, body }: GivenParams, unsaid: readonly string[]) {
  const said = body ?? {};
  if (typeof said !== 'object' || Array.isArray(said)) return null;
  const asked = Object.entries(withoutReserved((query ?? {}) as Params)).map(
    ([name, value]): [string, unknown] => [name, Array.isArray(value) ? value[0] : value],
  );
  const all = [...asked, ...Object.entries(withoutReserved(said as Params))];
  return Object.fromEntries(all.filter(([name]) => !unsaid.includes(name))) as Params;
}
