/** The names in backticks in a piece of SQL, in order: `` `a` < `b``c` `` → `a`, `` b`c ``. */
export function quotedNames(text: string): string[] {
  // Texts are stepped over: they may hold backticks.
  return [...text.matchAll(/'(?:[^'\\]|''|\\[\s\S])*'|`((?:[^`]|``)+)`/g)].flatMap(([, name]) =>
    name === undefined ? [] : [name.replaceAll('``', '`')],
  );
}
