import { describe, expect, it } from 'vitest';
import { createNoteWriter } from '#cli/terminal/note-writer';

function written(columns: number): string {
  const pieces: string[] = [];
  const { note, pin } = createNoteWriter(
    (text) => pieces.push(text),
    () => columns,
  );
  pin('r reload');
  note('Reloaded');
  pin('');
  note('Stopped');
  return pieces.join('');
}

describe('a pinned line', () => {
  it('stays below what is noted, and goes at the end', () => {
    expect(written(80)).toBe('r reload\r\u001B[2KReloaded\nr reload\r\u001B[2KStopped\n');
  });

  it.each([
    ['no terminal', 0],
    ['a terminal that is too narrow', 8],
  ])('is noted once where there is %s', (_what, columns) => {
    expect(written(columns)).toBe('r reload\nReloaded\nStopped\n');
  });
});
