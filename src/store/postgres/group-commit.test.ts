// Group commit without a server: what is told to whom, in which order.

import pg from 'pg';
import { expect, test } from 'vitest';
import { NotConnected, type PostgresConnection } from '../../system/databases/postgres.ts';
import { smallCommand } from './commands.ts';
import { BatchCommit } from './group-commit.ts';

// Answers of the server, one for each batch; none is left: it takes what it is given.
function aServer(answers: readonly (() => never)[]) {
  const left = [...answers];
  const taken: string[] = [];
  const connection = {
    async getWithin(_msMax: number, _run: string, _accounts: unknown, commands: string) {
      left.shift()?.();
      const runs = JSON.parse(commands) as { commands: { name: string }[] }[];
      taken.push(runs.flatMap((run) => run.commands.map(({ name }) => name)).join(' '));
      return { answers: runs.map((run) => run.commands.map(() => true)) };
    },
    run: async () => 0,
  };
  return { commits: new BatchCommit(connection as unknown as PostgresConnection), taken };
}

const refused = () => {
  throw Object.assign(new pg.DatabaseError('it cannot be taken', 0, 'error'), { code: '22003' });
};
const away = () => {
  throw new NotConnected('nobody listens');
};

test('the database goes away while commands go one by one: none is taken after one that was not', async () => {
  const { commits, taken } = aServer([refused, refused, away]);
  const told: string[] = [];
  const submit = (name: string) =>
    commits.submit(smallCommand('save_limits', 'telegram:1', { name }), String).then(
      () => told.push(`${name} taken`),
      ({ message }: Error) => told.push(`${name}: ${message.replace(/^.*: /, '')}`),
    );
  await Promise.all(['1', '2', '3'].map(submit));
  expect(taken).toEqual([]);
  expect(told).toEqual(['1: it cannot be taken', '2: nobody listens', '3: nobody listens']);
});
