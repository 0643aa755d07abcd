/** Headers as one text each, those that were sent several times joined by commas. */
export function joinedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const joined = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : (value ?? []).join(', '),
  ]);
  return Object.fromEntries(joined);
}
