// Numbers as flags have them, or what would be right.

import { WrongUsage } from '../io.ts';

export function wholeOf(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new WrongUsage(`${flag} = ${text}: expected a whole number from ${min} to ${max}`);
}

export function numberOf(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= min && value <= max) return value;
  throw new WrongUsage(`${flag} = ${text}: expected a number from ${min} to ${max}`);
}
