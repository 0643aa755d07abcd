import type { ownMaskNames } from '#contracts/field-rights';
import type { Mask } from '../customizer/field-definition.ts';

/** The middle dot of Latin-1. V8 writes a page with any character beyond Latin-1 a fifth slower. */
const hidden = '···';

/** How many characters of a text `last4` shows; never more than half of it. */
const shownAtEnd = 4;

/** Whether some characters are two units of the text. */
const hasPairs = /[\ud800-\udfff]/;

/** The masks that every agent has, by the name that permissions use. */
export const ownMasks: Readonly<Record<(typeof ownMaskNames)[number], Mask>> = {
  last4: (value) => {
    const text = textOf(value);
    if (!hasPairs.test(text)) return `${hidden}${text.slice(text.length - Math.min(shownAtEnd, text.length >> 1))}`;
    const characters = [...text];
    return `${hidden}${characters.slice(characters.length - Math.min(shownAtEnd, characters.length >> 1)).join('')}`;
  },
  email: (value) => {
    const text = textOf(value);
    const at = text.lastIndexOf('@');
    if (at === -1) return hidden;
    const first = (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
    return `${text.slice(0, first < at ? first : 0)}${hidden}${text.slice(at)}`;
  },
  present: () => hidden,
};

/** The mask of a name; `undefined` where neither the agent nor its code has one. */
export function maskNamed(name: string, ofCode: ReadonlyMap<string, Mask>): Mask | undefined {
  return Object.hasOwn(ownMasks, name) ? ownMasks[name as keyof typeof ownMasks] : ofCode.get(name);
}

/** The mask as values are shown through it: what is missing stays so. */
export function maskedBy(mask: Mask): (value: unknown) => string | null {
  return (value) => (value === null || value === undefined ? null : mask(value));
}

/** Whether a text is what the mask made of the value of now, or has the form of a masked one. */
export function isMaskedText(text: unknown, shown: unknown): boolean {
  return typeof text === 'string' && (text === shown || text.includes(hidden));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
