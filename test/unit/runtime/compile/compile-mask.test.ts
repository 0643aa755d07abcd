import { describe, expect, it } from 'vitest';
import { addMask } from '#runtime/compile/compile-mask';
import type { Mask } from '#runtime/customizer/field-definition';

const site = { location: undefined };

/** The masks after one is declared, and what is wrong with it. */
function declared(name: unknown, mask: unknown, masks = new Map<string, Mask>()) {
  const problems: string[] = [];
  const declaration = { kind: 'mask', name: name as string, mask: mask as Mask, site } as const;
  addMask(masks, declaration, (fault) => problems.push(fault));
  return { masks, problems };
}

const first = (value: unknown) => String(value).slice(0, 1);

describe('a mask of the code', () => {
  it('is kept under its name', () => {
    const { masks, problems } = declared('first', first);
    expect(problems).toEqual([]);
    expect(masks.get('first')?.('Ada')).toBe('A');
  });

  it.each([
    ['no name', '', first, 'The agent has a mask that needs a name.'],
    ['no function', 'first', 'x', 'The mask "first" is not a function.'],
    ['a name of ours', 'email', first, 'The mask "email" is one that every agent has. Call yours another name.'],
  ])('is refused with %s', (_case, name, mask, problem) => {
    expect(declared(name, mask)).toEqual({ masks: new Map(), problems: [problem] });
  });

  it('is refused the second time', () => {
    const { masks } = declared('first', first);
    expect(declared('first', first, masks).problems).toEqual(['The agent has a mask "first" already.']);
  });

  it('shows nothing where it fails or makes no text', () => {
    const throwing = declared('bad', () => {
      throw new Error('no');
    }).masks.get('bad');
    expect(() => throwing?.('Ada')).toThrow('The mask "bad" threw an error.');
    const numeric = declared('bad', () => 1).masks.get('bad');
    expect(() => numeric?.('Ada')).toThrow('The mask "bad" returned something that is not a text.');
  });
});
