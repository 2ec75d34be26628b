// The schema of the word for a call's budget, which is its platform's: any that a platform has is admitted. The engine
// drops no CHECK without a name, and to write the whole table anew would take a start minutes: so the text of the
// schema is changed, as the engine's manual has it for checks. The rows stay as they are.

const CHECK = ` CHECK (budget = 'broadcast' OR budget = 'reply' OR budget = 'paid' OR budget = 'open')`;

// Also of what was read out of an older store.
export const FREEZES_OF_BUDGETS = `UPDATE limits
  SET key = 'freeze|budget|' || substr(key, length('freeze|gate|') + 1)
  WHERE key >= 'freeze|gate|' AND key < 'freeze|gate}'`;

export const BUDGETS = `
ALTER TABLE deliveries RENAME COLUMN gate TO budget;
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '${CHECK.replaceAll("'", "''")}', '')
  WHERE type = 'table' AND name = 'deliveries';
PRAGMA writable_schema = RESET;
${FREEZES_OF_BUDGETS};
`;
