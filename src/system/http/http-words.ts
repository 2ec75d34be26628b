// How a line failed, in words of ours: a stable reason, and what the machine said.

export function flatten(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

const REASON_OF_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'timed_out',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'closed',
  HTTPParserError: 'not_http',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_ABORTED: 'hung_up',
  AbortError: 'hung_up',
  UND_ERR_CLOSED: 'shut_down',
  UND_ERR_DESTROYED: 'shut_down',
};

export function explain(error: Error): { reason: string; detail: string } {
  // Several addresses were tried: they failed alike, the first speaks for all.
  const cause = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  return {
    reason: REASON_OF_CODE[code] ?? reasonOfOther(code),
    // Most messages name their code.
    detail: cause.message.includes(code) ? cause.message : `${code}: ${cause.message}`,
  };
}

const WORDS: Readonly<Record<string, string>> = {
  refused: 'connection refused',
  unreachable: 'host unreachable',
  dns: 'name not found',
  connect_timeout: 'no connection in time',
  timed_out: 'connection timed out',
  reset: 'connection reset',
  closed: 'connection closed',
  not_http: 'no HTTP',
  timeout: 'no answer in time',
  hung_up: 'call given up',
  shut_down: 'shutting down',
  tls: 'TLS failed',
  broken: 'line broken',
};

// For a person: `connection refused: connect ECONNREFUSED 127.0.0.1:80`.
export function lineInWords({ reason, detail }: { reason: string; detail: string }): string {
  return `${WORDS[reason] ?? reason}: ${detail}`;
}

function reasonOfOther(code: string): string {
  if (code.startsWith('HPE_')) return 'not_http';
  const isTls = /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code);
  return isTls ? 'tls' : 'broken';
}
