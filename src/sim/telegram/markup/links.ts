// The address of a link as Telegram keeps it; null: it is none, and the link is only its text.

const HTTP = /^(?:(https?):\/\/)?([^/?#\s]+)([/?#].*)?$/is;
const OWN = /^(tg|ton|tonsite):(?:\/\/)?([\w-]+)(.*)$/is;

function checkedLink(url: string): string | null {
  const own = OWN.exec(url);
  if (own !== null) return `${own[1]!.toLowerCase()}://${own[2]!.toLowerCase()}${own[3]}`;
  const found = HTTP.exec(url.trim());
  if (found === null) return null;
  const [, protocol = 'http', host, rest = ''] = found;
  if (!host!.includes('.')) return null;
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return `${protocol.toLowerCase()}://${host!.toLowerCase()}${path}`;
}

export function userOf(url: string): number | null {
  const id = /^tg:(?:\/\/)?user\?id=(\d{1,15})$/i.exec(url)?.[1];
  return id === undefined ? null : Number(id);
}

// What a link says of itself, or nothing.
export function linkEntity(
  url: string,
): { readonly type: string; readonly [more: string]: unknown } | null {
  const id = userOf(url);
  if (id !== null) {
    return { type: 'text_mention', user: { id, is_bot: false, first_name: `User ${id}` } };
  }
  const checked = checkedLink(url);
  return checked === null ? null : { type: 'text_link', url: checked };
}
