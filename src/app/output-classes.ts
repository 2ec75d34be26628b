// The settings of accounts as classes of their output.

import type { Settings } from '../config/config.ts';
import type { AccountId } from '../domain/ids.ts';
import { OUTPUT_CLASSES, type OutputClasses } from '../domain/priority.ts';

export type ClassesOf = (account: AccountId) => OutputClasses;

// null: nobody has set any, and no message need ask.
export function ownClasses(all: Iterable<Settings>, settingsOf: (account: AccountId) => Settings) {
  const isOwn = [...all].some((settings) => !isEqual(classesOf(settings), OUTPUT_CLASSES));
  return isOwn ? (account: AccountId) => classesOf(settingsOf(account)) : null;
}

function isEqual(one: OutputClasses, other: OutputClasses): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function classesOf(settings: Settings): OutputClasses {
  return {
    message: settings.priorityMessage,
    answer: settings.priorityAnswer,
    notice: settings.priorityNotice,
    preview: settings.priorityPreview,
    final: settings.priorityFinal,
  };
}
