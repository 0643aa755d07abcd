import { expect, it } from 'vitest';
import { cutTextFor } from '#cli/terminal/table';

it('a terminal gets long names cut to the width', () => {
  const cut = cutTextFor({ resultColumns: 80 });
  expect(cut('Seed maintenance', 8)).toBe('Seed ma…');
  expect(cut('Seed', 4)).toBe('Seed');
  expect(cut('🌱🌱🌱', 2)).toBe('🌱…');
});

it('a pipe gets names whole, on one line', () => {
  const cut = cutTextFor({ resultColumns: Number.POSITIVE_INFINITY });
  expect(cut('Seed\nmaintenance', 8)).toBe('Seed maintenance');
});
