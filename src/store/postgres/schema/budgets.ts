// The schema of the word for a call's budget, which is its platform's: any that a platform has is admitted. Functions
// are written anew, but not under parameters of other names: so all of the name go, also those that an older program
// left beside their successors.

export const BUDGETS = `
DO $$ DECLARE one regprocedure; BEGIN
  FOR one IN SELECT oid FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND proname IN ('append_plain', 'run')
  LOOP EXECUTE format('DROP FUNCTION %s', one); END LOOP;
END $$;
ALTER TABLE deliveries RENAME COLUMN gate TO budget;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_gate_check;
UPDATE limits SET key = 'freeze|budget|' || substr(key, length('freeze|gate|') + 1)
  WHERE starts_with(key, 'freeze|gate|');
`;
