// The signs beside the menu's words: lines of one weight in the colour of the word. They say nothing that it does not.

const PATHS: Readonly<Record<string, string>> = {
  '': 'M3 12h4l3 8 4-16 3 8h4',
  messages: 'M4 5h16v11H9l-5 4z',
  queue: 'M4 6h16M4 12h12M4 18h8',
  accounts: 'M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-5 4-7 8-7s7 2 8 7',
  chats: 'M3 4h12v8H8l-5 4zM18 9h3v11l-4-3h-6v-2',
  streams: 'M3 8c3-4 6 4 9 0s6 4 9 0M3 16c3-4 6 4 9 0s6 4 9 0',
  broadcasts: 'M4 10v4h4l8 5V5L8 10zM20 9v6',
  ingest: 'M12 3v11M7 10l5 5 5-5M4 20h16',
  dead: 'M3 6h18v13H3zM3 7l9 7 9-7',
  sandbox: 'M9 3v6L4 19a1 1 0 0 0 1 2h14a1 1 0 0 0 1-2L15 9V3M8 3h8M7 15h10',
  keys: 'M8 16a4 4 0 1 1 3.9-5H21v4h-3v2h-3v-2h-3.1A4 4 0 0 1 8 16z',
  gateway: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 4v6M8 14v6',
};

export function Icon({ name }: { name: string }) {
  const path = PATHS[name];
  if (path === undefined) return null;
  return (
    <svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
