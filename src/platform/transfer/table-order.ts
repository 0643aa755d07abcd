/**
 * Names in an order in which each comes after those it refers to; by name where that leaves a choice. A name may refer to
 * itself. Throws for names that refer to one another.
 */
export function tableOrder(references: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const placed = new Set<string>();
  const waiting = [...references.keys()].sort();
  while (waiting.length > 0) {
    const next = waiting.findIndex((name) =>
      [...(references.get(name) ?? [])].every((to) => to === name || placed.has(to)),
    );
    if (next === -1) throw new TypeError(`The tables ${waiting.join(', ')} refer to one another.`);
    for (const name of waiting.splice(next, 1)) placed.add(name);
  }
  return [...placed];
}
