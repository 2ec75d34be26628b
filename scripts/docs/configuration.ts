// docs/configuration.md from the one table of settings.

import {
  flagOf,
  SECTIONS,
  SETTING_KEYS,
  type Setting,
  type SettingSection,
  settingOf,
  variableOf,
} from '../../src/config/config.ts';
import { MADE, table } from './table.ts';

const HEAD = ['in the file', 'variable', 'flag', 'default', 'values', 'meaning'];

export function configurationPage(): string {
  return `# Configuration

${MADE}

Everything works without any configuration. What is set is read in this order, later ones win: a file
(\`--config FILE\`, else \`SLUICE_CONFIG\`, else \`sluice.yaml\` in the working folder), then variables, then flags of
\`sluice serve\`. An unknown name or an invalid value stops the start; all of them are reported at once.
\`sluice config\` prints what is in force and where it comes from, secrets hidden.

A setting marked **per account** can also be set for one account of the file, see [Accounts](#accounts).

${(Object.keys(SECTIONS) as SettingSection[]).map(sectionText).join('\n\n')}

## Accounts

An account whose token arrives with a call needs no entry: it is known from its first call on.
An entry makes it known at the start (so that REST can name it) and may change settings for it alone.
The token is in \`token\`, or better in a file (\`token_file\`) or a variable (\`token_env\`).
A terminal (see [Terminal](use/terminal.md)) has a name and no token.

\`\`\`yaml
limits:
  group_mpm: 18
accounts:
  - name: support
    platform: telegram
    token_file: /run/secrets/support-bot
    settings:
      queue_max: 50000
      uncertain_policy: hold
  - name: wall
    platform: terminal
    settings:
      order: account
\`\`\`

## Variables of the clients

| variable | meaning |
| --- | --- |
| \`SLUICE_URL\` | The gateway the commands talk to (\`send\`, \`status\`, …); else host and port |
| \`SLUICE_KEY\` | The key they show; else \`SLUICE_ADMIN_KEY\`, else the file \`admin-key\` of the data folder |
| \`SLUICE_CONFIG\` | The configuration file, as \`--config\` |
`;
}

function sectionText(section: SettingSection): string {
  const settings = SETTING_KEYS.map(settingOf).filter((setting) => setting.section === section);
  return `## ${section}\n\n${SECTIONS[section]}.\n\n${table(HEAD, settings.map(rowOf))}`;
}

function rowOf(setting: Setting<unknown>): string[] {
  const flag = flagOf(setting);
  const notes = [
    setting.meaning,
    setting.unit === null ? '' : ` (${setting.unit})`,
    setting.alias === null ? '' : `; \`${setting.alias.variable}\` means the same`,
    setting.perAccount ? '; **per account**' : '',
    setting.refused === null ? '' : `; **${setting.refused}**`,
  ];
  return [
    `\`${setting.section}.${setting.name}\``,
    `\`${variableOf(setting)}\``,
    flag === null ? 'none (secret)' : `\`${flag}\``,
    `\`${shown(setting.initial)}\``,
    setting.reader.expected,
    notes.join(''),
  ];
}

function shown(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  return typeof value === 'object' ? (value as { kind: string }).kind : String(value);
}
