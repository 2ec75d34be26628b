// The audit log's actions in words: it names the route, which programs know.

const ACTIONS: Readonly<Record<string, string>> = {
  'DELETE /v1/messages/:id': 'cancelled a message',
  'POST /v1/dead/retry': 'retried dead letters',
  'POST /v1/dead/discard': 'discarded dead letters',
  'PATCH /v1/dead/:id': 'edited a dead letter',
  'POST /v1/broadcasts/:id/pause': 'paused a broadcast',
  'POST /v1/broadcasts/:id/resume': 'resumed a broadcast',
  'POST /v1/broadcasts/:id/cancel': 'cancelled a broadcast',
  'PUT /v1/audiences/:name': 'stored an audience',
  'DELETE /v1/audiences/:name': 'removed an audience',
  'POST /v1/ingest/sources': 'followed a channel',
  'PATCH /v1/ingest/sources/:id': 'changed a channel',
  'DELETE /v1/ingest/sources/:id': 'stopped following a channel',
  'POST /v1/ingest/sources/:id/run': 'started a look at a channel',
  'POST /v1/ingest/sources/:id/pause': 'paused a channel',
  'POST /v1/ingest/sources/:id/resume': 'resumed a channel',
  'POST /v1/ingest/dead/retry': 'retried channels',
  'POST /v1/ingest/accounts': 'added a reading account',
  'DELETE /v1/ingest/accounts/:kind/:id': 'removed a reading account',
  'POST /v1/ingest/logins': 'began a login for reading',
  'POST /v1/ingest/logins/:id': 'went on with a login for reading',
  'DELETE /v1/ingest/logins/:id': 'gave up a login for reading',
  'POST /v1/accounts': 'added an account or a token',
  'POST /v1/accounts/:id/pause': 'paused an account',
  'POST /v1/accounts/:id/resume': 'resumed an account',
  'POST /v1/accounts/:id/probe': 'probed an account',
  'DELETE /v1/accounts/:id': 'removed an account',
  'PATCH /v1/accounts/:id/limits': 'set limits by hand',
  'POST /v1/limits/freeze': 'froze a chat or an account',
  'POST /v1/limits/thaw': 'ended a freeze',
  'POST /v1/sandbox/chats': 'changed a sandbox chat',
  'POST /v1/keys': 'created a key',
  'DELETE /v1/keys/:id': 'revoked a key',
  'POST /v1/keys/:id/rotate': 'replaced a key',
  'POST /v1/login-links': 'created a login link',
  'GET /login': 'signed in by a link',
  'POST /login': 'signed in',
};

// null: there is no word for it.
export function actionInWords(action: string): string | null {
  return ACTIONS[action] ?? null;
}
