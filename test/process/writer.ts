// A process that does nothing but write to a store, as fast as it can, and says after each commit how much was
// accepted. Started by a test, which kills it.

import { aDelivery } from '../../src/store/contract/journal.fixture.ts';
import { soleOwner } from '../../src/store/contract/sole-owner.fixture.ts';
import { openSqliteJournal } from '../../src/store/sqlite/sqlite.ts';

const TOGETHER = 40;
const journal = soleOwner(
  await openSqliteJournal({
    dir: process.argv[2]!,
    onNote: ({ text }) => process.stderr.write(`${text}\n`),
  }),
);
process.stdout.write('open\n');
for (let n = 0; ; n++) {
  const body = JSON.stringify({ text: `${n} `.padEnd(3_000, 'text') });
  const begun = { beginAt: 1 };
  const all = await Promise.all(
    Array.from({ length: TOGETHER }, (_, i) =>
      journal.append(aDelivery({ body }), { queueMax: 1e9, ...(i % 2 === 0 ? begun : {}) }),
    ),
  );
  const last = all.at(-1)!;
  if (last.kind === 'accepted') process.stdout.write(`${last.queued.seq}\n`);
}
