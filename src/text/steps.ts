// Counts what was looked at while Markdown is read, so that a test can see how the work grows with the text.

export interface Steps {
  count: number;
}
