// Reasons in words, the code that programs know beside it in small.

import { sentence } from '../lib/format.ts';
import { useReason } from '../lib/reasons.ts';

export function Reason({ code }: { code: string }) {
  const said = useReason(code);
  return (
    <>
      {said} <code class="code">{code}</code>
    </>
  );
}

const LIMIT = / \(limit ([^()]+)\)/;
// The time it is expected stands beside it.
const EXPECTED = /; (expected in [^;]*|no end is known)$/;

// Why something waits, as the gateway says it, with the name of the limit in small.
export function Why({ why }: { why: string }) {
  const limit = LIMIT.exec(why)?.[1];
  return (
    <>
      {sentence(why.replace(LIMIT, '').replace(EXPECTED, ''))}
      {limit === undefined ? null : (
        <>
          {' '}
          <code class="code">{limit}</code>
        </>
      )}
    </>
  );
}
