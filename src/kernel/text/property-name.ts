/**
 * The same text as the engine itself keeps the names of properties. Objects are read by such a name at once; by one that was put
 * together, the name is looked up each time, and V8 compiles the code that reads by it over and over again.
 */
export function propertyName(text: string): string {
  const [name = text] = Object.keys({ [text]: true });
  return name;
}
