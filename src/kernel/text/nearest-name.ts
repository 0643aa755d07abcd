/** The name a person most likely meant, or `undefined` when none is close (more than two letters, and more than a third of them, differ). */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(Math.min(2, wanted.length - 1), Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** ` Did you mean "…"?` for a name that is close to one of these, else nothing. */
export function didYouMean(wanted: string, names: Iterable<string>): string {
  const nearest = nearestName(wanted, names);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

/** Levenshtein distance: how many letters to insert, delete or replace to turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replace, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
