// What nodes of a fleet say to each other in headers, beside the request that they hand on.

export const FLEET_HEADERS = {
  // Proves that a node asks; see cluster/secret.ts.
  secret: 'x-sluice-fleet-secret',
  // Who asked the node, as JSON in base64url; left out: nobody was asked who they are.
  holder: 'x-sluice-fleet-holder',
  // Where the caller's request came from, as bounds are counted by it; left out: from the machine of the node itself.
  client: 'x-sluice-fleet-client',
  // It is to be answered whether or not the account is owned there: nobody who owns it can be reached.
  anyway: 'x-sluice-fleet-anyway',
  // In an answer: the account is not owned there. The incarnation of who owns it, or nothing where that is not known.
  moved: 'x-sluice-fleet-moved',
  // In an answer: the node that asks has another secret, and nothing was looked at.
  stranger: 'x-sluice-fleet-stranger',
} as const;

// The account is another's by now: whoever handed the request on asks again elsewhere.
export const MOVED_STATUS = 503;

// What nodes ask each other at their internal listeners, beside the requests of callers.
export const FLEET_PATHS = {
  // Is the account yours?
  claim: '/fleet/claim',
  submit: '/fleet/submit',
  move: '/fleet/move',
  // An observer's stream is to be opened.
  stream: '/fleet/stream',
  moveTogether: '/fleet/move-together',
  // I am cut from the store: write this down for me.
  handOver: '/fleet/hand-over',
  // Are you there?
  alive: '/fleet/alive',
  // How do you stand?
  view: '/fleet/view',
  // A key of which you count the uses is to be used; which uses do you know of?
  rate: '/fleet/rate',
  uses: '/fleet/uses',
  // Something was written for the account without you.
  look: '/fleet/look',
} as const;
