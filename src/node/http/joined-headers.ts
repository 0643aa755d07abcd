/** The headers as one text each. Commas join the values of a header that was sent several times. */
export function joinedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const joined = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : (value ?? []).join(', '),
  ]);
  return Object.fromEntries(joined);
}
