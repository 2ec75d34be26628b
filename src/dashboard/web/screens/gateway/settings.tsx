// The settings in force: what each is, what it means, and where it is set. They are read at the start, so that nothing
// here can be changed while messages are on their way.

import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { hrefOf, requery, route } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import type { ConfigView, SettingView } from '../../lib/wire/more.ts';
import { Badge } from '../../ui/badge.tsx';
import { Tabs, TextField } from '../../ui/field.tsx';
import { Panel, Screen } from '../../ui/parts.tsx';
import { Answered, Empty } from '../../ui/states.tsx';

type Row = readonly [path: string, setting: SettingView];

export function Settings() {
  const { query } = useStore(route);
  const { find = '', changed = '' } = query;
  const path = may('admin') ? '/v1/config' : null;
  const { data, error, reload } = useFetched<ConfigView>(path);
  const change = (changes: Readonly<Record<string, string>>) => requery({ ...query, ...changes });
  if (path === null) {
    return (
      <Screen title="Settings">
        <Empty title="Settings are an admin’s">They name hosts, folders and proxies.</Empty>
      </Screen>
    );
  }
  return (
    <Screen
      title="Settings"
      hint="In force since the start; set in sluice.yaml or by variables. Limits of one account can be set on its card."
    >
      <div class="filters">
        <Tabs
          label="Which"
          value={changed}
          onChange={(value) => change({ changed: value })}
          options={[
            ['', 'all'],
            ['true', 'changed'],
          ]}
        />
        <TextField
          label="Find"
          value={find}
          placeholder="limits, queue_max, retries…"
          onInput={(value) => change({ find: value })}
        />
      </div>
      <Answered to={{ data, error, reload }}>
        {(data) => <Sections rows={found(data, find, changed !== '')} />}
      </Answered>
      {data === null || data.accounts.length === 0 ? null : <OwnSettings config={data} />}
    </Screen>
  );
}

function found({ settings }: ConfigView, find: string, isChanged: boolean): Row[] {
  const wanted = find.trim().toLowerCase();
  return Object.entries(settings).filter(
    ([path, { meaning, isDefault }]) =>
      `${path} ${meaning}`.toLowerCase().includes(wanted) && !(isChanged && isDefault),
  );
}

function Sections({ rows }: { rows: readonly Row[] }) {
  const sections = Map.groupBy(rows, ([path]) => path.slice(0, path.indexOf('.')));
  if (sections.size === 0) return <Empty title="No such setting" />;
  return (
    <>
      {[...sections].map(([section, own]) => (
        <Panel key={section} title={section}>
          <dl class="settings">
            {own.map(([path, setting]) => (
              <One key={path} path={path} setting={setting} />
            ))}
          </dl>
        </Panel>
      ))}
    </>
  );
}

function One({ path, setting }: { path: string; setting: SettingView }) {
  const { value, meaning, unit, variable, isDefault } = setting;
  return (
    <div>
      <dt>
        <span class="mono">{path}</span>
        <span class="dim small mono">{variable}</span>
      </dt>
      <dd>
        <b class="num">{shown(value)}</b> {unit === null || value === null ? '' : unit}{' '}
        {isDefault ? null : <Badge word="set" tone="accent" />}
        <span class="dim small">{meaning.replaceAll('`', '')}</span>
      </dd>
    </div>
  );
}

function OwnSettings({ config }: { config: ConfigView }) {
  return (
    <Panel title="Accounts of the configuration">
      <ul class="lines">
        {config.accounts.map(({ name, platform, settings }) => (
          <li key={name}>
            <a data-row href={hrefOf('accounts')}>
              {name}
            </a>
            <span class="dim">{platform}</span>
            <span class="mono small">
              {Object.entries(settings)
                .map(([path, value]) => `${path} ${shown(value)}`)
                .join(', ') || 'as all accounts'}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

// As it would be written.
function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(shown).join(', ');
  if (typeof value !== 'object') return String(value);
  const { seconds, kind, name } = value as { seconds?: number; kind?: string; name?: string };
  return String(seconds ?? kind ?? name ?? JSON.stringify(value));
}
