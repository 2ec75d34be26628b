// A terminal needs no credential: its name is enough.

import { byName } from '../shared/by-name.ts';

// There before anyone has named it.
export const NAME_DEFAULT = 'local';

export const { credentials: CREDENTIALS, identify } = byName(
  /^[\w.-]{1,64}$/,
  '1 to 64 letters, digits, dots, dashes or underscores',
);
