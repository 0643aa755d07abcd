import * as z from 'zod';
import { isTooDeep } from '#kernel/json/read-json';

/**
 * Arguments as a tool means them, where a client sends them otherwise: null for an optional one that takes no null, and JSON text for
 * what is not a text. What cannot be read so stays, for the schema to refuse it.
 */
export function readSent(schema: z.core.$ZodType, sent: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = schema.unwrap();
    return sent === null && !takes(inner, null) ? undefined : readSent(inner, sent);
  }
  const value = typeof sent === 'string' && !takes(schema, sent) ? fromJson(schema, sent) : sent;
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item: unknown) => readSent(schema.element, item));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  const { shape } = schema;
  const members = Object.entries(value).map(([name, member]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return [name, known === undefined ? member : readSent(known, member)] as const;
  });
  return Object.fromEntries(members.filter(([name, member]) => member !== undefined || !Object.hasOwn(shape, name)));
}

function fromJson(schema: z.core.$ZodType, text: string): unknown {
  const value = readJson(text);
  return typeof value !== 'string' && takes(schema, readSent(schema, value)) ? value : text;
}

/** The value of a JSON text; anything else as it is. */
export function readJson(sent: unknown): unknown {
  if (typeof sent !== 'string' || isTooDeep(sent)) return sent;
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}

function takes(schema: z.core.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}
