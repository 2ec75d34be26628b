// What keeps a platform from taking an account's calls, by the reason of the last one: nothing answers, something else
// answers in its place, what answers cannot be read, or it says itself that it is broken. One set of words for the log,
// `sluice status`, the page and `explain`, and what to look at. Pure.

type OutageKind = 'silent' | 'elsewhere' | 'unreadable' | 'broken';

const NO_ANSWER = ['unsent', 'answer_lost', 'answer_timeout'];
// As each platform's own code begins, where the answer is not of its API.
const FROM_ELSEWHERE = 'not_';

function kindOf(reason: string): OutageKind {
  if (NO_ANSWER.includes(reason)) return 'silent';
  if (reason.startsWith(FROM_ELSEWHERE)) return 'elsewhere';
  return reason === 'answer_unreadable' ? 'unreadable' : 'broken';
}

// `account`: left out where it is known already.
export function outageInWords(reason: string, account = ''): string {
  const whom = account === '' ? '' : ` ${account}`;
  switch (kindOf(reason)) {
    case 'silent':
      return `the platform does not answer${whom}`;
    case 'elsewhere':
      return `something else answers${whom} in the platform’s place`;
    case 'unreadable':
      return `the platform’s answers${whom === '' ? '' : ` to${whom}`} cannot be read`;
    case 'broken':
      return `the platform answers${whom} with errors`;
  }
}

const BETWEEN =
  'Check what lies between: a proxy, a firewall, a login page of the network, or a wrong address in the settings.';
// Where nothing answers.
export const LOOK_AT_NETWORK =
  'Check the network of this machine: DNS, proxy, firewall. If it works, the platform is down.';
const LOOK_AT: Readonly<Record<OutageKind, string>> = {
  silent: LOOK_AT_NETWORK,
  elsewhere: BETWEEN,
  unreadable: BETWEEN,
  broken: 'Look at the status page of the platform; nothing is to be done here.',
};

export function remedyOf(reason: string): string {
  return `${LOOK_AT[kindOf(reason)]} It is tried again by itself, at growing intervals; or try it now.`;
}

// What was really met, in the words of the system or the platform; its code where that is all.
export function metIn({ cause, detail }: { cause: string; detail: string }): string {
  return detail === '' ? cause : detail.replace(/\.$/, '');
}
