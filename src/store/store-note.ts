// What a start found or did that the operator should know.
export interface StoreNote {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}
