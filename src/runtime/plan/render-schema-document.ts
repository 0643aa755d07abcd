import type { SchemaDocument } from '#contracts/schema-document';

const maxLineLength = 100;

/** The text of the schema file: two spaces, what fits on a line of 100 characters stays on one. */
export function renderSchemaDocument(document: SchemaDocument): string {
  return `${render(document, '', 0)}\n`;
}

/** `lead` is what stands on the line before the value, beside the indent. */
function render(value: unknown, indent: string, lead: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const flat = renderFlat(value, maxLineLength - indent.length - lead);
  if (flat !== undefined) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${inner}${render(item, inner, 0)}`).join(',\n')}\n${indent}]`;
  }
  const members = presentEntries(value).map(([name, item]) => {
    const key = `${JSON.stringify(name)}: `;
    return `${inner}${key}${render(item, inner, key.length)}`;
  });
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** On one line, or `undefined` as soon as it takes more than `room` characters: a large value is not written twice. */
function renderFlat(value: unknown, room: number): string | undefined {
  if (room < 0) return undefined;
  if (typeof value !== 'object' || value === null) return within(JSON.stringify(value ?? null), room);
  const isList = Array.isArray(value);
  const members = isList ? value.map((item) => ['', item] as const) : presentEntries(value);
  let text = isList ? '[' : '{';
  for (const [index, [name, item]] of members.entries()) {
    const key = isList ? '' : `${JSON.stringify(name)}: `;
    const start = `${text}${index === 0 ? '' : ', '}${key}`;
    const flat = renderFlat(item, room - start.length - 1);
    if (flat === undefined) return undefined;
    text = start + flat;
  }
  return within(`${text}${isList ? ']' : '}'}`, room);
}

function within(text: string, room: number): string | undefined {
  return text.length <= room ? text : undefined;
}

function presentEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}
