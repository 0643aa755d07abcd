import type { SchemaDocument } from '#contracts/schema-document';

const maxLineLength = 100;
const separator = ', ';

/** The text of the schema file: two spaces, what fits on a line of 100 characters stays on one. */
export function renderSchemaDocument(document: SchemaDocument): string {
  return `${new Renderer().render(document, '', 0)}\n`;
}

/** Ten thousand tables make millions of small parts. Each value is joined by itself, so that few of them are in memory at a time. */
class Renderer {
  readonly #members = new Map<string, MemberTexts>();

  /** `lead` is how many characters stand on the line before the value, beside the indent. */
  render(value: unknown, indent: string, lead: number): string {
    if (typeof value !== 'object' || value === null) return scalar(value);
    const inner = `${indent}  `;
    const isList = Array.isArray(value);
    const parts = isList ? value.map((item) => this.render(item, inner, 0)) : this.#renderMembers(value, inner);
    const [open, close] = isList ? '[]' : '{}';
    // A part of several lines is longer than any line.
    let length = 2 + separator.length * Math.max(0, parts.length - 1);
    for (const part of parts) length += part.length;
    if (length <= maxLineLength - indent.length - lead) return `${open}${parts.join(separator)}${close}`;
    return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
  }

  #renderMembers(value: object, indent: string): string[] {
    const parts: string[] = [];
    for (const [name, item] of Object.entries(value)) {
      const texts = this.#textsOf(name);
      if (item === false) parts.push(texts.ofFalse);
      else if (item === null) parts.push(texts.ofNull);
      else if (item !== undefined) parts.push(texts.key + this.render(item, indent, texts.key.length));
    }
    return parts;
  }

  #textsOf(name: string): MemberTexts {
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    const key = `${JSON.stringify(name)}: `;
    const texts = { key, ofFalse: `${key}false`, ofNull: `${key}null` };
    this.#members.set(name, texts);
    return texts;
  }
}

/** Members of few names come again and again, and most of them say little. */
interface MemberTexts {
  readonly key: string;
  readonly ofFalse: string;
  readonly ofNull: string;
}

function scalar(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}
