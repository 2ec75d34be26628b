// Promise 4: nothing is delivered twice but what was in doubt, and then the record says so.

import { type Check, isDelivered, isInDoubt, isRepeatable, tell } from '../evidence.ts';

export const checkDuplicates: Check = (evidence) =>
  evidence.stories.flatMap((story) => {
    const copies = story.tries.filter(isDelivered);
    if (copies.length < 2) return [];
    // Every copy but the last was followed by another try: each must have been in doubt.
    const needless = copies.slice(0, -1).some((one) => !isInDoubt(one, evidence));
    const isHushedUp = !isRepeatable(story) && (story.record?.doubts ?? 0) === 0;
    if (!needless && !isHushedUp) return [];
    const what = needless ? 'sent again after an answer' : 'sent again, and the record is silent';
    return [{ check: 'duplicates', facts: `${what}: ${tell(story, evidence.startedAt)}` }];
  });
