// docs/reference/errors.md from the catalogue of errors.

import { ERRORS } from '../../src/domain/errors.ts';
import { MADE, table } from './table.ts';

export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, title, remedy }]) => [
    `\`${code}\``,
    String(status),
    title,
    remedy,
  ]);
  return `# Errors

${MADE}

What Sluice itself refuses is answered as \`application/problem+json\` (RFC 9457) with a stable
\`code\`; branch on the code, not on the text. What a platform refuses is passed on as the platform said it.

${table(['code', 'status', 'what is the case', 'what to do'], rows)}
`;
}
