import { describe, expect, it } from 'vitest';
import { requireFit, rowsThatFit } from '#runtime/surfaces/mcp/render/answer-text';

const row = (letters: number) => ({ text: 'x'.repeat(letters) });

describe('the size of an answer', () => {
  it('decides how many whole rows it holds', () => {
    const rows = Array.from({ length: 10 }, () => row(989));
    expect(rowsThatFit(rows, 64_000)).toHaveLength(10);
    expect(rowsThatFit(rows, 8_010)).toHaveLength(5);
    expect(rowsThatFit(rows, 4_000)).toHaveLength(0);
  });

  it('counts bytes, and characters as they are written', () => {
    expect(rowsThatFit([{ text: 'é'.repeat(600) }], 4_000)).toHaveLength(0);
    expect(rowsThatFit([{ text: '\u200B'.repeat(200) }], 4_000)).toHaveLength(0);
    expect(rowsThatFit([{ text: 'e'.repeat(600) }], 4_000)).toHaveLength(1);
  });

  it('refuses one value that is too large', () => {
    expect(() => requireFit(row(5_000), 4_000, 'Name fewer fields.')).toThrow('more than 4000 bytes');
    expect(() => requireFit(row(500), 4_000, 'Name fewer fields.')).not.toThrow();
  });
});
