import type { SchemaDocument } from '#contracts/schema-document';

const maxLineLength = 100;
const partsPerChunk = 10_000;

/** The text of the schema file: two spaces, what fits on a line of 100 characters stays on one. */
export function renderSchemaDocument(document: SchemaDocument): string {
  const text = new LongText();
  render(document, '', 0, text);
  text.add('\n');
  return text.toString();
}

/** A text of many small parts. They are joined now and then: a thousand tables make half a million of them. */
class LongText {
  readonly #chunks: string[] = [];
  #parts: string[] = [];

  add(...parts: readonly string[]): void {
    this.#parts.push(...parts);
    if (this.#parts.length >= partsPerChunk) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#chunks.join('');
  }

  #join(): void {
    this.#chunks.push(this.#parts.join(''));
    this.#parts = [];
  }
}

/** Render a value. `lead` is what stands on the line before it, beside the indent. The result is added to `text`. */
function render(value: unknown, indent: string, lead: number, text: LongText): void {
  if (typeof value !== 'object' || value === null) {
    text.add(JSON.stringify(value ?? null));
    return;
  }
  const flat = renderFlat(value, maxLineLength - indent.length - lead);
  if (flat !== undefined) {
    text.add(flat);
    return;
  }
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  let start = `${isList ? '[' : '{'}\n${inner}`;
  if (isList) {
    for (const item of value) {
      text.add(start);
      render(item, inner, 0, text);
      start = `,\n${inner}`;
    }
  } else {
    for (const name of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[name];
      if (item === undefined) continue;
      const key = `${JSON.stringify(name)}: `;
      text.add(start, key);
      render(item, inner, key.length, text);
      start = `,\n${inner}`;
    }
  }
  text.add(`\n${indent}${isList ? ']' : '}'}`);
}

/** On one line, or `undefined` as soon as it takes more than `room` characters: a large value is not written twice. */
function renderFlat(value: unknown, room: number): string | undefined {
  if (room < 0) return undefined;
  if (typeof value !== 'object' || value === null) return within(JSON.stringify(value ?? null), room);
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  let separator = '';
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name];
    if (item === undefined && !isList) continue;
    text += isList ? separator : `${separator}${JSON.stringify(name)}: `;
    separator = ', ';
    const flat = renderFlat(item, room - text.length - 1);
    if (flat === undefined) return undefined;
    text += flat;
  }
  return within(`${text}${isList ? ']' : '}'}`, room);
}

function within(text: string, room: number): string | undefined {
  return text.length <= room ? text : undefined;
}
