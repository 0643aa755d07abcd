/** `column` seen from the other end of `relation`: `relation:column`. */
export function nestPath(path: string, relation: string): string {
  return `${relation}:${path}`;
}

/** The path seen from the collection behind `relation`, or `undefined` when it does not go through it. */
export function unnestPath(path: string, relation: string): string | undefined {
  return path.startsWith(`${relation}:`) ? path.slice(relation.length + 1) : undefined;
}
