import * as z from 'zod';

/** Text that every store keeps as it is: no half characters, and no character 0, which PostgreSQL does not take. */
export const keptText = z.string().refine(isKept, 'text without half characters and without the character 0');

function isKept(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
