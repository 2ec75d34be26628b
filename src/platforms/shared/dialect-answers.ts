// What Sluice says to a platform's clients, put together from the few things that platforms say differently: how a no
// looks, how a wait does, and what an ended or a coming message is.

import type { DeliveryEnding, DialectAnswers, ValueAnswer } from '../dialect.ts';

export interface OwnAnswers extends Pick<DialectAnswers, 'refused' | 'later' | 'provisional'> {
  // Left out: like any other no of its status.
  readonly unreadable?: DialectAnswers['unreadable'];
  readonly tooLarge?: DialectAnswers['tooLarge'];
  // An answer of the platform's, as it would come from there; null: it was done, and there is none.
  shown(result: string | null): ValueAnswer;
}

// No platform's clients know a 422; what they would do with one is theirs.
const UNPROCESSABLE = 422;

export function dialectAnswers(own: OwnAnswers): DialectAnswers {
  const { refused, later, provisional, shown } = own;
  return {
    unreadable: (detail) => refused(400, detail),
    tooLarge: () => refused(413, 'too large'),
    ...own,
    refused,
    later,
    provisional,
    conflict: (detail) => refused(409, detail),
    problem: ({ status, detail }, retryAfterS) =>
      status === 429
        ? later(retryAfterS)
        : refused(status === UNPROCESSABLE ? 400 : status, detail),
    ended: (_call, _params, ending) => endedIn(ending, own),
    cosmetic: shown,
  };
}

function endedIn(ending: DeliveryEnding, { refused, shown }: OwnAnswers): ValueAnswer {
  const { state, result } = ending;
  const isShown = state === 'sent' || (state === 'dead' && result !== null);
  return isShown ? shown(result) : refused(...unshown(ending));
}

// How a delivery ended that has no answer of the platform's to show: a status of HTTP, and a text for whoever waited.
// None is a 5xx where it may have arrived: clients repeat those on their own.
function unshown({ state, detail, reason }: DeliveryEnding): readonly [number, string] {
  switch (state) {
    case 'expired':
      return [408, 'its time to live ran out before it could go'];
    case 'cancelled':
      return [410, 'the delivery was cancelled'];
    case 'uncertain':
      return [409, 'the answer was lost, it may have been delivered'];
    case 'superseded':
      return [409, 'a newer text took its place'];
    default:
      return [502, detail ?? reason ?? 'failed'];
  }
}
