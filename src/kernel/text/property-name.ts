/**
 * The same text in the form in which V8 keeps the names of properties. V8 reads an object by such a name at once. A
 * name that was put together from parts is looked up each time, and V8 compiles the code that reads by it again and
 * again.
 */
export function propertyName(text: string): string {
  const [name = text] = Object.keys({ [text]: true });
  return name;
}
