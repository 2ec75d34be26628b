// Methods that change what is already in a chat, or only show something: edits, deletions, pins, reactions,
// typing and drafts.

import { intOf, jsonOf, listOf, textOf } from '../params.ts';
import {
  act,
  charge,
  isThere,
  misplaced,
  no,
  type Planned,
  type Scene,
  target,
  threadOf,
} from './act.ts';
import { badRequest, NOT_MODIFIED, type SimRefusal } from './answers.ts';
import { chatView } from './chats.ts';
import { contentOf, isItem, keyboardOf, readCaption, readText } from './sending.ts';

const BATCH_IDS_MAX = 100;

export type Edited = 'text' | 'caption' | 'media' | 'markup';

export function edit(scene: Scene, what: Edited): Planned {
  const read = readNew(scene, what);
  if ('status' in read) return no(read);
  if (textOf(scene.params, 'inline_message_id') !== '') {
    return act({ text: read.text, run: () => ({ result: true, messageIds: [] }) });
  }
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const id = intOf(scene.params, 'message_id') ?? 0;
  const known = scene.messages.get(scene.bot.id, to.chat.id, id);
  const text = what === 'markup' ? (known?.text ?? '') : read.text;
  const content = contentOf(scene.params, text);
  let backend: SimRefusal | null = to.backend;
  if (backend === null && !isThere(scene, to.chat, id)) {
    backend = badRequest('message to edit not found');
  }
  if (backend === null && what !== 'media' && known?.content === content) backend = NOT_MODIFIED;
  return act({
    chat: to.chat,
    thread: known?.thread ?? null,
    charge: charge(scene, to.chat, 'edit', 1),
    backend,
    text,
    run(at) {
      if (known !== null) Object.assign(known, { text, content });
      const edit_date = Math.floor(at / 1000);
      const date = known?.date ?? edit_date;
      const body = what === 'caption' ? { caption: text } : { text };
      const from = to.chat.kind === 'channel' ? {} : { from: scene.bot.view };
      const view = { message_id: id, ...from, chat: chatView(to.chat), date, edit_date, ...body };
      const keyboard = keyboardOf(scene.params);
      const result = keyboard === null ? view : { ...view, reply_markup: keyboard };
      return { result, messageIds: [id] };
    },
  });
}

function readNew(scene: Scene, what: Edited): { text: string } | SimRefusal {
  switch (what) {
    case 'text':
      return readText(scene.params);
    case 'caption':
      return readCaption(scene.params);
    case 'media':
      if (!isItem(scene, jsonOf(scene.params, 'media'))) {
        return badRequest("can't parse InputMedia: media not found");
      }
      return { text: JSON.stringify(jsonOf(scene.params, 'media') ?? '') };
    case 'markup':
      return { text: '' };
  }
}

export function deleteMessages(scene: Scene, isBatch: boolean): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const ids = isBatch
    ? listOf(scene.params, 'message_ids').map(Number)
    : [intOf(scene.params, 'message_id') ?? 0];
  if (ids.length === 0 || ids.length > BATCH_IDS_MAX) {
    return no(badRequest('message identifiers are not specified or too many'));
  }
  const found = ids.filter((id) => isThere(scene, to.chat, id));
  const isMissing = !isBatch && found.length === 0;
  return act({
    chat: to.chat,
    backend: to.backend ?? (isMissing ? badRequest('message to delete not found') : null),
    run() {
      for (const id of found) {
        const known = scene.messages.get(scene.bot.id, to.chat.id, id);
        if (known !== null) known.isDeleted = true;
      }
      return { result: true, messageIds: found };
    },
  });
}

export function pin(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const id = intOf(scene.params, 'message_id');
  const isMissing = id !== null && !isThere(scene, to.chat, id);
  return act({
    chat: to.chat,
    backend: to.backend ?? (isMissing ? badRequest('message to pin not found') : null),
    run: () => ({ result: true, messageIds: [] }),
  });
}

// Marks that are not valid reactions of a bot.
const NO_REACTIONS = ['✅', '❌'];

export function react(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const isInvalid = NO_REACTIONS.some((mark) => JSON.stringify(scene.params).includes(mark));
  if (isInvalid) return no(badRequest('REACTION_INVALID'));
  const isMissing = !isThere(scene, to.chat, intOf(scene.params, 'message_id') ?? 0);
  return act({
    chat: to.chat,
    charge: charge(scene, to.chat, 'reaction', 1),
    backend: to.backend ?? (isMissing ? badRequest('message to react not found') : null),
    run: () => ({ result: true, messageIds: [] }),
  });
}

export function showTyping(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  if (textOf(scene.params, 'action') === '') {
    return no(badRequest('wrong parameter action in request'));
  }
  return act({
    chat: to.chat,
    thread: threadOf(scene.params),
    charge: charge(scene, to.chat, 'typing', 1),
    backend: to.backend ?? misplaced(scene, to.chat),
    run: () => ({ result: true, messageIds: [] }),
  });
}

// A draft is shown for half a minute and is in no history; an empty text means "thinking".
export function draft(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const { params } = scene;
  if (to.chat.kind !== 'private') return no(badRequest('TEXTDRAFT_PEER_INVALID'));
  if ((intOf(params, 'draft_id') ?? 0) === 0) return no(badRequest('RANDOM_ID_INVALID'));
  const isThinking = textOf(params, 'text') === '' && params.rich_message === undefined;
  const read = isThinking ? { text: '' } : readText(params);
  if ('status' in read) return no(read);
  return act({
    chat: to.chat,
    thread: threadOf(params),
    charge: charge(scene, to.chat, 'typing', 1),
    backend: to.backend,
    text: read.text,
    run: () => ({ result: true, messageIds: [] }),
  });
}
