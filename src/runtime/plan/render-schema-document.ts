import type { SchemaDocument } from '#contracts/schema-document';

const maxLineLength = 100;

/** The text of the schema file: two spaces, what fits on a line of 100 characters stays on one. */
export function renderSchemaDocument(document: SchemaDocument): string {
  return `${render(document, '')}\n`;
}

function render(value: unknown, indent: string, lead = 0): string {
  const flat = renderFlat(value);
  if (typeof value !== 'object' || value === null || indent.length + lead + flat.length <= maxLineLength) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${inner}${render(item, inner)}`).join(',\n')}\n${indent}]`;
  }
  const members = presentEntries(value).map(([name, item]) => {
    const key = `${JSON.stringify(name)}: `;
    return `${inner}${key}${render(item, inner, key.length)}`;
  });
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function renderFlat(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(renderFlat).join(', ')}]`;
  return `{${presentEntries(value)
    .map(([name, item]) => `${JSON.stringify(name)}: ${renderFlat(item)}`)
    .join(', ')}}`;
}

function presentEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}
