// Reads what stands in requests: lists of recipients, one recipient, a text with fields.

import { memberOf } from './lists/member.ts';
import { readRecipients } from './lists/recipients.ts';
import { textTemplate } from './template.ts';
import type { RequestReading } from './types.ts';

export const READING: RequestReading = {
  list: readRecipients,
  recipient: memberOf,
  text: textTemplate,
};
