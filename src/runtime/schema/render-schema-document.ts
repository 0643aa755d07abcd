import type { SchemaDocument } from '#contracts/schema-document';

const maxLineLength = 100;
const separator = ', ';

/** The text of the schema file: two spaces, what fits on a line of 100 characters stays on one. */
export function renderSchemaDocument(document: SchemaDocument): string {
  return `${new Renderer().render(document, '', 0)}\n`;
}

/** Ten thousand tables make millions of small parts. Each value is joined by itself, so that few of them are in memory at a time. */
class Renderer {
  /** Members of few names come again and again. */
  readonly #keys = new Map<string, string>();

  /** `lead` is how many characters stand on the line before the value, beside the indent. */
  render(value: unknown, indent: string, lead: number): string {
    if (typeof value !== 'object' || value === null) return scalar(value);
    const inner = `${indent}  `;
    const isList = Array.isArray(value);
    const parts: string[] = [];
    let flatLength: number | undefined = 2;
    for (const name of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[name];
      if (item === undefined && !isList) continue;
      const key = isList ? '' : this.#key(name);
      const flat = this.#renderFlat(item, maxLineLength - inner.length - key.length);
      const part = key + (flat ?? this.render(item, inner, key.length));
      if (flatLength !== undefined && flat !== undefined)
        flatLength += part.length + (parts.length > 0 ? separator.length : 0);
      else flatLength = undefined;
      parts.push(part);
    }
    const [open, close] = isList ? '[]' : '{}';
    const isFlat = flatLength !== undefined && flatLength <= maxLineLength - indent.length - lead;
    if (isFlat) return `${open}${parts.join(separator)}${close}`;
    return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
  }

  /** On one line, or `undefined` as soon as it takes more than `room` characters: a large value is not written twice. */
  #renderFlat(value: unknown, room: number): string | undefined {
    if (room < 0) return undefined;
    if (typeof value !== 'object' || value === null) return within(scalar(value), room);
    const isList = Array.isArray(value);
    let text = isList ? '[' : '{';
    for (const name of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[name];
      if (item === undefined && !isList) continue;
      if (text.length > 1) text += separator;
      if (!isList) text += this.#key(name);
      const flat = this.#renderFlat(item, room - text.length - 1);
      if (flat === undefined) return undefined;
      text += flat;
    }
    return within(text + (isList ? ']' : '}'), room);
  }

  #key(name: string): string {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const key = `${JSON.stringify(name)}: `;
    this.#keys.set(name, key);
    return key;
  }
}

function scalar(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

function within(text: string, room: number): string | undefined {
  return text.length <= room ? text : undefined;
}
