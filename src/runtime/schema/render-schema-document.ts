import type { SchemaDocument } from '#contracts/schema-document';

const maxLineLength = 100;

/** The text of the schema file: two spaces, what fits on a line of 100 characters stays on one. */
export function renderSchemaDocument(document: SchemaDocument): string {
  const parts: string[] = [];
  render(document, '', 0, parts);
  parts.push('\n');
  return parts.join('');
}

/** `lead` is what stands on the line before the value, beside the indent. The text is put behind `parts`. */
function render(value: unknown, indent: string, lead: number, parts: string[]): void {
  if (typeof value !== 'object' || value === null) {
    parts.push(JSON.stringify(value ?? null));
    return;
  }
  const flat = renderFlat(value, maxLineLength - indent.length - lead);
  if (flat !== undefined) {
    parts.push(flat);
    return;
  }
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  let start = `${isList ? '[' : '{'}\n${inner}`;
  if (isList) {
    for (const item of value) {
      parts.push(start);
      render(item, inner, 0, parts);
      start = `,\n${inner}`;
    }
  } else {
    for (const name of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[name];
      if (item === undefined) continue;
      const key = `${JSON.stringify(name)}: `;
      parts.push(start, key);
      render(item, inner, key.length, parts);
      start = `,\n${inner}`;
    }
  }
  parts.push(`\n${indent}${isList ? ']' : '}'}`);
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
