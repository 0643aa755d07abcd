interface ChartDeclaration<Definition> {
  readonly name: string;
  readonly definition: Definition;
}

/**
 * Put a chart among those of its owner, or say what is wrong with it.
 *
 * @param owner begins a sentence: `The agent`, `"orders"`.
 */
export function addChart<Definition>(
  charts: Map<string, Definition>,
  { name, definition }: ChartDeclaration<Definition>,
  owner: string,
  refuse: (fault: string) => void,
): void {
  if (typeof name !== 'string' || name.trim() === '') refuse(`${owner} has a chart that needs a name.`);
  else if (typeof definition !== 'function') refuse(`${owner} has a chart "${name}" that is not a function.`);
  else if (charts.has(name)) refuse(`${owner} has a chart "${name}" already.`);
  else charts.set(name, definition);
}
