/** Names that begin with the text come first, then those with a word that does. Of each, the shortest is the nearest to the text. */
export function bestMatches<Named extends { readonly name: string }>(
  places: readonly Named[],
  text: string,
): readonly Named[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return places;
  const rank = ({ name }: Named) => {
    const at = name.toLowerCase().indexOf(wanted);
    if (at <= 0) return at;
    return /[\p{L}\p{N}]/u.test(name.charAt(at - 1)) ? 2 : 1;
  };
  return places
    .filter((place) => rank(place) >= 0)
    .toSorted((a, b) => rank(a) - rank(b) || a.name.length - b.name.length);
}
