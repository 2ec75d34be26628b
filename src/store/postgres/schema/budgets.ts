// The schema of the word for a call's budget, which is its platform's: any that a platform has is admitted. Functions
// are written anew, but not under parameters of other names.

export const BUDGETS = `
DROP FUNCTION IF EXISTS append_plain;
DROP FUNCTION IF EXISTS run;
ALTER TABLE deliveries RENAME COLUMN gate TO budget;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_gate_check;
UPDATE limits SET key = 'freeze|budget|' || substr(key, length('freeze|gate|') + 1)
  WHERE starts_with(key, 'freeze|gate|');
`;
