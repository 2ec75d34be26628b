// The settings of classes: how urgent each kind of output is where its caller does not say.

import { OUTPUT_CLASSES, PRIORITIES, type Priority } from '../domain/priority.ts';
import { choice, orNone } from './parse.ts';
import { row } from './setting-row.ts';

const isClass = choice(PRIORITIES);
const perAccount = true;

export const CLASS_SETTINGS = {
  priorityMessage: row('schedule', 'priority_message', isClass, OUTPUT_CLASSES.message, {
    meaning: 'Class of a message whose caller names none and that is nothing of what follows',
    perAccount,
  }),
  priorityAnswer: row('schedule', 'priority_answer', isClass, OUTPUT_CLASSES.answer, {
    meaning: 'Class of answers to people who wrote just now, as the updates seen tell',
    perAccount,
  }),
  priorityNotice: row('schedule', 'priority_notice', isClass, OUTPUT_CLASSES.notice, {
    meaning: 'Class of system notices (`notice` over REST)',
    perAccount,
  }),
  priorityPreview: row<Priority | null>(
    'schedule',
    'priority_preview',
    orNone(isClass),
    OUTPUT_CLASSES.preview,
    { meaning: 'Class of texts that still grow; none: that of their message', perAccount },
  ),
  priorityFinal: row<Priority | null>(
    'schedule',
    'priority_final',
    orNone(isClass),
    OUTPUT_CLASSES.final,
    {
      meaning: 'Class of the last text of a stream or session; none: that of its message',
      perAccount,
    },
  ),
} as const;
