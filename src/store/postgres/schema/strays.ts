// The schema of what is left for the owner of an account: each time has a number of its own, so that what is left again
// while it is being taken up is not taken for what was.

export const STRAYS = `
ALTER TABLE strays ADD COLUMN no bigint GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX strays_no ON strays (no);
`;
