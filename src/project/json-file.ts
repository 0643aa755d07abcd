import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { SourceLocation } from '#kernel/errors/cloud-error';

export type JsonReading = { readonly value: unknown } | { readonly problem: string; readonly location: SourceLocation };

/** Parse JSON and, where it is broken, say at which line and column. A byte order mark, which some editors write, is not part of it. */
export function readJson(file: string, markedText: string): JsonReading {
  const text = markedText.replace(/^\uFEFF/, '');
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      problem: message.replace(/ in JSON at position .*| \(line .*/s, ''),
      location: locate(file, text, message),
    };
  }
}

/** V8 tells the offset of an unexpected token; without one the text ended too early. */
function locate(file: string, text: string, message: string): SourceLocation {
  const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
  const before = text.slice(0, offset).split('\n');
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The position of a value in a JSON text; the position of its name where it has one. */
export function placeInJson(
  file: string,
  text: string,
  place: readonly (string | number)[],
): SourceLocation & { readonly line: number; readonly column: number } {
  const tree = parseTree(text);
  for (let depth = place.length; tree && depth > 0; depth--) {
    const node = findNodeAtLocation(tree, [...place.slice(0, depth)]);
    // A missing value has no position of its own.
    if (!node) continue;
    const { offset } = (node.parent?.type === 'property' && node.parent) || node;
    const before = text.slice(0, offset).split('\n');
    return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
  return { file, line: 1, column: 1 };
}
