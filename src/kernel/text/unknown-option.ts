import { didYouMean, nearestName } from './nearest-name.ts';

/** `no option "includ". Did you mean "include"?` for the first key of the options that is not known; `undefined` for none. */
export function unknownOption(options: object, known: readonly string[]): string | undefined {
  const name = Object.keys(options).find((key) => !known.includes(key));
  return name === undefined ? undefined : `no option "${name}".${didYouMean(nearestName(name, known))}`;
}
