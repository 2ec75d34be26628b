// The settings of an account as classes of its output.

import type { Settings } from '../config/config.ts';
import type { OutputClasses } from '../domain/priority.ts';

export function classesOf(settings: Settings): OutputClasses {
  return {
    message: settings.priorityMessage,
    answer: settings.priorityAnswer,
    notice: settings.priorityNotice,
    preview: settings.priorityPreview,
    final: settings.priorityFinal,
  };
}
