// Parameters as Telegram will read them. It parses JSON in text more leniently than JSON is: the first of two equal
// members counts, control characters may stand in strings, and `+5`, `05` and text after the end are taken. So where
// it matters what a call touches, every JSON text is parsed here, and the values go out in place of the texts: there
// is one reading of what is sent.

import type { PlainParams } from '../../domain/targets.ts';
import { jsonOrUndefined } from '../../system/json.ts';

// Parameters that are text to people or apps in every method, whatever they look like; never parsed by Telegram.
export const PROSE: ReadonlySet<string> = new Set(
  `text caption title description question explanation name first_name last_name vcard phone_number address performer
  payload provider_data provider_token start_parameter error_message comment custom_description custom_title tag bio
  short_description url invite_link secret_token web_app_url username`
    .trim()
    .split(/\s+/),
);

// Parameters that Telegram parses as JSON in every method that takes them as text.
export const JSON_PARAMS: ReadonlySet<string> = new Set(
  `reply_parameters reply_markup entities caption_entities question_entities explanation_entities
  description_entities text_entities link_preview_options media message_ids options reaction scope commands
  permissions rights menu_button prices suggested_post_parameters ephemeral_message_parameters rich_message checklist
  content areas accepted_gift_types results result stickers emoji_list keywords mask_position shipping_options
  allowed_updates custom_emoji_ids errors suggested_tip_amounts correct_option_ids country_codes button
  added_user_ids explanation_media`
    .trim()
    .split(/\s+/),
);

// What begins so may be read as JSON by a lenient parser.
const LIKE_JSON = /^[\s\p{C}]*[[{"]/u;
const NAME = /^[a-z][a-z0-9_]{0,63}$/;
// The method is in the path; a second word for it would only be another reading.
const METHOD = 'method';

export function plainParams(params: Readonly<Record<string, unknown>>): PlainParams {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(params)) {
    // Nothing, to whoever reads it.
    if (name === METHOD || value === null || value === undefined) continue;
    if (!NAME.test(name)) return { kind: 'unreadable', name: '' };
    if (typeof value !== 'string' || value === '' || PROSE.has(name)) {
      plain[name] = value;
      continue;
    }
    if (!JSON_PARAMS.has(name) && !LIKE_JSON.test(value)) {
      plain[name] = value;
      continue;
    }
    const read = jsonOrUndefined(value);
    if (typeof read !== 'object') return { kind: 'unreadable', name };
    if (read !== null) plain[name] = read;
  }
  return { kind: 'plain', params: plain };
}
