// Reasons in words, the code that programs know beside it in small.

import { sentence } from '../lib/format.ts';
import { useReason } from '../lib/reasons.ts';
import { UntilTime } from './time.tsx';

export function Reason({ code }: { code: string }) {
  const said = useReason(code);
  return (
    <>
      {said} <code class="code">{code}</code>
    </>
  );
}

// The time it is expected stands beside it.
const EXPECTED = /; ((?:expected|the next try is) in [^;]*|no end is known)$/;

export const withoutExpected = (why: string) => why.replace(EXPECTED, '');

const FROZEN = ' is frozen: ';

// Why something waits, as the gateway says it, with its code in small; until when what is frozen is,
// where that is known.
export function Why(props: { why: string; code?: string | null; until?: string | null }) {
  const { why, code = null, until = null } = props;
  const said = sentence(withoutExpected(why));
  const [frozen = '', cause] = until === null ? [said] : said.split(FROZEN, 2);
  return (
    <>
      {cause === undefined ? (
        said
      ) : (
        <>
          {frozen} is frozen <UntilTime at={until} />: {cause}
        </>
      )}
      {code === null ? null : (
        <>
          {' '}
          <code class="code">{code}</code>
        </>
      )}
    </>
  );
}
