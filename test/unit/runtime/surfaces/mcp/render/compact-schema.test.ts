import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { compactSchema } from '#runtime/surfaces/mcp/render/compact-schema';
import { recordIdArgument } from '#runtime/surfaces/mcp/tools/record-ids';

const compacted = (schema: z.ZodType) => {
  const { $schema, ...document } = z.toJSONSchema(schema, { io: 'input' });
  return compactSchema(document);
};

describe('a compact schema', () => {
  it('has one schema with several types in place of alternatives', () => {
    expect(compacted(recordIdArgument)).toEqual({
      type: ['string', 'number', 'array'],
      items: { type: ['string', 'number'] },
    });
  });

  it('keeps alternatives that differ in more than their types', () => {
    const schema = z.union([z.enum(['a', 'b']), z.number()]);
    expect(compacted(schema)).toEqual({ anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'number' }] });
    const bounded = z.union([z.array(z.string()), z.array(z.number())]);
    expect(compacted(bounded)).toHaveProperty('anyOf');
  });

  it('leaves out the range of exact integers, and keeps every other one', () => {
    expect(compacted(z.int())).toEqual({ type: 'integer' });
    expect(compacted(z.int().min(1).max(9))).toEqual({ type: 'integer', minimum: 1, maximum: 9 });
  });

  it('keeps members that are called like keywords', () => {
    const members = { properties: z.unknown(), default: z.string(), anyOf: z.array(z.string()) };
    expect(compacted(z.object(members))).toMatchObject({
      properties: { properties: {}, default: { type: 'string' }, anyOf: { type: 'array' } },
    });
  });

  it('refuses unknown members as before', () => {
    expect(compacted(z.strictObject({ a: z.string() }))).toMatchObject({ additionalProperties: false });
    expect(compacted(z.record(z.string(), z.unknown()))).toEqual({ type: 'object' });
  });
});
