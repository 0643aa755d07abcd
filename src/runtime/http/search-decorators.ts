interface Searched {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/**
 * Which attributes of a page of records hold the searched text, by running number, for the client to highlight.
 * `undefined` when none does: the search matched a related record.
 */
export function searchDecorators(records: readonly Searched[], search: string) {
  const wanted = search.trim().toLowerCase();
  const hits = records.flatMap(({ id, attributes }) => {
    const names = Object.keys(attributes).filter((name) => holds(attributes[name], wanted));
    return names.length > 0 ? [{ id, search: names }] : [];
  });
  return hits.length > 0 ? { decorators: { ...hits } } : undefined;
}

function holds(value: unknown, wanted: string): boolean {
  if (!value) return false;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.toLowerCase().includes(wanted);
}
