import leven from 'leven';

/**
 * The name that a person most likely meant. `undefined` when none is close: when more than two letters differ, and more
 * than a third of them.
 */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(Math.min(2, wanted.length - 1), Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const distance = leven(wanted.toLowerCase(), name.toLowerCase(), { maxDistance: bestDistance });
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** ` Did you mean "…"?` for the name that `nearestName` found, else nothing. */
export function didYouMean(nearest: string | undefined): string {
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

/** `no option "includ". Did you mean "include"?` for the first key of the options that is not known; `undefined` for none. */
export function unknownOption(options: object, known: readonly string[], what = 'option'): string | undefined {
  const name = Object.keys(options).find((key) => !known.includes(key));
  return name === undefined ? undefined : `no ${what} "${name}".${didYouMean(nearestName(name, known))}`;
}
