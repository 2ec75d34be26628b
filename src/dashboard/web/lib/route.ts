// Where on the page one is, kept in the address after the #, so that every view can be linked to, and the browser's own
// back works.

import { onceBack } from './back.ts';
import { Store } from './store.ts';

export type Query = Readonly<Record<string, string>>;

export interface Route {
  // `delivery`, for `#/delivery/abc`.
  readonly screen: string;
  readonly rest: string;
  readonly query: Query;
}

export const route = new Store(readRoute());
// Someone asked for the search, who may be there already, and wants to type.
export const wantsToType = new Store(false);

addEventListener('hashchange', () => route.set(readRoute()));

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [screen = '', ...rest] = path.split('/').map(decoded);
  return { screen, rest: rest.join('/'), query: Object.fromEntries(new URLSearchParams(query)) };
}

// An address may be cut off anywhere when it is passed on; what cannot be read is taken as it stands.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function hrefOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${path}${search}`;
}

export function go(path: string, query: Query = {}): void {
  onceBack(() => {
    location.hash = hrefOf(path, query);
    // Not when the browser says so, which may be later than the next key.
    route.set(readRoute());
  });
}

export function goSearch(): void {
  go('messages');
  wantsToType.set(true);
}

// The same screen with another query, without a step in the browser's history. It holds at once; the address follows,
// unless one has gone elsewhere meanwhile.
export function requery(query: Query): void {
  const { screen, rest } = route.value;
  const isHere = (at: Route) => at.screen === screen && at.rest === rest;
  if (!isHere(readRoute())) return;
  route.set({ screen, rest, query });
  onceBack(() => {
    if (!isHere(route.value) || !isHere(readRoute())) return;
    const path = rest === '' ? screen : `${screen}/${encodeURIComponent(rest)}`;
    history.replaceState(history.state, '', hrefOf(path, route.value.query));
    route.set(readRoute());
  });
}
