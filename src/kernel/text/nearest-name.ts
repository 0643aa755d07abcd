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
