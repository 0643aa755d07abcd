import { en, type FirstMessages } from './en.ts';

// It is used while the module is evaluated, so it stands first.
const letters: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  A: 'Á',
  E: 'É',
  O: 'Ó',
  n: 'ñ',
  c: 'ç',
};

/**
 * A language that nobody speaks: English with other letters, a third longer. It shows which texts do not come from the messages, and
 * which do not have the room that other languages need.
 */
export const pseudo: FirstMessages = { ...strange(en), code: 'en-XA' };

function strange<Part>(part: Part): Part {
  if (typeof part === 'string') return stretched(part) as Part;
  if (typeof part === 'function') {
    return ((...args: unknown[]) => {
      const said: unknown = Reflect.apply(part, undefined, args);
      return said instanceof Promise ? said.then(strange) : stretched(String(said));
    }) as Part;
  }
  if (Array.isArray(part)) return part.map(strange) as Part;
  return Object.fromEntries(Object.entries(part as object).map(([name, inner]) => [name, strange(inner)])) as Part;
}

function stretched(text: string): string {
  const strangeText = [...text].map((letter) => letters[letter] ?? letter).join('');
  return `[${strangeText}${'~'.repeat(Math.ceil(text.length / 3))}]`;
}
