import { didYouMean, nearestName } from './nearest-name.ts';

/** `no option "includ". Did you mean "include"?` for the first key of the options that is not known; `undefined` for none. */
export function unknownOption(options: object, known: readonly string[], what = 'option'): string | undefined {
  const name = Object.keys(options).find((key) => !known.includes(key));
  return name === undefined ? undefined : `no ${what} "${name}".${didYouMean(nearestName(name, known))}`;
}
