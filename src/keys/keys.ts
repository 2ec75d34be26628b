// Who may do what: keys, virtual tokens, and who is logged in.

export { type Guards, openGuards } from './guards.ts';
export { ADMIN, type Holder, type KeyView, type NewKeyRequest } from './keyring.ts';
export { Bounds, NO_SCOPE, type Scope } from './scope.ts';
export { isCsrf, LINK_MS, SESSION_MS, type Session } from './sessions.ts';
